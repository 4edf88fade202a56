"""A web server on this machine that serves files and can be told to misbehave."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Site:
    """What the server has and how it behaves."""

    files: dict[str, bytes] = field(default_factory=dict)
    ranges: bool = True
    """Whether it sends parts of files."""
    version: str = "1"
    """The version of all files, which their tags show."""
    tags: bool = True
    cut_after: int | None = None
    """Close the connection after so many bytes of each answer."""
    status: int | None = None
    """Answer everything with this."""
    requests: list[tuple[str, str | None, int]] = field(default_factory=list)
    """Path, range and status of every request."""
    url: str = ""


@contextmanager
def serve(site: Site) -> Iterator[None]:
    """Run the server on a free port of the local interface."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = self.headers["Range"]
            content, status, headers = answer(site, self.path, asked, self.headers["If-Range"])
            site.requests.append((self.path, asked, status))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content if site.cut_after is None else content[: site.cut_after])
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            """Keep the test's output clean."""

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


def answer(site: Site, path: str, asked: str | None, condition: str | None) -> tuple[bytes, int, dict[str, str]]:
    """The body, status and headers of an answer."""
    if site.status is not None or path not in site.files:
        return b"", site.status or 404, {"Content-Length": "0"}
    content, tag = site.files[path], f'"{site.version}"'
    headers = {"ETag": tag} if site.tags else {}
    if asked is None or not site.ranges or condition != tag:
        return content, 200, headers | {"Content-Length": str(len(content))}
    first = int(asked.removeprefix("bytes=").removesuffix("-"))
    if first >= len(content):
        return b"", 416, {"Content-Length": "0"}
    rest = content[first:]
    place = f"bytes {first}-{len(content) - 1}/{len(content)}"
    return rest, 206, headers | {"Content-Length": str(len(rest)), "Content-Range": place}
