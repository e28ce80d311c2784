/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A struct rt_op as one line, for expectations in tests (grammar: tests/vectors/README.md):
 *
 *	route add 192.0.2.0/24 table 254 proto 196 unicast metric 20 nexthop via 10.0.0.2 dev 6
 *weight 1 nh add 33 proto 11 group 32*1 34*1 skip mpls
 */
#ifndef FX_TESTS_OP_TEXT_H
#define FX_TESTS_OP_TEXT_H

#include <stddef.h>

#include "fpm-xdp/rt_op.h"

/* Writes at most size bytes, cut off if need be, and returns buf. */
const char *op_text(const struct rt_op *op, char *buf, size_t size);

#endif
