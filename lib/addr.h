/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses and prefixes of both families, in network byte order. Pure. */
#ifndef FX_LIB_ADDR_H
#define FX_LIB_ADDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FX_AF_INET	 2u /* the values of AF_INET and AF_INET6 on Linux */
#define FX_AF_INET6	 10u

#define FX_ADDR_STRLEN	 46 /* INET6_ADDRSTRLEN */
#define FX_PREFIX_STRLEN 50

struct fx_addr {
	uint8_t family;	   /* FX_AF_INET, FX_AF_INET6, or 0: none */
	uint8_t bytes[16]; /* IPv4: the first 4; the rest is zero */
};

struct fx_prefix {
	uint8_t family;
	uint8_t len; /* 0..32 or 0..128; host bits of bytes are zero */
	uint8_t bytes[16];
};

/* Bits in an address of this family; 0 for an unknown one. */
unsigned int fx_family_bits(uint8_t family);

/* 0, or -EINVAL for text that is no address; *ret is untouched then. */
int fx_addr_parse(const char *text, struct fx_addr *ret);
/* "ADDRESS" alone is a host prefix. -EINVAL also when host bits are set. */
int fx_prefix_parse(const char *text, struct fx_prefix *ret);

/* Both write a string into buf (FX_ADDR_STRLEN, FX_PREFIX_STRLEN bytes) and return it. */
const char *fx_addr_str(const struct fx_addr *addr, char *buf);
const char *fx_prefix_str(const struct fx_prefix *prefix, char *buf);

bool fx_addr_equal(const struct fx_addr *a, const struct fx_addr *b);
bool fx_addr_is_zero(const struct fx_addr *addr);
bool fx_prefix_equal(const struct fx_prefix *a, const struct fx_prefix *b);
/* Clears the bits behind prefix->len. */
void fx_prefix_mask(struct fx_prefix *prefix);
bool fx_prefix_contains(const struct fx_prefix *prefix, const struct fx_addr *addr);

#endif
