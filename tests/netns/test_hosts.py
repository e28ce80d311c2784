# SPDX-License-Identifier: GPL-2.0-or-later
"""Ordinary hosts, with ARP, TCP and all, talking through the router."""
import socket
import threading

import pytest

import lab as lab_module

ENDS = {4: ("10.0.0.2", "10.0.1.2"), 6: ("2001:db8::2", "2001:db8:1::2")}


def opened(host, family, kind, address):
    def make():
        sock = socket.socket(socket.AF_INET if family == 4 else socket.AF_INET6, kind)
        sock.settimeout(20)
        sock.bind((address, 0))
        return sock

    return host.call(make)


def is_resolved(router, family):
    _, there = ENDS[family]
    here, _ = ENDS[family]
    said = router.ip("neigh")
    return all(
        any(a in line and "lladdr" in line for line in said.splitlines()) for a in (here, there)
    )


@pytest.fixture
def two_hosts(lab, daemon):
    router = lab.hosts("r", 2)
    xdp = daemon(router)
    for family, (src, dst) in ENDS.items():
        router.far[0].run("ping", "-c", "1", "-W", "5", "-I", src, dst)
        lab_module.wait_until("neighbours resolved", lambda f=family: is_resolved(router, f))

        def known(address=dst):
            shown = xdp.json("show", "neighbor")["neighbors"]
            return any(n["address"] == address and n.get("mac") for n in shown)

        lab_module.wait_until(f"{dst} known to fpm-xdp", known)
    return router, xdp


@pytest.mark.parametrize("family", [4, 6])
def test_icmp(two_hosts, family):
    router, xdp = two_hosts
    src, dst = ENDS[family]
    before = xdp.forwarded("p0"), xdp.forwarded("p1")
    for size in (0, 56, 1400, 1472 if family == 4 else 1452):
        said = router.far[0].run("ping", "-c3", "-i0.02", "-W2", "-s", size, "-I", src, dst)
        assert " 0% packet loss" in said
    assert xdp.forwarded("p0") - before[0] >= 12 and xdp.forwarded("p1") - before[1] >= 12


@pytest.mark.parametrize("family", [4, 6])
def test_icmp_in_fragments(two_hosts, family):
    router, xdp = two_hosts
    src, dst = ENDS[family]
    before = xdp.forwarded("p0")
    said = router.far[0].run("ping", "-c3", "-i0.02", "-W2", "-s", "4000", "-I", src, dst)
    assert " 0% packet loss" in said
    assert xdp.forwarded("p0") - before >= 9


@pytest.mark.parametrize("family", [4, 6])
def test_udp(two_hosts, family):
    router, xdp = two_hosts
    src, dst = ENDS[family]
    client = opened(router.far[0], family, socket.SOCK_DGRAM, src)
    server = opened(router.far[1], family, socket.SOCK_DGRAM, dst)
    before = xdp.forwarded("p0"), xdp.forwarded("p1")
    with client, server:
        for number in range(500):
            body = number.to_bytes(4, "big") * (1 + number % 300)
            client.sendto(body, server.getsockname()[:2])
            got, sender = server.recvfrom(2048)
            assert got == body
            server.sendto(got[::-1], sender[:2])
            assert client.recv(2048) == body[::-1]
    assert xdp.forwarded("p0") - before[0] >= 500 and xdp.forwarded("p1") - before[1] >= 500


@pytest.mark.parametrize("family", [4, 6])
def test_tcp(two_hosts, family):
    """5 MB each way, over one connection; every byte compared, most packets in XDP."""
    router, xdp = two_hosts
    src, dst = ENDS[family]
    body = bytes(range(256)) * 20_000
    listener = opened(router.far[1], family, socket.SOCK_STREAM, dst)
    client = opened(router.far[0], family, socket.SOCK_STREAM, src)
    listener.listen(1)
    echoed = []

    def serve():
        sock, _ = listener.accept()
        with sock:
            sock.settimeout(20)
            data = bytearray()
            while len(data) < len(body):
                data += sock.recv(1 << 16)
            echoed.append(bytes(data))
            sock.sendall(data)

    thread = threading.Thread(target=serve)
    before = xdp.counters()
    with listener, client:
        thread.start()
        client.connect(listener.getsockname()[:2])
        client.sendall(body)
        back = bytearray()
        while len(back) < len(body):
            part = client.recv(1 << 16)
            assert part, "closed early"
            back += part
        thread.join()
    assert echoed == [body] and back == body
    after = xdp.counters()
    for port in ("p0", "p1"):
        packets = after[port]["forwarded"] - before[port]["forwarded"]
        assert packets > len(body) / 1500, f"{port}: only {packets} in XDP"


def test_path_mtu_discovery(lab, daemon):
    """A smaller link behind the router: Linux says "too big", the sender obeys, the rest is XDP."""
    router = lab.hosts("r", 2, mtu=(1500, 1400))
    xdp = daemon(router)
    src, dst = ENDS[4]
    router.far[0].run("ping", "-c", "1", "-W", "5", dst)
    done = router.far[0].run("ping", "-c1", "-W2", "-M", "do", "-s", "1472", dst, check=False)
    assert "mtu" in (done.stdout + done.stderr).lower()
    assert xdp.passed("too-big") >= 1
    router.far[0].run("ping", "-c1", "-W2", "-M", "do", "-s", "1372", dst)


def test_gateway_that_nobody_talked_to_is_resolved(lab, daemon):
    """fpm-xdp has next hops resolved; the first packets are not all Linux's."""
    router = lab.hosts("r", 2)
    router.ip("route", "add", "40.0.0.0/8", "via", "10.0.1.2")
    xdp = daemon(router)

    def has_mac():
        route = xdp.route("40.0.0.0/8")
        return route and route["nexthops"][0].get("mac") == "02:00:00:00:02:01"

    lab_module.wait_until("10.0.1.2 has a MAC", has_mac)


def test_unresolved_neighbour_is_left_to_linux(lab, daemon):
    router = lab.hosts("r", 2)
    router.ip("route", "add", "40.0.0.0/8", "via", "10.0.1.99")
    # Linux gives up at once, not after seconds.
    router.sysctl(
        ipv4__neigh__p1__mcast_solicit=1,
        ipv4__neigh__p1__ucast_solicit=0,
        ipv4__neigh__p1__retrans_time_ms=100,
    )
    xdp = daemon(router)
    said = router.far[0].run("ping", "-c2", "-i0.1", "-W4", "40.0.0.1", check=False).stdout
    assert "Unreachable" in said, said
    assert xdp.passed("neighbor-unresolved") >= 1, xdp.counters()
    router.far[1].ip("addr", "add", "10.0.1.99/24", "dev", "h1")
    router.far[1].ip("addr", "add", "40.0.0.1/32", "dev", "lo")

    def answered():
        return router.far[0].run("ping", "-c1", "-W1", "40.0.0.1", check=False).returncode == 0

    lab_module.wait_until("40.0.0.1 answers", answered)
    before = xdp.forwarded()

    def in_xdp():
        return answered() and xdp.forwarded() > before

    lab_module.wait_until("it is forwarded in XDP", in_xdp)
