"""Pages: each is one HTML file that needs nothing beside itself, not even a network.

A page NAME is made of NAME.html, its body, NAME.css and NAME.js, and of what all pages share: frame.html, base.css and
base.js. Its content goes in as JSON, which the script reads. Names in it may come from files and from users: they are
never markup, neither here, where every `<` is escaped, nor in the scripts, which only ever set text. Should one slip
through all the same, the browser is told to run no other script than the page's own.
"""

import base64
import hashlib
import html
import json
from collections.abc import Mapping
from importlib.resources import files
from string import Template
from typing import Any


def page(name: str, title: str, content: Mapping[str, Any]) -> str:
    """The page NAME with a content that JSON can hold."""
    script = _text("base.js") + _text(f"{name}.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    # In JSON a < can only stand within text, where this is another way to write it.
    data = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    return Template(_text("frame.html")).substitute(
        title=html.escape(title),
        digest=digest,
        style=_text("base.css") + _text(f"{name}.css"),
        body=_text(f"{name}.html"),
        data=data,
        script=script,
    )


def _text(name: str) -> str:
    return files(__name__).joinpath(name).read_text(encoding="utf-8")
