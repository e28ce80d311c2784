# SPDX-License-Identifier: GPL-2.0-or-later
"""bfdd's end of the distributed BFD socket, by hand: what no packaged bfdd says is said here.

The layout is that of bfdd/bfddp_packet.h of FRR 8.4 to 10.7: 8 bytes of header, all in network
order, alignment as the C compiler's.
"""
import contextlib
import dataclasses
import itertools
import os
import select
import socket
import struct

import lab
import wire

ECHO_REQUEST, ECHO_REPLY, ADD, DELETE, STATE, ASK_COUNTERS, COUNTERS = range(7)
MULTIHOP, DEMAND, CBIT, ECHO, IPV6, PASSIVE, SHUTDOWN = (1 << n for n in range(7))


def message(kind, payload=b"", number=0, length=None, version=1):
    size = 8 + len(payload) if length is None else length
    return struct.pack("!BBHHH", version, 0, kind, number, size) + payload


@dataclasses.dataclass
class Session:
    lid: int
    dst: str
    src: str = "0.0.0.0"
    flags: int = 0
    min_tx: int = 300000
    min_rx: int = 300000
    echo_tx: int = 50000
    echo_rx: int = 50000
    ttl: int = 255
    mult: int = 3
    ifindex: int = 0
    ifname: str = ""

    def pack(self):
        flags = self.flags | (IPV6 if ":" in self.dst else 0)
        return struct.pack(
            "!I16s16s6IBBHI64s",
            flags,
            *(wire.address(a).ljust(16, b"\0") for a in (self.src, self.dst)),
            *(self.lid, self.min_tx, self.min_rx, self.echo_tx, self.echo_rx, 0),
            *(self.ttl, self.mult, 0, self.ifindex, self.ifname.encode()),
        )

    def add(self):
        return message(ADD, self.pack())

    def delete(self):
        return message(DELETE, self.pack())


@dataclasses.dataclass
class State:
    lid: int
    rid: int
    flags: int
    min_tx: int
    min_rx: int
    echo_rx: int
    state: int
    diag: int
    mult: int


class Script:
    """Listens on a unix socket as bfdd --dplaneaddr unix:PATH does."""

    def __init__(self, path):
        self.path = str(path)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(8)
        self.connections = []
        self.received = {}
        self.states = {}  # of each lid, the last State
        self.messages = []  # (type, id, payload)
        self.closed = 0  # connections that the daemon closed
        self._ids = itertools.count(1)

    def accept(self, timeout=10):
        assert select.select([self.listener], [], [], timeout)[0], "nobody connects"
        connection = self.listener.accept()[0]
        self.connections.append(connection)
        self.received[connection] = b""
        return connection

    def send(self, data, connection=None):
        (connection or self.connections[-1]).sendall(data)

    def pump(self, timeout=0.0):
        """Takes what there is to read, on each connection, and new connections."""
        watched = [self.listener, *self.connections]
        for ready in select.select(watched, [], [], timeout)[0]:
            if ready is self.listener:
                self.accept()
            else:
                self._read(ready)

    def _read(self, connection):
        try:
            data = connection.recv(65536)
        except ConnectionError:
            data = b""
        if not data:
            self.closed += 1
            self.connections.remove(connection)
            connection.close()
            return
        data = self.received[connection] + data
        while len(data) >= 8:
            version, _, kind, number, length = struct.unpack_from("!BBHHH", data)
            assert version == 1 and length >= 8, f"bfdd would choke on {data[:16].hex()}"
            if len(data) < length:
                break
            self._take(connection, kind, number, data[8:length])
            data = data[length:]
        self.received[connection] = data

    def _take(self, connection, kind, number, payload):
        self.messages.append((kind, number, payload))
        if kind == STATE:
            fields = struct.unpack_from("!6I3B", payload)
            assert fields[6] <= 3, f"state {fields[6]}"
            self.states[fields[0]] = State(*fields)
        elif kind == ECHO_REQUEST:
            with contextlib.suppress(ConnectionError):  # closed meanwhile: seen by the next read
                self.send(message(ECHO_REPLY, payload), connection)

    def wait(self, what, condition, timeout=10):
        def pumped():
            self.pump(0.05)
            return condition()

        return lab.wait_until(what, pumped, timeout, interval=0)

    def wait_state(self, lid, state, timeout=10):
        def is_there():
            last = self.states.get(lid)
            return last if last and last.state == state else None

        return self.wait(f"session {lid} in state {state}", is_there, timeout)

    def ask_counters(self, lid):
        """The payload of the answer."""
        number = next(self._ids)
        self.send(message(ASK_COUNTERS, struct.pack("!I", lid), number))

        def answer():
            found = [p for k, n, p in self.messages if k == COUNTERS and n == number]
            return found[0] if found else None

        return self.wait("counters", answer)

    def hang_up(self):
        while self.connections:
            self.connections.pop().close()

    def close(self):
        self.hang_up()
        self.listener.close()
        if os.path.exists(self.path):
            os.unlink(self.path)
