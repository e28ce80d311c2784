# SPDX-License-Identifier: GPL-2.0-or-later
"""A BGP speaker that announces and withdraws many IPv4 prefixes: RFC 4271 as far as that takes."""
import socket
import struct
import threading

MARKER = b"\xff" * 16
OPEN, UPDATE, NOTIFICATION, KEEPALIVE = 1, 2, 3, 4
MAX_MESSAGE = 4096


def message(kind, body=b""):
    return MARKER + struct.pack("!HB", 19 + len(body), kind) + body


def attribute(flags, code, value):
    return struct.pack("!BBB", flags, code, len(value)) + value


def packed(prefix):
    net, length = prefix.split("/")
    octets = (int(length) + 7) // 8
    return bytes((int(length),)) + socket.inet_aton(net)[:octets]


class Speaker:
    """One session from `local` in a namespace to the BGP daemon at `peer`; updates as calls."""

    def __init__(self, namespace, local, peer, own_as):
        def connected():
            return socket.create_connection((peer, 179), timeout=20, source_address=(local, 0))

        self.local, self.own_as = local, own_as
        self.sock = namespace.call(connected)
        capability = bytes((2, 6, 1, 4, 0, 1, 0, 1))  # RFC 4760: IPv4 unicast
        body = struct.pack("!BHH4sB", 4, own_as, 180, socket.inet_aton(local), len(capability))
        self.sock.sendall(message(OPEN, body + capability))
        assert self._read()[0] == OPEN
        self.sock.sendall(message(KEEPALIVE))
        while self._read()[0] != KEEPALIVE:
            pass
        # What the peer says further is read so that it never blocks, and not looked at.
        self.sock.settimeout(None)
        self._reader = threading.Thread(target=self._drain, daemon=True)
        self._reader.start()

    def _exactly(self, count):
        data = b""
        while len(data) < count:
            part = self.sock.recv(count - len(data))
            if not part:
                raise ConnectionError("the peer closed")
            data += part
        return data

    def _read(self):
        length, kind = struct.unpack("!16xHB", self._exactly(19))
        body = self._exactly(length - 19)
        assert kind != NOTIFICATION, f"NOTIFICATION {body.hex()}"
        return kind, body

    def _drain(self):
        try:
            while self.sock.recv(65536):
                pass
        except OSError:
            pass

    def _batches(self, prefixes, room):
        batch = b""
        for prefix in prefixes:
            one = packed(prefix)
            if len(batch) + len(one) > room:
                yield batch
                batch = b""
            batch += one
        if batch:
            yield batch

    def announce(self, prefixes):
        path = struct.pack("!BBH", 2, 1, self.own_as)
        attributes = attribute(0x40, 1, b"\0") + attribute(0x40, 2, path)
        attributes += attribute(0x40, 3, socket.inet_aton(self.local))
        room = MAX_MESSAGE - 23 - len(attributes)
        for batch in self._batches(prefixes, room):
            body = struct.pack("!HH", 0, len(attributes)) + attributes + batch
            self.sock.sendall(message(UPDATE, body))

    def withdraw(self, prefixes):
        for batch in self._batches(prefixes, MAX_MESSAGE - 23):
            self.sock.sendall(message(UPDATE, struct.pack("!H", len(batch)) + batch + b"\0\0"))

    def close(self):
        try:
            self.sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.sock.close()
        self._reader.join()
