# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Bash completion of frr-xdp(8): the words of its commands, also behind words cut short.

# _frr_xdp_word WORD CANDIDATE...: sets REPLY to the one that WORD is or alone begins, else to WORD
_frr_xdp_word()
{
	local word=$1 one found=''
	shift
	REPLY=$word
	for one; do
		[[ $one == "$word" ]] && return
		[[ -n $word && $one == "$word"* ]] && found+=" $one"
	done
	# shellcheck disable=SC2086 # words
	set -- $found
	[[ $# -eq 1 ]] && REPLY=$1
}

# What may stand behind the words so far, each in full.
_frr_xdp_next()
{
	case "$*" in
	'') echo 'show clear monitor doctor detach help' ;;
	show) echo 'summary route nexthop-group neighbor interface counters consistency bfd' ;;
	clear) echo 'counters' ;;
	monitor) echo '--count' ;;
	'show bfd') echo 'peers counters summary' ;;
	'show bfd peers') echo 'brief json' ;;
	'show route '*' from '*' '*' '*' '*) echo 'json' ;;
	'show route '*' from '*' icmp' | 'show route '*' from '*' icmp6' | \
		'show route '*' from '*' gre') echo 'json' ;;
	'show route '*' from '*' '*) ;;
	'show route '*' from '*) echo 'tcp udp icmp icmp6 gre sctp json' ;;
	'show route '*' from' | *json | *help | 'monitor '*) ;;
	'show route '*) echo 'from json' ;;
	*) echo 'json' ;;
	esac
}

_frr_xdp()
{
	local cur=${COMP_WORDS[COMP_CWORD]} words i=1 REPLY
	local -a said=()

	# options and their values come before the command
	while [[ $i -lt $COMP_CWORD && ${COMP_WORDS[i]} == -* ]]; do
		case ${COMP_WORDS[i]} in
		-N | --pathspace | --frr-etc | --run-dir) ((i++)) ;;
		esac
		((i++))
	done
	for (( ; i < COMP_CWORD; i++)); do
		# shellcheck disable=SC2046 # words
		_frr_xdp_word "${COMP_WORDS[i]}" $(_frr_xdp_next "${said[@]}")
		said+=("$REPLY")
	done
	words=$(_frr_xdp_next "${said[@]}")
	[[ ${#said[@]} -eq 0 ]] && words+=' -N --pathspace --frr-etc --run-dir --help --version'
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}

complete -F _frr_xdp frr-xdp
