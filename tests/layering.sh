#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The rules of doc/architecture.md that a program can check: pure code reaches out to nothing, who
# may include whom, sizes, licences, headers that compile alone. Runs in the build folder, under
# `make check`; prints each breach and fails.
set -u
LC_ALL=C
export LC_ALL
build=$PWD
cd "${srcdir:-.}" || exit 99
cc=${FX_CC:-cc}
nm=${NM:-nm}
faults=$(mktemp) || exit 99
trap 'rm -f "$faults"' EXIT

fault()
{
	printf '%s\n' "$*" | tee -a "$faults"
}

# ---- pure libraries ----

# Instrumented builds (sanitizers, coverage, fuzzer) bring names of their own.
instrumented='^(__asan|__odr_asan|__ubsan|__sanitizer|__sancov|__start___sanc|__stop___sanc|__gcov|__llvm|__msan|__lsan|__unnamed_|___asan|\.L|asan\.|llvm_|mangled_path)'
# What memory and text need; nothing that opens, reads a clock, keeps state or prints.
allowed='^(__)?(mem(chr|cmp|cpy|move|set|mem)|str(chr|chrnul|cmp|cpy|csp|cspn|cat|dup|len|ncat|ncmp|ncpy|ndup|nlen|pbrk|rchr|sep|spn|str|tok_r|toul|toull|casecmp|ncasecmp)|snprintf|vsnprintf)(_chk)?$'
allowed="$allowed"'|^(calloc|malloc|realloc|reallocarray|free|qsort|bsearch|inet_pton|inet_ntop)$'
allowed="$allowed"'|^(__isoc99_|__isoc23_)?(sscanf|strtoul|strtoull)$|^__ctype_b_loc$|^__errno_location$'
allowed="$allowed"'|^__stack_chk_fail$|^_GLOBAL_OFFSET_TABLE_$|^protobuf_c_'

pure_archives="$build/lib/libfxcore.a $build/fpm-xdp/libfpmcore.a $build/bfddp-xdp/libbfdcore.a"

members()
{
	ar t "$1" | grep '\.o$' | sed 's/\.o$//'
}

# protoc-c's code asserts that its caller gave it the right type.
check_symbols()
{
	# shellcheck disable=SC2086
	defined=$($nm --defined-only $pure_archives 2>/dev/null | awk 'NF == 3 { print $3 }')
	for archive in $pure_archives; do
		$nm --undefined-only "$archive" 2>/dev/null | awk '$1 == "U" { print $2 }' |
			sort -u | grep -Ev "$instrumented" | grep -Ev "$allowed" |
			while read -r symbol; do
				printf '%s\n' "$defined" | grep -qxF "$symbol" && continue
				[ "$symbol" = __assert_fail ] && assert_is_generated "$archive" && continue
				fault "${archive#"$build"/}: pure code reaches out to $symbol"
			done
	done
}

assert_is_generated()
{
	users=$($nm -A --undefined-only "$1" 2>/dev/null | grep '__assert_fail$' | grep -vc 'pb-c\.o')
	[ "$users" -eq 0 ]
}

check_state()
{
	for archive in $pure_archives "$build/cli/libfxcli.a"; do
		$nm -f sysv "$archive" 2>/dev/null | tr -d ' ' |
			awk -F'|' '$7 ~ /^\.(data|bss)|COM/ && $7 !~ /data\.rel\.ro/ { print $1 }' |
			grep -Ev "$instrumented" | sort -u |
			while read -r symbol; do
				fault "${archive#"$build"/}: writable data: $symbol"
			done
	done
}

# ---- includes ----

# FILE: lines "q path" and "s path", for "path" and <path>
includes()
{
	sed -n -e 's/^[ \t]*#[ \t]*include[ \t]*"\([^"]*\)".*/q \1/p' \
		-e 's/^[ \t]*#[ \t]*include[ \t]*<\([^>]*\)>.*/s \1/p' "$1"
}

# A module may stand in several files (kv_*.c of kernel_view.c).
module()
{
	name=${1##*/}
	name=${name%.[ch]}
	case $name in
	kv | kv_* | kernel_view) echo kernel_view ;;
	lpm | map_writer) echo map_writer ;;
	*) echo "$name" ;;
	esac
}

pure_names()
{
	for name in $(members "$build/lib/libfxcore.a"); do
		echo "lib/$name"
	done
	for name in $(members "$build/fpm-xdp/libfpmcore.a"); do
		echo "fpm-xdp/$name"
	done
	for name in $(members "$build/bfddp-xdp/libbfdcore.a"); do
		echo "bfddp-xdp/$name"
	done
}

# A header is pure if its .c is, or if it has none and is not part of an edge module.
is_pure_header()
{
	stem=${1%.h}
	printf '%s\n' "$pure" | grep -qxF "$stem" && return 0
	[ ! -e "$stem.c" ] && [ "$(module "$1")" != kernel_view ]
}

check_pure_includes()
{
	for stem in $pure; do
		for file in "$stem.c" "$stem.h"; do
			[ -e "$file" ] || continue
			includes "$file" | while read -r kind path; do
				pure_may_include "$kind" "$path" || fault "$file: pure, includes $path"
				case $file:$path in
				lib/*:*-xdp/* | lib/*:cli/*) fault "$file: lib includes $path" ;;
				fpm-xdp/*:bfddp-xdp/* | bfddp-xdp/*:fpm-xdp/*) fault "$file: the other daemon's $path" ;;
				esac
			done
		done
	done
}

pure_may_include()
{
	case $1:$2 in
	q:bpf/*.h | q:config.h | q:fpm-xdp/fpm.pb-c.h) return 0 ;;
	q:lib/*.h | q:fpm-xdp/*.h | q:bfddp-xdp/*.h) is_pure_header "$2" ;;
	s:linux/*.h | s:arpa/inet.h | s:sys/socket.h) return 0 ;; # numbers and names only
	s:*/*) return 1 ;;
	s:unistd.h | s:time.h | s:fcntl.h | s:poll.h | s:signal.h | s:pthread.h) return 1 ;;
	s:*) return 0 ;;
	*) return 1 ;;
	esac
}

check_edge_includes()
{
	for file in lib/*.[ch]; do
		includes "$file" | grep -E '^q (fpm-xdp|bfddp-xdp|cli|tests)/' | while read -r _ path; do
			fault "$file: lib includes $path"
		done
	done
	for file in fpm-xdp/*.[ch] bfddp-xdp/*.[ch] cli/*.[ch]; do
		includes "$file" | grep '^q ' | while read -r _ path; do
			edge_may_include "$file" "$path" || fault "$file: includes $path"
		done
	done
}

edge_may_include()
{
	case $1:$2 in
	*:tests/* | fpm-xdp/*:cli/* | cli/*:fpm-xdp/*) return 1 ;;
	# what main is made of: it alone knows all modules
	fpm-xdp/main.c:* | fpm-xdp/fpmd*:* | fpm-xdp/show*:* | fpm-xdp/check*:*) return 0 ;;
	bfddp-xdp/main.c:* | bfddp-xdp/bfdxd*:*) return 0 ;;
	fpm-xdp/*:fpm-xdp/*.pb-c.h) return 0 ;;
	fpm-xdp/*:fpm-xdp/* | bfddp-xdp/*:bfddp-xdp/*)
		[ "$(module "$1")" = "$(module "$2")" ] || is_pure_header "$2"
		;;
	*) return 0 ;;
	esac
}

check_bpf_includes()
{
	for file in bpf/*.[ch]; do
		includes "$file" | while read -r kind path; do
			case $kind:$path in
			q:bpf/*.h | s:linux/*.h | s:bpf/bpf_helpers.h | s:bpf/bpf_endian.h) ;;
			s:stddef.h | s:stdbool.h | s:stdint.h) ;;
			*) fault "$file: BPF includes $path" ;;
			esac
		done
	done
}

# Maps are touched in one file, programs attached in one.
check_doors()
{
	grep -lE '\bbpf_map_(update|delete|lookup)[a-z_]*\(' lib/*.c fpm-xdp/*.c bfddp-xdp/*.c cli/*.c |
		grep -vx 'lib/bpfmap.c' | while read -r file; do
		fault "$file: map access outside lib/bpfmap.c"
	done
	grep -lE '\bbpf_(link_create|xdp_attach|xdp_detach|set_link_xdp_fd)\(' lib/*.c fpm-xdp/*.c bfddp-xdp/*.c cli/*.c |
		grep -vx 'lib/xdp_attach.c' | while read -r file; do
		fault "$file: attaches outside lib/xdp_attach.c"
	done
}

# ---- sizes and licences ----

our_sources()
{
	find bpf lib fpm-xdp bfddp-xdp cli tests bench -name '*.[ch]' ! -name '*.pb-c.[ch]' ! -name '*.skel.h'
}

check_sizes()
{
	our_sources | while read -r file; do
		most=500
		case $file in tests/*) most=800 ;; esac # tables of cases
		lines=$(wc -l <"$file")
		[ "$lines" -le $most ] || echo "$file: $lines lines, more than $most"
		awk -v file="$file" '
			/^\{/ { start = NR }
			/^}/ && start {
				if (NR - start - 1 > 60)
					print file ":" start ": function of " NR - start - 1 " lines, more than 60"
				start = 0
			}' "$file"
	done | tee -a "$faults"
}

check_licences()
{
	find bpf lib fpm-xdp bfddp-xdp cli tests bench contrib doc m4 Makefile.am configure.ac run-* .ci \
		\( -name '*.[ch]' -o -name '*.py' -o -name '*.sh' -o -name '*.am' -o -name '*.ac' \
		-o -name '*.m4' -o -name '*.proto' -o -name 'run*' \) -type f \
		! -name '*.pb-c.[ch]' ! -name '*.skel.h' ! -path '*/__pycache__/*' 2>/dev/null |
		while read -r file; do
			case $file in m4/pkg.m4 | m4/lt*.m4 | m4/libtool.m4) continue ;; esac
			head -n 3 "$file" | grep -q 'SPDX-License-Identifier: ' ||
				fault "$file: no SPDX line in its first three"
		done
}

check_headers_alone()
{
	for file in bpf/fx_abi.h lib/*.h fpm-xdp/*.h bfddp-xdp/*.h cli/*.h tests/lib/*.h tests/fuzz/*.h; do
		case $file in *.pb-c.h | *.skel.h) continue ;; esac
		# without BPF there may be neither libevent nor libnl to include
		[ -z "${FX_BPF:-}" ] && ! is_pure_header "$file" && continue
		# shellcheck disable=SC2086
		printf '#include "%s"\n' "$file" | $cc -std=gnu11 -fsyntax-only -Wall -Werror -I. \
			-I"$build" ${FX_CPPFLAGS:-} -x c - >/dev/null 2>&1 ||
			fault "$file: does not compile alone"
	done
}

pure=$(pure_names)
[ -n "$pure" ] || fault "no pure library in $build"
check_symbols
check_state
check_pure_includes
check_edge_includes
check_bpf_includes
check_doors
check_sizes
check_licences
check_headers_alone
n=$(wc -l <"$faults")
echo "$n breaches"
[ "$n" -eq 0 ]
