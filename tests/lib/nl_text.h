/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Netlink messages from a line of text, good and bad ones: all lengths are right unless said
 * otherwise. Words, separated by blanks:
 *
 *	route+ route- nh+ nh- neigh+ neigh-   the header; flags 0x501 for +, 0x401 for -
 *	type=N flags=N pid=N len=N	      its fields
 *	HEX				      bytes as they are: struct rtmsg and the like
 *	N=VALUE				      attribute N. VALUE: HEX, u8:N, u16:N, u32:N or an
 *address N{ ... }			      attribute N with attributes in it, NLA_F_NESTED set
 *	hop:FLAGS:HOPS:IFINDEX{ ... }	      struct rtnexthop
 *	@OFFSET=HEX			      overwrites bytes that are there already
 */
#ifndef FX_TESTS_NL_TEXT_H
#define FX_TESTS_NL_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* The length of the message; the running test fails if the text is not understood. */
size_t nl_text(const char *text, uint8_t *buf, size_t size);

#endif
