# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Building out of tree, for run-tests and run-lab. Sourced; the caller sets $top.

# build_make FOLDER FLAGS TARGET: output to FOLDER-TARGET.log, its end shown on failure.
build_make() {
	(cd "$1" && make -s -j"$(nproc)" CFLAGS="-g -O2 $2" BPF_CLANG="clang $2" "$3") \
		>"$1-$3.log" 2>&1 </dev/null || {
		tail -n 40 "$1-$3.log"
		return 1
	}
}

# build_tree FOLDER FLAGS [CONFIGURE-OPTION...]: everything, ready to run from there.
build_tree() {
	build_folder=$1 build_flags=$2
	shift 2
	mkdir -p "$build_folder"
	[ -x "$top/configure" ] || "$top/autogen.sh" >"$build_folder-autogen.log" 2>&1 || {
		tail -n 20 "$build_folder-autogen.log"
		return 1
	}
	if [ ! -f "$build_folder/Makefile" ]; then
		(cd "$build_folder" && "$top/configure" -q --prefix=/usr --sysconfdir=/etc \
			--runstatedir=/run --localstatedir=/var "$@") >"$build_folder-configure.log" 2>&1 || {
			tail -n 20 "$build_folder-configure.log"
			return 1
		}
	fi
	build_make "$build_folder" "$build_flags" all
}

# The programs' maps live there.
build_mount_bpf() {
	grep -q ' /sys/fs/bpf bpf ' /proc/mounts || mount -t bpf bpf /sys/fs/bpf
}
