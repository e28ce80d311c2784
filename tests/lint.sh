#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Static checks of the sources, cheap enough for every run. One line each: ok, failed or skipped.
set -u
cd "$(dirname "$0")/.." || exit 1

sources() {
	find . -path './build*' -prune -o -path ./.git -prune -o -path ./autom4te.cache -prune -o \
		-type f "$@" -print
}

check() {
	what=$1
	shift
	if "$@"; then echo "ok: $what"; else echo "failed: $what"; fi
}

# check_with TOOL WHAT COMMAND...
check_with() {
	tool=$1 what=$2
	shift 2
	if command -v "$tool" >/dev/null; then
		check "$what" "$@"
	else
		echo "skipped: $what: $tool is not installed"
	fi
}

shell_files() {
	sources \( -name '*.sh' -o ! -name '*.*' \) ! -path './build-aux/*' |
		while read -r file; do
			case $(head -c 20 "$file" | tr -d '\0') in
			'#!/bin/sh'* | '#!/bin/bash'*) [ "$file" = ./configure ] || echo "$file" ;;
			esac
		done
	echo ./tests/lib/packages.sh
	echo ./tests/lib/cache.sh
}

shell_is_clean() {
	shell_files | xargs shellcheck -x
}

# Names the files, not each line: clang-format -i mends them.
c_is_formatted() {
	! sources \( -name '*.c' -o -name '*.h' \) ! -name '*.skel.h' ! -name '*.pb-c.*' ! -name config.h |
		xargs clang-format --dry-run -Werror 2>&1 | sed -n 's/^\([^ :]*\):[0-9].*/\1/p' | sort -u | grep .
}

python_files() {
	sources -name '*.py'
	sources ! -name '*.*' | xargs grep -l '^#!/usr/bin/.*python3'
}

python_is_formatted() {
	python_files | xargs black -q -l 100 --check
}

no_blank_ends() {
	! sources \( -name '*.[chsm]' -o -name '*.py' -o -name '*.sh' -o -name '*.md' -o -name '*.am' \) |
		grep -v '^./tests/fuzz/corpus/' | xargs grep -nE '[[:blank:]]+$'
}

check_with shellcheck "shell scripts (shellcheck)" shell_is_clean
check_with clang-format "C sources (clang-format)" c_is_formatted
check_with black "Python sources (black)" python_is_formatted
check "no blanks at line ends" no_blank_ends
