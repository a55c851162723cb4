"""A web server behind NTLM, whose side of it is pyspnego's: `ntlm_server.py PORT USERS`.

USERS is a file with lines `DOMAIN:user:password`. Who has shown who they are is told so; each connection has to.
"""

import base64
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import spnego


class Page(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self):
        super().setup()
        self.context, self.user = None, None

    def do_GET(self):  # noqa: N802
        self.answer(b"")

    def do_POST(self):  # noqa: N802
        self.answer(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def answer(self, body: bytes) -> None:
        kind, _, token = self.headers.get("Authorization", "").partition(" ")
        if kind != "NTLM":
            return self.send(401, b"who?", "NTLM")
        if self.context is None:
            self.context = spnego.server(protocol="ntlm")
        try:
            reply = self.context.step(base64.b64decode(token))
        except spnego.exceptions.SpnegoError as error:
            self.context = None
            return self.send(401, str(error).encode(), "NTLM")
        if not self.context.complete:
            return self.send(401, b"prove it", "NTLM " + base64.b64encode(reply).decode())
        said = f"{self.context.client_principal} {self.command} {self.path} {body.decode()}"
        self.context = None
        return self.send(200, said.strip().encode())

    def send(self, status: int, body: bytes, asks: str = "") -> None:
        self.send_response(status)
        if asks:
            self.send_header("WWW-Authenticate", asks)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    os.environ["NTLM_USER_FILE"] = sys.argv[2]
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Page).serve_forever()
