# SPDX-License-Identifier: GPL-2.0-or-later
"""Linux configured to do more to a packet than to forward it, on a router with fpm-xdp and on a twin
without: both must do alike, packet by packet, as soon as `show interface` says that Linux has it; and
XDP must forward again once the configuration is gone.
"""
import itertools
import os

import pytest

import lab as lab_module
import xdp
from lab import wait_until
from test_packets import H4, H6, ROUTES, u4, u6
from twin import Twins


@pytest.fixture(scope="module")
def twins(xdp_pass, tmp_path_factory):
    made = lab_module.Lab(f"{os.getpid()}-eligible", xdp_pass)
    logs = tmp_path_factory.mktemp("eligible")

    def start(router):
        daemon = made.owns(xdp.FpmXdp(router, f"eligible{os.getpid()}", logs))
        return daemon.start("-i", "p0", "-i", "p1", "-i", "p2")

    try:
        pair = Twins(made, start, routes=ROUTES)
        pair.daemon.assert_consistent()
        yield pair
    finally:
        made.close()


def reasons(twins, family, port="p0"):
    return set(twins.daemon.json("show", "interface")[port][f"ipv{family}"]["reasons"])


def ingress(twins, family, port="p0"):
    """The same, as `show route ADDRESS` says it."""
    address = {"4": "20.1.0.1", "6": "2001:db8:a001::1"}[family]
    return set(twins.daemon.json("show", "route", address)["ingress"][port])


def on_both(twins, commands):
    """Commands are strings of a line, or lines for nft's standard input as ("nft", text)."""
    for router, command in itertools.product((twins.router, twins.twin), commands):
        if isinstance(command, tuple):
            router.run("nft", "-f", "-", input=command[1])
        else:
            router.run(*command.split())


def sysctl(name, value):
    return f"sysctl -qw {name}={value}"


def nft(family, hook, rule, kind="filter"):
    return (
        "nft",
        f"table {family} t {{ chain c {{ type {kind} hook {hook} priority 0; {rule}; }}\n}}",
    )


FLUSH = ["nft flush ruleset"]

# what, commands, commands that undo them, reason, families
CASES = [
    ("drop", [nft("inet", "forward", "udp dport 2000 drop")], FLUSH, "netfilter", "46"),
    ("some", [nft("inet", "forward", "udp dport 2001 drop")], FLUSH, "netfilter", "46"),
    ("dscp", [nft("ip", "prerouting", "ip dscp set 46")], FLUSH, "netfilter", "4"),
    ("hops", [nft("ip6", "postrouting", "ip6 hoplimit set 9")], FLUSH, "netfilter", "6"),
    (
        "ingress",
        [nft("netdev", "ingress device p0", "udp dport 2000 drop")],
        FLUSH,
        "netfilter",
        "46",
    ),
    (
        "nat",
        [nft("ip", "prerouting", "ip daddr 20.9.9.9 dnat to 20.1.9.9", kind="nat")],
        FLUSH,
        "netfilter",
        "4",
    ),
    (
        "iptables-legacy",
        ["iptables-legacy -A FORWARD -p udp -j DROP"],
        ["iptables-legacy -F"],
        "netfilter",
        "4",
    ),
    (
        "rule",
        ["ip route add default via 10.0.2.2 table 100", f"ip rule add from {H4} lookup 100"],
        ["ip route flush table 100", f"ip rule del from {H4} lookup 100"],
        "policy-rules",
        "4",
    ),
    (
        "rule6",
        [
            "ip -6 route add default via 2001:db8:2::2 table 100",
            f"ip -6 rule add from {H6} lookup 100",
        ],
        ["ip -6 route flush table 100", f"ip -6 rule del from {H6} lookup 100"],
        "policy-rules",
        "6",
    ),
    (
        "no main table",
        ["ip rule del pref 32766"],
        ["ip rule add pref 32766 lookup main"],
        "policy-rules",
        "4",
    ),
    (
        "rp_filter",
        [sysctl("net.ipv4.conf.p0.rp_filter", 1)],
        [sysctl("net.ipv4.conf.p0.rp_filter", 0)],
        "rp-filter",
        "4",
    ),
    (
        "forwarding",
        [sysctl("net.ipv4.conf.p0.forwarding", 0)],
        [sysctl("net.ipv4.conf.p0.forwarding", 1)],
        "forwarding-off",
        "4",
    ),
    (
        "path MTU",
        [sysctl("net.ipv4.ip_forward_use_pmtu", 1)],
        [sysctl("net.ipv4.ip_forward_use_pmtu", 0)],
        "icmp-learned",
        "4",
    ),
    (
        "redirects",
        [sysctl("net.ipv4.conf.all.accept_redirects", 1)],
        [sysctl("net.ipv4.conf.all.accept_redirects", 0)],
        "icmp-learned",
        "4",
    ),
    (
        "forwarding6",
        [sysctl("net.ipv6.conf.all.forwarding", 0)],
        [sysctl("net.ipv6.conf.all.forwarding", 1)],
        "forwarding-off",
        "6",
    ),
    (
        "ipsec",
        [f"ip xfrm policy add src {H4} dst 0.0.0.0/0 dir fwd action block"],
        ["ip xfrm policy flush"],
        "ipsec",
        "46",
    ),
    (
        "clsact",
        ["tc qdisc add dev p0 clsact"],
        ["tc qdisc del dev p0 clsact"],
        "ingress-qdisc",
        "46",
    ),
]


def frames(family):
    if family == "4":
        return [u4(), u4(src="20.1.1.1"), u4(dst="20.1.2.3"), u4(size=1200)]
    return [u6(), u6(src="2001:db8:a001::1"), u6(dst="2001:db8:a001::7"), u6(size=1200)]


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_what_only_linux_does(twins, case):
    _, commands, undo, reason, families = case
    for family in "46":
        twins.compare(frames(family), forwarded=4)
    on_both(twins, commands)
    try:
        for family in "46":
            mine = family in families
            if mine:
                wait_until(reason, lambda: reason in reasons(twins, family), timeout=5)
            assert (reason in ingress(twins, family)) == mine
            twins.compare(frames(family), forwarded=0 if mine else 4)
    finally:
        on_both(twins, undo)
    for family in "46":
        wait_until("eligible again", lambda: not reasons(twins, family), timeout=10)
        twins.compare(frames(family), forwarded=4)
    log = twins.daemon.log.read_text()
    for family in families:
        assert f"warning iface: IPv{family} left to Linux name=p0 reasons={reason}\n" in log
        assert f"info iface: IPv{family} forwarded in XDP again name=p0\n" in log


def test_router_protects_itself(twins):
    """A firewall for the router's own sake leaves forwarding alone."""
    on_both(twins, [nft("inet", "input", "policy drop; tcp dport { 22, 179 } counter accept")])
    try:
        twins.daemon.assert_consistent()
        assert not reasons(twins, 4) | reasons(twins, 6)
        twins.compare([u4(), u6()], forwarded=2)
        twins.compare([u4(dst="10.0.0.1"), u6(dst="2001:db8::1")], forwarded=0)
    finally:
        on_both(twins, FLUSH)


def test_egress_qdisc(twins):
    on_both(twins, ["tc qdisc add dev p1 root tbf rate 1gbit burst 100k latency 10ms"])
    try:
        interfaces = lambda: twins.daemon.json("show", "interface")
        wait_until("p1 not used", lambda: not interfaces()["p1"]["xdpTransmit"], timeout=5)
        twins.compare([u4(), u6()], forwarded=0)
        twins.compare([u4(dst="20.1.0.1"), u6(dst="2001:db8:a001::1")], forwarded=2)  # by p2
    finally:
        on_both(twins, ["tc qdisc del dev p1 root"])
    wait_until("p1 used", lambda: interfaces()["p1"]["xdpTransmit"], timeout=5)
    twins.compare([u4(), u6()], forwarded=2)


def test_ipv6_mtu_below_the_devices(twins):
    on_both(twins, [sysctl("net.ipv6.conf.p1.mtu", 1300)])
    interfaces = lambda: twins.daemon.json("show", "interface")
    try:
        wait_until("the MTU", lambda: interfaces()["p1"]["mtu"] == 1300, timeout=5)
        twins.compare([u6(size=1200)], forwarded=1)
        twins.compare([u6(size=1300)], forwarded=0)  # answered with Packet Too Big
        twins.compare([u4(size=1300)])
    finally:
        on_both(twins, [sysctl("net.ipv6.conf.p1.mtu", 1500)])
    wait_until("the MTU", lambda: interfaces()["p1"]["mtu"] == 1500, timeout=5)
    twins.compare([u4(size=1300), u6(size=1300)], forwarded=2)
