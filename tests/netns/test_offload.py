# SPDX-License-Identifier: GPL-2.0-or-later
"""Offload status to zebra: what it shows of each route, in the versions that take it."""
import pytest

import lab as lab_module
from test_routes import start, wait_connected

OPTIONS = ("-i", "p0", "-i", "p1", "-i", "p2", "--offload-status")


def shown(frr, prefix):
    return frr.json(f"show ip route {prefix} json").get(prefix, [{}])[0]


@pytest.mark.parametrize("options", [(), ("--asic-offload=notify_on_offload",)])
def test_zebra_shows_what_is_offloaded(lab, daemon, frr_at, options):
    router = lab.bench("r", 3)
    xdp = daemon(router, *OPTIONS)
    frr = start(frr_at, router, "10.7", "groups", "staticd", more=options)
    wait_connected(xdp)
    frr.configure("ip route 40.0.0.0/8 10.0.1.2\nip route 42.0.0.0/8 blackhole\n")
    for prefix in ("40.0.0.0/8", "42.0.0.0/8"):
        xdp.wait_offloaded(prefix)
        lab_module.wait_until(
            f"zebra shows {prefix} offloaded",
            lambda p=prefix: shown(frr, p).get("offloaded") is True,
        )
    frr.configure("no ip route 40.0.0.0/8 10.0.1.2\nip route 40.0.0.0/8 10.0.2.2\n")
    xdp.wait_offloaded("40.0.0.0/8", ["10.0.2.2"])
    lab_module.wait_until(
        "zebra shows the changed route offloaded",
        lambda: shown(frr, "40.0.0.0/8").get("offloaded") is True,
    )
    assert xdp.json("show", "summary")["offloadStatus"] is True


def test_zebra_shows_what_found_no_room(lab, daemon, frr_at):
    router = lab.bench("r", 3)
    xdp = daemon(router, *OPTIONS, "--max-prefixes", "60")
    frr = start(
        frr_at, router, "10.7", "groups", "staticd", more=("--asic-offload=notify_on_offload",)
    )
    wait_connected(xdp)
    lines = [f"ip route 40.0.{n}.0/24 10.0.1.2\n" for n in range(80)]
    frr.configure("".join(lines))

    def marks():
        lines = [l for l in frr.vtysh("show ip route static").splitlines() if l.startswith("S")]
        return {line[:4].strip() for line in lines}

    lab_module.wait_until("some routes failed", lambda: any("o" in mark for mark in marks()))
    assert xdp.json("show", "summary")["routes"]["refused"] > 0
    # A route that found no room is a difference, rightly; without it there is none.
    frr.configure("".join("no " + line for line in lines))


def test_a_version_that_takes_no_status_is_not_harmed(lab, daemon, frr_at, version):
    router = lab.bench("r", 3)
    xdp = daemon(router, *OPTIONS)
    frr = start(frr_at, router, version, "groups", "staticd")
    wait_connected(xdp)
    frr.configure("".join(f"ip route 40.0.{n}.0/24 10.0.1.2\n" for n in range(200)))
    xdp.wait_offloaded("40.0.199.0/24")
    frr.configure("ip route 41.0.0.0/8 10.0.2.2\n")
    xdp.wait_offloaded("41.0.0.0/8")
    assert xdp.json("show", "summary")["fpm"]["connections"] == 1
