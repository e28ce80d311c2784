# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2034 # the lists are for those who source this
# The Debian packages that building, running and testing need: the one list. Sourced by run-tests
# and run-lab; packages_install WHAT... installs what is missing of these groups.

packages_build="gcc libc6-dev make autoconf automake pkg-config clang llvm bpftool linux-libc-dev \
libbpf-dev libelf-dev zlib1g-dev libnl-3-dev libnl-genl-3-dev libevent-dev libjson-c-dev \
libprotobuf-c-dev protobuf-c-compiler libcmocka-dev"
packages_lab="frr iproute2 ethtool procps util-linux kmod iputils-ping python3"
packages_test="frr-pythontools python3-pytest python3-pytest-xdist python3-scapy nftables iptables shellcheck clang-format black \
tar zstd xz-utils dpkg-dev ca-certificates python3-xmltodict python3-pytest-asyncio net-tools tcpdump \
bird2"

packages_missing() {
	for package in "$@"; do
		dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null |
			grep -qx installed || printf '%s ' "$package"
	done
}

# A package's daemons must not start on the machine that only wants their programs:
# invoke-rc.d(8) asks /usr/sbin/policy-rc.d, and 101 is its word for "not allowed".
packages_guard() {
	if [ -e /usr/sbin/policy-rc.d ]; then
		mv /usr/sbin/policy-rc.d /usr/sbin/policy-rc.d.frr-xdp
	fi
	printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
	chmod 755 /usr/sbin/policy-rc.d
}

packages_unguard() {
	rm -f /usr/sbin/policy-rc.d
	if [ -e /usr/sbin/policy-rc.d.frr-xdp ]; then
		mv /usr/sbin/policy-rc.d.frr-xdp /usr/sbin/policy-rc.d
	fi
}

packages_apt() {
	DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Acquire::Retries=3 \
		-o Dpkg::Options::=--force-confold "$@" </dev/null
}

# packages_install PACKAGE...: 0, or what apt-get says. Needs root only if something is missing.
packages_install() {
	missing=$(packages_missing "$@")
	[ -n "$missing" ] || return 0
	command -v apt-get >/dev/null || {
		echo "missing: $missing" >&2
		echo "this script installs on Debian only; install these by hand" >&2
		return 1
	}
	echo "installing: $missing"
	trap 'packages_unguard' EXIT
	trap 'exit 130' INT TERM
	packages_guard
	status=0
	# shellcheck disable=SC2086 # a list of names
	packages_apt update && packages_apt install --no-install-recommends $missing || status=$?
	packages_unguard
	trap - EXIT INT TERM
	return $status
}
