/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Route and nexthop changes written in words, in ip-route's manner; see rt_words.c. */
#ifndef FX_TESTS_LIB_RT_WORDS_H
#define FX_TESTS_LIB_RT_WORDS_H

#include "fpm-xdp/rt_op.h"

/* The change that the words say; valid until the next call. Exits on words that it does not know.
 */
struct rt_op *rt_words(const char *words);

#endif
