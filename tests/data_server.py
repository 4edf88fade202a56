"""A web server on this machine that serves files and fails on request."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Site:
    """The files of the server and its behaviour."""

    files: dict[str, bytes] = field(default_factory=dict)
    ranges: bool = True
    """Whether the server sends parts of files."""
    version: str = "1"
    """Version of all files, the content of their tags."""
    tags: bool = True
    cut_after: int | None = None
    """Number of bytes after which the connection is closed."""
    status: int | None = None
    """Status of every response."""
    requests: list[tuple[str, str | None, int]] = field(default_factory=list)
    """Path, requested range and status of every request."""
    url: str = ""


@contextmanager
def serve(site: Site) -> Iterator[None]:
    """Run the server on a free port of the local interface."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requested = self.headers["Range"]
            content, status, headers = response(site, self.path, requested, self.headers["If-Range"])
            site.requests.append((self.path, requested, status))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content if site.cut_after is None else content[: site.cut_after])
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            """Print no log."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def response(site: Site, path: str, requested: str | None, condition: str | None) -> tuple[bytes, int, dict[str, str]]:
    """Return body, status and headers."""
    if site.status is not None or path not in site.files:
        return b"", site.status or 404, {"Content-Length": "0"}
    content, tag = site.files[path], f'"{site.version}"'
    headers = {"ETag": tag} if site.tags else {}
    if requested is None or not site.ranges or condition != tag:
        return content, 200, headers | {"Content-Length": str(len(content))}
    first = int(requested.removeprefix("bytes=").removesuffix("-"))
    if first >= len(content):
        return b"", 416, {"Content-Length": "0"}
    rest = content[first:]
    sent = f"bytes {first}-{len(content) - 1}/{len(content)}"
    return rest, 206, headers | {"Content-Length": str(len(rest)), "Content-Range": sent}
