"""Pages: self-contained HTML files that need no network.

A page NAME consists of NAME.html (its body), NAME.css and NAME.js, and the shared files frame.html, base.css and
base.js, which have the header with links to the sections of the page, and the slider for a limit. The script reads the
content as JSON. The content may contain names from files and users, which are never interpreted as markup: this module
escapes every `<`, and the scripts only set text. As a second defence, a content security policy allows only the page's
own script.
"""

import base64
import hashlib
import html
import json
from collections.abc import Mapping
from importlib.resources import files
from string import Template
from typing import Any


def page(name: str, title: str, content: Mapping[str, Any], *, kind: str = "", body: str | None = None) -> str:
    """Return the page NAME with JSON-serializable content.

    The header names the `kind` of page. `body` replaces NAME.html: markup whose text is already escaped.
    """
    script = _text("base.js") + _text(f"{name}.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    # In JSON, < occurs only within strings, where \u003c is equivalent.
    data = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    return Template(_text("frame.html")).substitute(
        title=html.escape(title),
        digest=digest,
        style=_text("base.css") + _text(f"{name}.css"),
        kind=html.escape(kind or name),
        body=_text(f"{name}.html") if body is None else body,
        data=data,
        script=script,
    )


def _text(name: str) -> str:
    return files(__name__).joinpath(name).read_text(encoding="utf-8")
