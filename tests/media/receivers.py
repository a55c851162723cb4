"""Receivers of messages: a web server, a proxy, a mail server, and some that behave badly."""

import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult


class Web:
    """Answers each request with `status` and `body`, and keeps what it was asked."""

    def __init__(self) -> None:
        self.requests: list[dict] = []
        self.body: dict = {}
        self.status = 200
        self.location = None
        web = self

        class Handler(BaseHTTPRequestHandler):
            def _any(self):
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length).decode(errors="replace")
                web.requests.append({
                    "method": self.command, "path": self.path, "body": body,
                    "headers": {name.lower(): it for name, it in self.headers.items()},
                })
                if self.command == "CONNECT":
                    self.send_error(502, "no way there")
                    return
                text = json.dumps(web.body).encode()
                self.send_response(302 if web.location else web.status)
                if web.location:
                    self.send_header("Location", web.location)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_CONNECT = _any

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def end(self) -> None:
        self.server.shutdown()
        self.server.server_close()


class Mail:
    """A mail server that keeps what it takes."""

    def __init__(self, user: str = "", password: str = "", tls_context=None, starttls=False) -> None:
        self.envelopes: list = []
        self.refuses = 0
        mail = self

        class Handler:
            async def handle_DATA(self, server, session, envelope):
                if mail.refuses:
                    mail.refuses -= 1
                    return "451 later"
                mail.envelopes.append(envelope)
                return "250 taken"

        def check(_server, _session, _envelope, _mechanism, data):
            is_it = (data.login, data.password) == (user.encode(), password.encode())
            return AuthResult(success=is_it, handled=False)

        settings = {}
        if user:
            settings = {
                "authenticator": check, "auth_required": True, "auth_require_tls": False,
            }
        if starttls:
            settings |= {"tls_context": tls_context, "require_starttls": True}
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            self.port = one.getsockname()[1]
        self.controller = Controller(
            Handler(), hostname="127.0.0.1", port=self.port,
            ssl_context=None if starttls else tls_context, **settings,
        )
        self.controller.start()

    def end(self) -> None:
        self.controller.stop()


class Silent:
    """Takes connections and says nothing, or a letter now and then."""

    def __init__(self, drips: bool = False) -> None:
        self.is_over = threading.Event()
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self._serve, args=(drips,), daemon=True).start()

    def _serve(self, drips: bool) -> None:
        while not self.is_over.is_set():
            try:
                one, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self._hold, args=(one, drips), daemon=True).start()

    def _hold(self, one, drips: bool) -> None:
        with one:
            while not self.is_over.wait(0.1):
                try:
                    if drips:
                        one.sendall(b"2")
                except OSError:
                    return

    def end(self) -> None:
        self.is_over.set()
        self.socket.close()


# Bound and never listening: connections are refused, and nobody else gets the port meanwhile.
_NOBODY = socket.socket()
_NOBODY.bind(("127.0.0.1", 0))


def nobody() -> int:
    """A port where nobody listens."""
    return _NOBODY.getsockname()[1]
