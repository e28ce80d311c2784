# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Bash completion of frr-xdp(8): the words of its commands.

_frr_xdp()
{
	local cur=${COMP_WORDS[COMP_CWORD]} words='' i=1

	# options and their values come before the command
	while [[ $i -lt $COMP_CWORD && ${COMP_WORDS[i]} == -* ]]; do
		case ${COMP_WORDS[i]} in
		-N | --pathspace | --frr-etc | --run-dir) ((i++)) ;;
		esac
		((i++))
	done
	case $((COMP_CWORD - i)):${COMP_WORDS[i]} in
	0:*) words='show clear monitor doctor detach -N --pathspace --frr-etc --run-dir --help --version' ;;
	1:show) words='summary route nexthop-group neighbor interface counters consistency bfd' ;;
	1:clear) words='counters' ;;
	1:monitor) words='--count' ;;
	1:doctor | 1:detach) words='json' ;;
	2:show | 2:clear)
		words='json'
		[[ ${COMP_WORDS[i + 1]} == bfd ]] && words='peers counters summary'
		;;
	3:show)
		[[ ${COMP_WORDS[i + 1]} == route ]] && words='from json'
		[[ ${COMP_WORDS[i + 1]} == bfd ]] && words='brief json'
		;;
	5:show) [[ ${COMP_WORDS[i + 1]} == route ]] && words='tcp udp icmp icmp6 sctp json' ;;
	8:show) [[ ${COMP_WORDS[i + 1]} == route ]] && words='json' ;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}

complete -F _frr_xdp frr-xdp
