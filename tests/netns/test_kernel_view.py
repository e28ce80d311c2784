# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel view alone, without the daemon: each change that a shell command makes is told, at once
where the kernel notifies, within a second where it has to be asked.
"""
import ctypes
import errno
import ipaddress
import os
import socket
import struct
import threading

import pytest

from kv import KernelView
from lab import run, wait_until

AT_ONCE = 0.9  # below the period of the poll: it came by notification


@pytest.fixture
def router(lab):
    """Two ports, p0 and p1, to the namespaces router.far[0] and [1]; hosts with addresses."""
    return lab.hosts("r", ports=2)


@pytest.fixture
def view(lab, router):
    made = lab.owns(KernelView(router))
    made.until("eligible", "p0", v4="yes", v6="yes")
    return made


def eligible(view, v4="yes", v6="yes", port="p0", timeout=AT_ONCE):
    view.until("eligible", port, timeout=timeout, v4=v4, v6=v6)


SYS_BPF, BPF_PROG_LOAD, BPF_OBJ_GET, BPF_LINK_CREATE = 321, 5, 7, 28  # x86-64
NETFILTER, TCX_INGRESS, TCX_EGRESS = 45, 46, 47


def bpf(command, attr):
    data = ctypes.create_string_buffer(attr, 128)
    libc = ctypes.CDLL(None, use_errno=True)
    result = libc.syscall(SYS_BPF, command, data, len(data))
    if result < 0:
        raise OSError(ctypes.get_errno(), "bpf")
    return result


def bpf_link(pin, namespace, interface, kind):
    """The descriptor of a link from the pinned program to a hook of the interface."""
    path = ctypes.create_string_buffer(pin.encode())
    program = bpf(BPF_OBJ_GET, struct.pack("=QII", ctypes.addressof(path), 0, 0))

    def create():
        index = socket.if_nametoindex(interface)
        return bpf(BPF_LINK_CREATE, struct.pack("=IIII", program, index, kind, 0))

    try:
        return namespace.call(create)
    finally:
        os.close(program)


def bpf_netfilter_program():
    """One that accepts: r0 = 1; exit."""
    code = ctypes.create_string_buffer(struct.pack("=BBhiBBhi", 0xB7, 0, 0, 1, 0x95, 0, 0, 0))
    terms = ctypes.create_string_buffer(b"GPL")
    attr = struct.pack("=IIQQ", 32, 2, ctypes.addressof(code), ctypes.addressof(terms))
    attr += struct.pack("=IIQII16sII", 0, 0, 0, 0, 0, b"", 0, NETFILTER)
    return bpf(BPF_PROG_LOAD, attr)


# ---- links ----


def test_links(router, view):
    assert (
        view.last("link", "p0").items()
        >= {
            "kind": "veth",
            "up": "1",
            "carrier": "1",
            "mtu": "1500",
            "mac": "02:00:00:00:01:00",
            "master": "-",
        }.items()
    )
    router.ip("link", "set", "p0", "mtu", 1400)
    view.until("link", "p0", mtu="1400")
    router.ip("link", "set", "p0", "address", "02:00:00:00:09:09")
    view.until("link", "p0", mac="02:00:00:00:09:09")
    router.far[0].ip("link", "set", "h0", "down")
    view.until("link", "p0", up="1", carrier="0")
    router.far[0].ip("link", "set", "h0", "up")
    view.until("link", "p0", up="1", carrier="1")
    router.ip("link", "set", "p0", "down")
    view.until("link", "p0", up="0")
    router.ip("link", "set", "p0", "name", "renamed")
    view.until("link", "renamed", up="0", mac="02:00:00:00:09:09")


def test_mtu_of_ipv6(router, view):
    """Linux compares what it forwards over IPv6 with a sysctl; nothing notifies of it."""
    router.sysctl(ipv6__conf__p0__mtu=1300)
    view.until("link", "p0", timeout=3, mtu="1300")
    router.ip("link", "set", "p0", "mtu", 1400)
    view.until("link", "p0", mtu="1400")


def test_link_that_moves_away_and_index_that_is_used_again(router, view):
    index = router.ip("-o", "link", "show", "p1").split(":")[0]
    router.ip("link", "set", "p1", "netns", router.far[1].name)
    view.expect("link_del p1")
    mark = view.mark()
    router.ip(*f"link add name again index {index} type bridge".split())
    view.expect("link again kind=bridge .*", since=mark)
    view.until("eligible", "again", v4="yes")


def test_bridge_port(router, view):
    router.ip("link", "add", "b0", "type", "bridge")
    router.ip("link", "set", "p1", "master", "b0")
    view.until("link", "p1", master="b0", master_kind="bridge")
    eligible(view, v4="enslaved", v6="enslaved", port="p1")
    mark = view.mark()
    router.ip("link", "set", "p1", "nomaster")
    view.until("link", "p1", master="-", master_kind="-")
    eligible(view, port="p1")
    # the bridge says RTM_DELLINK for its port, which is there all the same
    assert not any(line.startswith("link_del p1") for line in view.lines(mark))


def test_devices_above(router, view):
    router.ip(*"link add above link p1 type macvlan mode bridge".split())
    view.expect("link above kind=macvlan .*")
    view.settle()
    eligible(view, port="p1")
    router.ip("link", "del", "above")
    router.ip(*"link add above link p1 type macvlan mode passthru".split())
    eligible(view, v4="device-above", v6="device-above", port="p1")
    eligible(view)
    router.ip("link", "del", "above")
    eligible(view, port="p1")


# ---- XDP transmit ----


def test_transmit_follows_the_peer_in_another_namespace(router, view):
    far = router.far[0]
    view.until("link", "p0", tx="1", sg="1")  # the lab's far ends have native XDP
    far.ip("link", "set", "h0", "xdpdrv", "off")
    view.until("link", "p0", timeout=AT_ONCE, tx="0", sg="0")
    far.run("ethtool", "-K", "h0", "gro", "on")
    view.until("link", "p0", timeout=AT_ONCE, tx="1", sg="1")
    far.run("ethtool", "-K", "h0", "gro", "off")
    view.until("link", "p0", timeout=AT_ONCE, tx="0")


def test_transmit_on_kernels_without_the_netdev_family(lab, router):
    old = lab.owns(KernelView(router, "kv_print_old"))
    old.until("link", "p0", tx="1", sg="1")
    router.far[0].ip("link", "set", "h0", "xdpdrv", "off")
    old.until("link", "p0", timeout=AT_ONCE, tx="0", sg="0")
    router.far[0].run("ethtool", "-K", "h0", "gro", "on")  # works, but cannot be seen
    router.far[0].ip("link", "set", "h0", "xdpdrv", "obj", lab.xdp_pass, "sec", "xdp.frags")
    old.until("link", "p0", timeout=AT_ONCE, tx="1", sg="1")


def test_own_program_is_told(lab, router, view):
    router.ip("link", "set", "p0", "xdpdrv", "obj", lab.xdp_pass, "sec", "xdp.frags")
    view.until("link", "p0", mode="1")
    assert view.last("link", "p0")["xdp"] != "0"
    router.ip("link", "set", "p0", "xdpdrv", "off")
    view.until("link", "p0", mode="0", xdp="0")


def test_egress_qdisc_ends_transmit(router, view):
    view.until("link", "p0", tx="1", shaped="0")
    router.run("tc", *"qdisc add dev p0 root tbf rate 1gbit burst 100k latency 10ms".split())
    view.until("link", "p0", timeout=AT_ONCE, tx="0", sg="0", shaped="1")
    eligible(view)
    router.run("tc", *"qdisc replace dev p0 root pfifo limit 5".split())  # somebody wanted it
    view.until("link", "p0", timeout=AT_ONCE, tx="0", shaped="1")
    router.run("tc", *"qdisc del dev p0 root".split())
    view.until("link", "p0", timeout=AT_ONCE, tx="1", sg="1", shaped="0")


# ---- eligibility ----


def test_forwarding_off(router, view):
    router.sysctl(ipv4__conf__p0__forwarding=0)
    eligible(view, v4="forwarding-off")
    router.sysctl(ipv4__conf__p0__forwarding=1)
    eligible(view)
    router.sysctl(ipv4__ip_forward=0)
    eligible(view, v4="forwarding-off")
    router.sysctl(ipv4__ip_forward=1, ipv6__conf__all__forwarding=0)
    eligible(view, v6="forwarding-off")


def test_source_validation(router, view):
    router.sysctl(ipv4__conf__all__rp_filter=2)
    eligible(view, v4="rp-filter")
    eligible(view, v4="rp-filter", port="p1")
    router.sysctl(ipv4__conf__all__rp_filter=0)
    eligible(view)
    router.sysctl(ipv4__conf__p1__rp_filter=1)
    eligible(view, v4="rp-filter", port="p1")
    assert view.last("eligible", "p0")["v4"] == "yes"


def test_ipv6_switched_off(router, view):
    router.sysctl(ipv6__conf__p0__disable_ipv6=1)
    eligible(view, v6="ipv6-disabled")
    router.sysctl(ipv6__conf__p0__disable_ipv6=0)
    router.ip("addr", "add", "2001:db8:77::1/64", "dev", "p0")
    eligible(view, timeout=5)
    router.sysctl(ipv6__conf__all__proxy_ndp=1)
    eligible(view, v6="proxy-ndp")


def test_ipv6_switched_off_where_no_address_shows_it(router, view):
    router.ip("-6", "addr", "flush", "dev", "p0")
    view.settle()
    router.sysctl(ipv6__conf__p0__disable_ipv6=1)
    eligible(view, v6="ipv6-disabled", timeout=3)


def test_rules(router, view):
    router.ip("rule", "add", "pref", 100, "from", "192.0.2.0/24", "table", 100)
    eligible(view, v4="policy-rules")
    router.ip("rule", "del", "pref", 100)
    eligible(view)
    router.ip("-6", "rule", "add", "pref", 100, "fwmark", 1, "table", 100)
    eligible(view, v6="policy-rules")
    router.ip("-6", "rule", "del", "pref", 100)
    eligible(view)
    router.ip("rule", "del", "pref", 32766)  # "main" is no longer looked up
    eligible(view, v4="policy-rules")
    router.ip("rule", "add", "pref", 32766, "table", "main")
    eligible(view)
    router.ip("rule", "add", "pref", 32766, "table", "main", "suppress_prefixlength", 0)
    eligible(view, v4="policy-rules")


def test_ingress_qdisc(router, view):
    router.run("tc", "qdisc", "add", "dev", "p0", "clsact")
    eligible(view, v4="ingress-qdisc", v6="ingress-qdisc")
    assert view.last("eligible", "p1")["v4"] == "yes"
    router.run("tc", "qdisc", "del", "dev", "p0", "clsact")
    eligible(view)


def test_tcx(lab, router, view, tmp_path):
    """tc's programs without a qdisc (Linux 6.6): nothing notifies, so within a second."""
    pin = f"/sys/fs/bpf/{router.name}"
    source = tmp_path / "tcx.c"
    source.write_text(
        '__attribute__((section("tc"), used)) int pass(void *skb) { return -1; }\n'
        'char terms[] __attribute__((section("license"), used)) = "GPL";\n'
    )
    run("clang", "-target", "bpf", "-O2", "-c", source, "-o", tmp_path / "tcx.o")
    run("bpftool", "prog", "load", tmp_path / "tcx.o", pin, "type", "classifier")
    lab.defer(os.unlink, pin)
    try:
        link = bpf_link(pin, router, "p0", TCX_INGRESS)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        pytest.skip("this kernel has no tcx")
    try:
        eligible(view, v4="ingress-qdisc", v6="ingress-qdisc", timeout=2)
    finally:
        os.close(link)
    eligible(view, timeout=2)
    link = bpf_link(pin, router, "p0", TCX_EGRESS)
    try:
        view.until("link", "p0", timeout=2, tx="0", shaped="1")
    finally:
        os.close(link)
    view.until("link", "p0", timeout=2, tx="1", shaped="0")


BASE = "table {family} t {{ chain c {{ type {type} hook {hook} priority 0; {rest}; }}\n}}"


def base(family, hook, rest, kind="filter"):
    return BASE.format(family=family, type=kind, hook=hook, rest=rest)


@pytest.mark.parametrize(
    "rules, v4, v6",
    [
        (base("inet", "forward", "policy drop"), True, True),
        (base("inet", "forward", "counter"), True, True),
        (base("ip", "prerouting", "counter"), True, False),
        (base("ip6", "postrouting", "ip6 hoplimit 9"), False, True),
        (base("netdev", "ingress device p1", "counter"), True, True),
        (base("bridge", "forward", "policy drop"), False, False),
        (base("ip", "output", "policy accept", kind="nat"), True, False),
        (base("inet", "forward", "policy accept"), False, False),
        (
            base(
                "inet",
                "input",
                "policy drop; iif lo accept; tcp dport { 22, 179 } counter accept;"
                " limit rate 5/second accept",
            ),
            False,
            False,
        ),
        (base("ip6", "input", "ct state established,related accept"), False, True),
        ("table ip t { chain unused { ct state new counter; }\n}", True, False),
        ("table ip t { }", False, False),
    ],
)
def test_nftables(router, view, rules, v4, v6):
    router.run("nft", "-f", "-", input=rules)
    wanted = {"v4": "netfilter" if v4 else "yes", "v6": "netfilter" if v6 else "yes"}
    if v4 or v6:
        eligible(view, **wanted)
    view.settle()
    assert view.last("eligible", "p0") == wanted
    router.run("nft", "flush", "ruleset")
    eligible(view)


def test_nftables_rule_in_a_chain_that_was_idle(router, view):
    router.run("nft", "add table ip t; add chain ip t c { type filter hook forward priority 0; }")
    view.settle()
    assert view.last("eligible", "p0")["v4"] == "yes"
    router.run("nft", "add rule ip t c counter")
    eligible(view, v4="netfilter")
    router.run("nft", "flush chain ip t c")
    eligible(view)
    router.run("nft", "chain ip t c { policy drop; }")
    eligible(view, v4="netfilter")


def test_nftables_elements_change_nothing(router, view):
    router.run("nft", "add table ip t; add set ip t s { type ipv4_addr; }")
    router.run("nft", "add chain ip t c { type filter hook input priority 0; }")
    router.run("nft", "add rule ip t c ip saddr @s drop")
    view.settle()
    mark = view.mark()
    for i in range(20):
        router.run("nft", f"add element ip t s {{ 192.0.2.{i} }}")
    view.settle()
    assert not [line for line in view.lines(mark) if line.startswith("eligible ")]


def test_nftables_that_were_there_before(lab, router):
    router.run("nft", "add table ip t; add chain ip t c { type nat hook postrouting priority 0; }")
    late = lab.owns(KernelView(router))
    late.until("eligible", "p0", v4="netfilter", v6="yes")


@pytest.mark.parametrize("family, v4, v6", [("", "netfilter", "yes"), ("6", "yes", "netfilter")])
def test_iptables_legacy(router, view, family, v4, v6):
    """Nothing notifies of these tables: within a second."""
    tool = f"ip{family}tables-legacy"
    done = router.run(tool, "-L", check=False)  # makes the table
    if done.returncode:
        pytest.skip(f"{tool}: {done.stderr.strip()}")
    router.run(tool, "-A", "FORWARD", "-j", "ACCEPT")
    eligible(view, v4=v4, v6=v6, timeout=3)
    router.run(tool, "-F")
    eligible(view, timeout=3)
    router.run(tool, "-P", "FORWARD", "DROP")
    eligible(view, v4=v4, v6=v6, timeout=3)
    router.run(tool, "-P", "FORWARD", "ACCEPT")
    eligible(view, timeout=3)
    router.run(tool, "-N", "own")
    eligible(view, v4=v4, v6=v6, timeout=3)


@pytest.mark.alone
def test_netfilter_program(router, view):
    program = bpf_netfilter_program()
    try:
        link = router.call(
            lambda: bpf(BPF_LINK_CREATE, struct.pack("=8I", program, 0, NETFILTER, 0, 2, 2, 1, 0))
        )
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        pytest.skip("this kernel has no programs of type netfilter")
    finally:
        os.close(program)
    try:
        eligible(view, v4="netfilter", v6="netfilter", timeout=3)
    finally:
        os.close(link)
    eligible(view, timeout=3)


def test_ipsec(router, view):
    router.ip(
        *"xfrm policy add src 192.0.2.0/24 dst 198.51.100.0/24 dir fwd".split(),
        *"tmpl src 10.0.0.1 dst 10.0.0.2 proto esp mode tunnel".split(),
    )
    eligible(view, v4="ipsec", v6="ipsec")
    router.ip("xfrm", "policy", "flush")
    eligible(view)
    router.ip("xfrm", "policy", "setdefault", "fwd", "block")
    eligible(view, v4="ipsec", v6="ipsec")


# ---- neighbours ----


def test_neighbours(router, view):
    router.ip(*"neigh add 10.0.0.9 lladdr 02:00:00:00:00:09 dev p0 nud permanent".split())
    view.until("neigh", "p0 10.0.0.9", mac="02:00:00:00:00:09", nud="0x80")
    router.ip(*"neigh replace 10.0.0.9 lladdr 02:00:00:00:00:0a dev p0 nud permanent".split())
    view.until("neigh", "p0 10.0.0.9", mac="02:00:00:00:00:0a")
    router.ip(*"neigh replace 10.0.0.9 dev p0 nud failed".split())
    view.expect("neigh_del p0 10.0.0.9")
    router.ip(*"neigh add 2001:db8::9 lladdr 02:00:00:00:00:09 dev p0 nud stale".split())
    view.until("neigh", "p0 2001:db8::9", nud="0x04")
    router.ip("link", "set", "p0", "down")
    view.expect("neigh_del p0 2001:db8::9")


@pytest.mark.parametrize("address, family", [("10.0.0.2", "ipv4"), ("2001:db8::2", "ipv6")])
def test_use_resolves_and_probes(router, view, address, family):
    router.sysctl(**{f"{family}__neigh__p0__delay_first_probe_time": 0})
    mark = view.mark()
    assert view.answer("use", "p0", address) == "0"
    reachable = f"neigh p0 {address} mac=02:00:00:00:02:00 nud=0x02"
    view.expect(reachable, since=mark)
    router.ip(
        "neigh", "replace", address, "lladdr", "02:00:00:00:02:00", "dev", "p0", "nud", "stale"
    )
    view.until("neigh", f"p0 {address}", nud="0x04")
    mark = view.mark()
    assert view.answer("use", "p0", address) == "0"
    view.expect(reachable, since=mark)


def test_use_of_what_is_not_there_disturbs_nothing(router, view):
    router.ip("link", "set", "p1", "down")
    view.answer("use", "p1", "10.0.1.2")
    view.answer("use", "p0", "203.0.113.1")  # off link: solicited for in vain
    view.settle()
    assert view.stats()["errors"] == 0


# ---- routes ----


def test_routes(router, view):
    router.batch(
        [
            "nexthop add id 1 via 10.0.0.2 dev p0",
            "nexthop add id 2 via 10.0.1.2 dev p1",
            "nexthop add id 3 group 1,3/2",
            "route add 192.0.2.0/24 nhid 3",
            "route add 198.51.100.0/24 nexthop via 10.0.0.2 weight 2 nexthop via 10.0.1.2",
            "route add blackhole 203.0.113.0/24",
            "route add 203.0.113.128/25 via inet6 2001:db8:1::2 dev p1",
            "route add 2001:db8:aa::/48 via 2001:db8::2 metric 10",
            "route append 2001:db8:aa::/48 via 2001:db8:1::2 metric 10",
            "route add table 100 192.0.2.0/24 via 10.0.0.2",
        ]
    )
    view.expect(r"nexthop nh=1 via=10.0.0.2@p0\*1")
    view.expect(r"nexthop nh=3 member=1\*3 member=2\*1")
    view.expect(r"route 192.0.2.0/24 table=254 .* nh=3 .*")
    view.expect(r"route 198.51.100.0/24 .* via=10.0.0.2@p0\*2 via=10.0.1.2@p1\*1")
    view.expect(r"route 203.0.113.0/24 table=254 type=6 .*")
    view.expect(r"route 203.0.113.128/25 .* via=2001:db8:1::2@p1\*1")
    view.expect(r"route 2001:db8:aa::/48 .* via=2001:db8:1::2@p1\*1 via=2001:db8::2@p0\*1")
    view.expect(r"route 192.0.2.0/24 table=100 .*")
    router.ip("route", "del", "192.0.2.0/24")
    view.expect(r"route_del 192.0.2.0/24 table=254 .*")


def test_link_down_resyncs_what_the_kernel_dropped_silently(router, view):
    router.ip("route", "add", "192.0.2.0/24", "via", "10.0.1.2")
    router.ip(
        "route",
        "add",
        "198.51.100.0/24",
        "nexthop",
        "via",
        "10.0.0.2",
        "nexthop",
        "via",
        "10.0.1.2",
    )
    wait_until("the route", lambda: ("192.0.2.0/24", 254) in view.routes())
    router.ip("link", "set", "p1", "down")
    wait_until("the route to go", lambda: ("192.0.2.0/24", 254) not in view.routes())
    assert ("198.51.100.0/24", 254) in view.routes()


def test_address_deletion_resyncs(router, view):
    router.ip("addr", "add", "10.9.0.1/24", "dev", "p0")
    router.ip("route", "add", "192.0.2.0/24", "via", "10.0.0.2", "src", "10.9.0.1")
    wait_until("the route", lambda: ("192.0.2.0/24", 254) in view.routes())
    router.ip("addr", "del", "10.9.0.1/24", "dev", "p0")
    wait_until("the route to go", lambda: ("192.0.2.0/24", 254) not in view.routes())


def test_overrun(router, view):
    """A reader that stands still while more comes than its buffer holds is in step afterwards."""
    base = int(ipaddress.ip_address("20.0.0.0"))
    prefixes = [f"{ipaddress.ip_address(base + 256 * i)}/24" for i in range(200_000)]
    router.ip(*"neigh add 10.0.0.9 lladdr 02:00:00:00:00:09 dev p0 nud permanent".split())
    view.until("neigh", "p0 10.0.0.9", nud="0x80")
    view.pause()
    try:
        router.batch(f"route add {p} via 10.0.0.2" for p in prefixes)
        router.batch(f"route del {p}" for p in prefixes[100:])
        router.ip("neigh", "del", "10.0.0.9", "dev", "p0")
        router.ip("link", "add", "late", "type", "bridge")
        router.ip("link", "del", "p1")
    finally:
        view.resume()
    wait_until("an overrun", lambda: view.stats()["overruns"], timeout=30)
    wait_until("the view to be in step", lambda: view.stats()["synced"], timeout=30)
    held = {p for p, table in view.routes() if table == 254 and p.startswith("20.")}
    assert held == set(prefixes[:100])
    view.expect("neigh_del p0 10.0.0.9")
    view.expect("link_del p1")
    view.expect("link late .*")


def test_resync_while_the_table_changes(router, view):
    """Dumps of a table that changes all the time lose nothing that stays, and keep nothing that went."""
    stays = [f"30.{i // 256}.{i % 256}.0/24" for i in range(20_000)]
    comes = [f"40.{i // 256}.{i % 256}.0/24" for i in range(20_000)]
    router.batch(f"route add {p} via 10.0.0.2" for p in stays)
    before = view.stats()["resyncs"]
    churn = [f"route add {p} via 10.0.1.2" for p in comes]
    churn += [f"route del {p}" for p in comes[1000:]]
    churn = threading.Thread(target=router.batch, args=(churn,))
    churn.start()
    while churn.is_alive():
        view.command("resync")
        churn.join(0.15)
    wait_until("a resync", lambda: view.stats()["resyncs"] > before)
    view.settle()
    held = {p for p, table in view.routes() if table == 254 and p[:3] in ("30.", "40.")}
    assert held == set(stays) | set(comes[:1000])


# ---- questions ----


def test_snapshot_and_ports(router, view):
    lines = router.ip("-4", "route", "show", "table", "all").splitlines()
    lines += router.ip("-6", "route", "show", "table", "all").splitlines()
    routes = [line for line in lines if not line.startswith(("\t", " "))]
    assert view.answer("snapshot") == f"0 routes={len(routes)}"
    ports = router.run("awk", "$2 == 0 && $3 != 0 { print $3 }", "/proc/net/netlink").split()
    assert ports
    assert view.answer("local", ports[0]) == "1"
    assert view.answer("local", 12345678) == "0"
