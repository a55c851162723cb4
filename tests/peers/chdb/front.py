"""ClickHouse's engine of today (chdb) behind as much of its HTTP interface as a client of ours uses.

For tests where no such server is installed: the statements are run by the real engine, the transport is this.
Usage: front.py PORT FOLDER
"""

import sys
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from chdb import session

PASSWORD = "let me in"
# Of the HTTP interface itself, not of the engine.
OF_TRANSPORT = {"query", "wait_end_of_query", "insert_distributed_sync"}

one_at_a_time = threading.Lock()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    engine: session.Session

    def do_GET(self):  # noqa: N802 (the name is given)
        self.answer(200, b"Ok.\n")

    def do_POST(self):  # noqa: N802
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if self.headers.get("X-ClickHouse-Key", "") != PASSWORD:
            text = "Code: 516. DB::Exception: default: Authentication failed: password is incorrect"
            return self.answer(403, text.encode())
        asked = urllib.parse.urlsplit(self.path).query
        parameters = dict(urllib.parse.parse_qsl(asked, keep_blank_values=True))
        settings = {k: v for k, v in parameters.items() if k not in OF_TRANSPORT}
        try:
            with one_at_a_time:
                answer = self.run(parameters.get("query"), settings, body)
        except RuntimeError as error:
            return self.answer(500, str(error).strip().encode())
        self.answer(200, answer)

    def run(self, query, settings, body):
        for name, value in settings.items():
            self.engine.query(f"SET {name} = {value}")
        if query is None:
            sql = body.decode()
            return self.engine.query(sql, "TabSeparated").bytes()
        with open(self.folder + "/rows", "wb") as file:
            file.write(body)
        into = query.rsplit(" FORMAT ", 1)
        sql = f"{into[0]} FROM INFILE '{self.folder}/rows' FORMAT {into[1]}"
        return self.engine.query(sql, "TabSeparated").bytes()

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *arguments):  # noqa: A002
        """Says nothing."""


def main():
    port, folder = int(sys.argv[1]), sys.argv[2]
    Handler.folder = folder
    Handler.engine = session.Session(folder + "/data")
    ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()


main()
