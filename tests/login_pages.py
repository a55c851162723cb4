"""Pages behind a login, for the servers of tests.

Pages name the user who has logged in. Data posted to /take is kept, and returned at /taken without a login.
"""

import base64
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Page(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    kind = ""
    taken: list[str] = []

    def login(self, token: bytes) -> tuple[str | None, bytes]:
        """The user, once it is known, and the server's token."""
        raise NotImplementedError

    def do_GET(self):  # noqa: N802
        if self.path == "/taken":
            return self.send(200, "\n".join(self.taken).encode())
        return self.answer(b"")

    def do_POST(self):  # noqa: N802
        self.answer(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def answer(self, body: bytes) -> None:
        kind, _, token = self.headers.get("Authorization", "").partition(" ")
        if kind != self.kind:
            return self.send(401, b"who?", self.kind)
        try:
            user, reply = self.login(base64.b64decode(token))
        except Exception as error:  # noqa: BLE001
            return self.send(401, str(error).encode(), self.kind)
        asks = f"{self.kind} {base64.b64encode(reply).decode()}" if reply else ""
        if user is None:
            return self.send(401, b"prove it", asks)
        if self.path == "/take":
            self.taken.append(f"{user} {body.decode()}".strip())
        said = f"{user} {self.command} {self.path} {body.decode()}"
        return self.send(200, said.strip().encode(), asks)

    def send(self, status: int, body: bytes, asks: str = "") -> None:
        self.send_response(status)
        if asks:
            self.send_header("WWW-Authenticate", asks)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def serve(page: type[Page], port: int) -> None:
    ThreadingHTTPServer(("127.0.0.1", port), page).serve_forever()
