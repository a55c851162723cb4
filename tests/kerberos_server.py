"""A web server behind Kerberos, by MIT's library: `kerberos_server.py PORT`, with the keytab of `KRB5_KTNAME`.

Runs with Debian's Python, which has the package python3-gssapi.
"""

import sys

import gssapi

import login_pages


class Page(login_pages.Page):
    kind = "Negotiate"

    def login(self, token: bytes) -> tuple[str | None, bytes]:
        context = gssapi.SecurityContext(usage="accept")
        reply = context.step(token)
        # A server with a false identity.
        if self.path == "/liar":
            reply = b"what nobody can read"
        return str(context.initiator_name), reply or b""


if __name__ == "__main__":
    login_pages.serve(Page, int(sys.argv[1]))
