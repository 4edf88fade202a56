"""Write the address of the repository into the metadata of a release: `python .ci/set_repository.py ADDRESS`.

The repository does not contain its own address, so that copies of it make no false claims. The release workflow fills
it in before it builds. The script changes `pyproject.toml` and `CITATION.cff`; do not commit the result.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def main(address: str) -> None:
    """Add the links to both files; running it again changes nothing."""
    address = address.rstrip("/").removesuffix(".git")
    if not re.fullmatch(r"https://[\w.-]+(/[\w.-]+)+", address):
        sys.exit(f"'{address}' is not the address of a repository; use one such as https://example.org/name/permove")
    project = ROOT / "pyproject.toml"
    text = project.read_text(encoding="utf-8")
    if "[project.urls]" not in text:
        links = {"Source": "", "Documentation": "/tree/main/docs", "Issues": "/issues", "Changelog": "/releases"}
        urls = "\n".join(f'{name} = "{address}{path}"' for name, path in links.items())
        text = text.replace("[project.scripts]", f"[project.urls]\n{urls}\n\n[project.scripts]")
        project.write_text(text, encoding="utf-8")
    citation = ROOT / "CITATION.cff"
    text = citation.read_text(encoding="utf-8")
    if "repository-code:" not in text:
        citation.write_text(text.replace("license: ", f"repository-code: {address}\nlicense: "), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
