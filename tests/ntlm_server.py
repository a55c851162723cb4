"""A web server behind NTLM, whose side of it is pyspnego's: `ntlm_server.py PORT USERS`.

USERS is a file with lines `DOMAIN:user:password`. Each connection has to show who it is.
"""

import os
import sys

import spnego

import login_pages


class Page(login_pages.Page):
    kind = "NTLM"

    def setup(self):
        super().setup()
        self.context = None

    def login(self, token: bytes) -> tuple[str | None, bytes]:
        context = self.context or spnego.server(protocol="ntlm")
        self.context = None
        reply = context.step(token)
        if context.complete:
            return str(context.client_principal), b""
        self.context = context
        return None, reply


if __name__ == "__main__":
    os.environ["NTLM_USER_FILE"] = sys.argv[2]
    login_pages.serve(Page, int(sys.argv[1]))
