#!/usr/bin/env python
# SPDX-License-Identifier: GPL-2.0-or-later
"""
r1 between r2 and r3, BGP on both sides; fpm-xdp on r1 forwards between them.

    r2 ---- eth0 r1 eth1 ---- r3

fpm-xdp and frr-xdp are taken from $FRR_XDP_BUILD, a build folder, or else from PATH.
"""
import functools
import json
import os
import shutil
import subprocess
import sys

import pytest

CWD = os.path.dirname(os.path.realpath(__file__))
sys.path.append(os.path.join(CWD, "../"))

# pylint: disable=C0413
from lib import topotest
from lib.topogen import Topogen, TopoRouter, get_topogen

pytestmark = [pytest.mark.bgpd, pytest.mark.staticd]

PATHSPACE = "topo" + os.urandom(3).hex()
running = {}


def program(name):
    build = os.environ.get("FRR_XDP_BUILD")
    folder = {"fpm-xdp": "fpm-xdp", "frr-xdp": "cli"}[name]
    return os.path.join(build, folder, name) if build else shutil.which(name)


def build_topo(tgen):
    for name in ("r1", "r2", "r3"):
        tgen.add_router(name)
    tgen.add_link(tgen.gears["r1"], tgen.gears["r2"], "r1-eth0", "r2-eth0")
    tgen.add_link(tgen.gears["r1"], tgen.gears["r3"], "r1-eth1", "r3-eth0")


def setup_module(mod):
    if not program("fpm-xdp"):
        pytest.skip("fpm-xdp is not in PATH and FRR_XDP_BUILD is not set")
    tgen = Topogen(build_topo, mod.__name__)
    tgen.start_topology()
    r1 = tgen.gears["r1"]
    for name in ("r2", "r3"):
        # A veth takes frames that XDP sends only if its peer has GRO or XDP, and checksums that
        # are left to the hardware would never be filled in.
        tgen.gears[name].run("ethtool -K %s-eth0 gro on tx off" % name)
    # munet leaves it down; zebra and fpm-xdp talk over it.
    r1.run("ip link set lo up")
    r1.run("sysctl -w net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.default.rp_filter=0")
    for interface in ("r1-eth0", "r1-eth1"):
        r1.run("sysctl -w net.ipv4.conf.%s.rp_filter=0" % interface)
    # The listener first: zebra connects once when it starts and then only every three seconds.
    log = open(os.path.join(tgen.logdir, "r1", "fpm-xdp.log"), "w")
    argv = [program("fpm-xdp"), "-N", PATHSPACE, "-i", "r1-eth0", "-i", "r1-eth1"]
    running["fpm-xdp"] = r1.popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    for name, router in tgen.routers().items():
        options = "-M dplane_fpm_nl" if name == "r1" else ""
        router.load_config(TopoRouter.RD_ZEBRA, os.path.join(CWD, name, "zebra.conf"), options)
        router.load_config(TopoRouter.RD_BGP, os.path.join(CWD, name, "bgpd.conf"))
    r1.load_config(TopoRouter.RD_STATIC, os.path.join(CWD, "r1/staticd.conf"))
    tgen.start_router()
    # Said twice: a zebra 10.7 that is being configured by the framework at the same moment may have
    # left out the lines of its file.
    for name, router in tgen.routers().items():
        for part in ("zebra.conf", "staticd.conf", "bgpd.conf"):
            path = os.path.join(CWD, name, part)
            if os.path.exists(path):
                with open(path, encoding="utf-8") as lines:
                    router.vtysh_cmd("configure terminal\n" + lines.read())


def teardown_module(mod):
    tgen = get_topogen()
    if tgen is None:
        return
    process = running.get("fpm-xdp")
    if process is not None:
        frr_xdp("detach")
        if process.poll() is None:
            process.terminate()
        process.wait(timeout=10)
    tgen.stop_topology()


def frr_xdp(words):
    return get_topogen().gears["r1"].run("%s -N %s %s" % (program("frr-xdp"), PATHSPACE, words))


def shown(words):
    try:
        return json.loads(frr_xdp("show %s json" % words))
    except ValueError:
        return {}


def expect(what, function, value=True, count=60):
    ok, last = topotest.run_and_expect(function, value, count=count, wait=0.5)
    assert ok, "%s: %s" % (what, last)


def offloaded(prefix):
    return any(entry["state"] == "offloaded" for entry in shown("route").get(prefix, []))


def plain(text):
    """In a test's name "::" would be taken for the end of the file's (conftest.py of FRR)."""
    return text.replace(":", "-").replace("/", "-")


def skip_on_failure():
    tgen = get_topogen()
    if tgen.routers_have_failure():
        pytest.skip(tgen.errors)
    return tgen


def test_zebra_connects():
    skip_on_failure()
    expect("FPM connection", lambda: shown("summary").get("fpm", {}).get("connected"))


@pytest.mark.parametrize(
    "prefix",
    [
        "10.62.1.0/24",
        "10.62.2.0/24",
        "10.63.0.0/16",
        "2001:db8:62:1::/64",
        "2001:db8:62:2::/64",
        "2001:db8:63::/48",
    ],
    ids=plain,
)
def test_route_is_offloaded(prefix):
    skip_on_failure()
    expect("%s offloaded" % prefix, functools.partial(offloaded, prefix))


@pytest.mark.parametrize(
    "src, dst",
    [("10.62.1.1", "10.62.2.1"), ("2001:db8:62:1::1", "2001:db8:62:2::1")],
    ids=plain,
)
def test_traffic_crosses_in_xdp(src, dst):
    tgen = skip_on_failure()
    ping = "ping -I %s -c 5 -i 0.2 -W 1 %s" % (src, dst)

    def answered():
        return " 0% packet loss" in tgen.gears["r2"].run(ping)

    def forwarded():
        interfaces = shown("counters")["interfaces"]
        return [interfaces[name]["forwarded"] for name in ("r1-eth0", "r1-eth1")]

    expect("%s answers" % dst, answered, count=20)
    before = forwarded()
    assert answered()
    after = forwarded()
    assert all(b - a >= 5 for a, b in zip(before, after)), (before, after)


def test_withdrawn_route_is_gone():
    tgen = skip_on_failure()
    tgen.gears["r3"].vtysh_cmd(
        "configure terminal\nrouter bgp 65003\naddress-family ipv4 unicast\nno network 10.62.2.0/24"
    )
    expect("10.62.2.0/24 gone", lambda: "10.62.2.0/24" not in shown("route"))


def test_nothing_differs():
    skip_on_failure()
    expect("no differences", lambda: shown("consistency").get("differences"), [])


if __name__ == "__main__":
    sys.exit(pytest.main(["-s"] + sys.argv[1:]))
