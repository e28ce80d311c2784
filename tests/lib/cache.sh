# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Packages of other Debian suites than the machine's own, downloaded with a private apt state so that
# nothing of the machine's changes, and kept in $FRR_XDP_CACHE as archives. Sourced by frr_root and
# topotest_tree.

cache_dir=${FRR_XDP_CACHE:-/var/cache/frr-xdp}

# The mirror is the one that this machine already uses.
cache_mirror() {
	cat /etc/apt/sources.list.d/*.sources 2>/dev/null |
		awk '/^URIs:/ && $2 !~ /security/ { print $2; exit }' | grep . ||
		cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
		awk '$1 == "deb" { for (i = 2; i <= NF; i++)
			if ($i ~ /^https?:.*\/debian\/?$/) { print $i; exit } }' | grep .
}

# cache_apt_begin TYPE SUITE: $apt_home with an apt state for this suite; TYPE is deb or deb-src.
# Check-Valid-Until is off because a snapshot mirror's Release file may be older than it allows.
cache_apt_begin() {
	mirror=$(cache_mirror) || { echo "no Debian mirror in the apt sources" >&2; return 1; }
	apt_home=$(mktemp -d)
	chmod 755 "$apt_home"
	mkdir -p "$apt_home/state/lists/partial" "$apt_home/cache/archives/partial" \
		"$apt_home/etc/apt.conf.d" "$apt_home/etc/preferences.d"
	: >"$apt_home/state/status"
	echo "$1 [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $2 main" \
		>"$apt_home/etc/sources.list"
	cat >"$apt_home/apt.conf" <<-END
		Dir::State "$apt_home/state";
		Dir::State::status "$apt_home/state/status";
		Dir::Cache "$apt_home/cache";
		Dir::Etc "$apt_home/etc";
		Acquire::Check-Valid-Until "false";
		Acquire::Languages "none";
		Acquire::Retries "3";
		APT::Install-Recommends "false";
		APT::Sandbox::User "root";
	END
	export APT_CONFIG="$apt_home/apt.conf"
	apt-get -qq update </dev/null
}

cache_apt_end() {
	unset APT_CONFIG
	rm -rf "$apt_home"
}

# cache_store FOLDER ARCHIVE NAME...: never a half-written archive under its final name.
cache_store() {
	store_from=$1 store_to=$2
	shift 2
	mkdir -p "$cache_dir"
	tar -C "$store_from" --zstd -cf "$store_to.part.$$" "$@" && mv "$store_to.part.$$" "$store_to"
}
