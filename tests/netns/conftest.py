# SPDX-License-Identifier: GPL-2.0-or-later
"""Fixtures: a lab of one's own for each test, with whatever it starts ended in the right order."""
import dataclasses
import itertools
import os
import re

import pytest

import bfd_peers
import frr
import lab as lab_module
import xdp
import wire

_numbers = itertools.count()
_versions = {}
VERSIONS = [v for v in os.environ.get("FRR_XDP_VERSIONS", "8.4 10.3 10.7").split()]


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: left out by run-tests --quick")
    config.addinivalue_line("markers", "bfd: keeps sessions up, so not many at once")
    config.addinivalue_line(
        "markers", "alone: disturbs others, or is disturbed, if run beside them"
    )


def pytest_collection_modifyitems(items):
    """FRR 8.4 has no route-replace to switch off: what is left then is a test that we have already."""

    def means_something(item):
        params = getattr(item, "callspec", None) and item.callspec.params or {}
        return params.get("version") != "8.4" or "no-replace" not in params.get("mode", "")

    items[:] = [item for item in items if means_something(item)]
    for item in items:
        # Peers in userspace (bfdd, BIRD) lose sessions on a machine that is kept busy.
        if item.path.name.startswith("test_bfd_"):
            item.add_marker(pytest.mark.bfd)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Lets fixtures see whether the test itself failed."""
    outcome = yield
    setattr(item, "report_" + call.when, outcome.get_result())


@pytest.fixture(scope="session")
def xdp_pass(tmp_path_factory):
    obj = tmp_path_factory.mktemp("bpf") / "xdp_pass.bpf.o"
    source = os.path.join(os.path.dirname(__file__), "xdp_pass.bpf.c")
    multiarch = lab_module.run("gcc", "-print-multiarch").strip()
    flags = ["-target", "bpf", "-O2", "-g", f"-I/usr/include/{multiarch}"]
    lab_module.run("clang", *flags, "-c", source, "-o", obj)
    return obj


@pytest.fixture(scope="session")
def frr_folder(tmp_path_factory):
    return os.environ.get("FRR_XDP_ROOTS") or tmp_path_factory.mktemp("frr")


@pytest.fixture
def lab(xdp_pass):
    made = lab_module.Lab(f"{os.getpid()}-{next(_numbers)}", xdp_pass)
    yield made
    made.close()


@pytest.fixture
def logs(request, tmp_path):
    """The test's folder for logs, shown when it fails."""
    yield tmp_path
    report = getattr(request.node, "report_call", None)
    if report is None or not report.failed:
        return
    for log in sorted(tmp_path.glob("*.log")):
        text = log.read_text(errors="replace")
        print(f"---- {log.name}\n{text[-3000:]}")


@pytest.fixture
def daemon(request, lab, logs):
    """daemon(router, *options): fpm-xdp there, ready. Afterwards nothing may differ from the plan."""
    started = []

    def start(router, *options):
        tag = re.sub("[^a-z0-9]", "", lab.tag) + f"x{len(started)}"
        made = lab.owns(xdp.FpmXdp(router, tag, logs))
        started.append(made)
        return made.start(*(options or [w for i in range(router.ports) for w in ("-i", f"p{i}")]))

    yield start
    report = getattr(request.node, "report_call", None)
    for made in started:
        if made.running() and report is not None and report.passed:
            made.assert_consistent()


@pytest.fixture
def frr_at(lab, logs, frr_folder):
    """frr_at(namespace, *daemons, version=): FRR there; skipped when the version cannot be had."""
    count = itertools.count()

    def start(namespace, *daemons, version="8.4", **options):
        if version not in _versions:
            try:
                _versions[version] = frr.obtain(version, frr_folder)
            except frr.Absent as error:
                _versions[version] = error
        if isinstance(_versions[version], frr.Absent):
            pytest.skip(str(_versions[version]))
        tag = re.sub("[^a-z0-9]", "", lab.tag) + f"f{next(count)}"
        instance = lab.owns(frr.Frr(_versions[version], namespace, tag, logs))
        return instance.start(*daemons, **options)

    return start


@pytest.fixture(params=VERSIONS)
def version(request):
    return request.param


@pytest.fixture
def ports(lab):
    def opened(router):
        return lab.owns(wire.Ports(router))

    return opened


@dataclasses.dataclass
class BfdRouter:
    """A router whose bfdd hands its sessions to bfddp-xdp."""

    frr: frr.Frr
    bfdd: bfd_peers.Bfdd
    xdp: xdp.BfddpXdp


@pytest.fixture
def bfd_at(lab, logs, frr_at):
    """bfd_at(router, *daemons, version=, options=, client=): bfdd there, and bfddp-xdp connected
    to it. client: it is bfdd that connects, which FRR 8.4 cannot."""
    count = itertools.count()

    def start(router, *daemons, version="8.4", options=(), zebra=(), client=False):
        tag = re.sub("[^a-z0-9]", "", lab.tag) + f"b{next(count)}"
        made = lab.owns(xdp.BfddpXdp(router, tag, logs))
        socket_name = f"/run/frr/{tag}.bfddp"
        theirs = "ipv4c:127.0.0.1:50700" if client else f"unix:{socket_name}"
        dplane = ("--dplaneaddr", theirs)
        frr_here = frr_at(router, "bfdd", *daemons, version=version, zebra=zebra, bfdd=dplane)
        # Both forms of bfdd's option are limited to 63 characters, which a root's path may exceed.
        path, link = frr_here.version.root / socket_name.lstrip("/"), f"/run/{tag}.bfddp"
        os.symlink(path, link)
        lab.defer(os.unlink, link)
        lab.defer(lambda: path.unlink(missing_ok=True))
        made.start("--dplaneaddr", theirs if client else f"unix:{link}", *options)
        return BfdRouter(frr_here, bfd_peers.Bfdd(frr_here), made)

    return start
