/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses and prefixes: text, comparison, masks. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/addr.h"

unsigned int fx_family_bits(uint8_t family)
{
	switch (family) {
	case FX_AF_INET:
		return 32;
	case FX_AF_INET6:
		return 128;
	}
	return 0;
}

int fx_addr_parse(const char *text, struct fx_addr *ret)
{
	struct fx_addr addr = { 0 };

	addr.family = strchr(text, ':') ? FX_AF_INET6 : FX_AF_INET;
	if (inet_pton(addr.family, text, addr.bytes) != 1)
		return -EINVAL;
	*ret = addr;
	return 0;
}

int fx_prefix_parse(const char *text, struct fx_prefix *ret)
{
	const char *slash = strchr(text, '/');
	size_t n = slash ? (size_t)(slash - text) : strlen(text);
	char buf[FX_ADDR_STRLEN];
	struct fx_prefix prefix, masked;
	struct fx_addr addr;
	unsigned int len = 0;
	const char *p;

	if (n >= sizeof(buf))
		return -EINVAL;
	memcpy(buf, text, n);
	buf[n] = '\0';
	if (fx_addr_parse(buf, &addr) < 0)
		return -EINVAL;
	if (slash) {
		if (!slash[1] || strlen(slash + 1) > 3)
			return -EINVAL;
		for (p = slash + 1; *p; p++) {
			if (*p < '0' || *p > '9')
				return -EINVAL;
			len = len * 10 + (unsigned int)(*p - '0');
		}
	} else {
		len = fx_family_bits(addr.family);
	}
	if (len > fx_family_bits(addr.family))
		return -EINVAL;
	prefix = (struct fx_prefix){ .family = addr.family, .len = (uint8_t)len };
	memcpy(prefix.bytes, addr.bytes, sizeof(prefix.bytes));
	masked = prefix;
	fx_prefix_mask(&masked);
	if (!fx_prefix_equal(&prefix, &masked))
		return -EINVAL;
	*ret = prefix;
	return 0;
}

const char *fx_addr_str(const struct fx_addr *addr, char *buf)
{
	if (!fx_family_bits(addr->family) ||
	    !inet_ntop(addr->family, addr->bytes, buf, FX_ADDR_STRLEN))
		strcpy(buf, "-");
	return buf;
}

const char *fx_prefix_str(const struct fx_prefix *prefix, char *buf)
{
	struct fx_addr addr = { .family = prefix->family };
	size_t n;

	memcpy(addr.bytes, prefix->bytes, sizeof(addr.bytes));
	fx_addr_str(&addr, buf);
	n = strlen(buf);
	snprintf(buf + n, FX_PREFIX_STRLEN - n, "/%u", prefix->len);
	return buf;
}

bool fx_addr_equal(const struct fx_addr *a, const struct fx_addr *b)
{
	return a->family == b->family && !memcmp(a->bytes, b->bytes, sizeof(a->bytes));
}

bool fx_addr_is_zero(const struct fx_addr *addr)
{
	static const uint8_t zero[16];

	return !memcmp(addr->bytes, zero, sizeof(zero));
}

bool fx_prefix_equal(const struct fx_prefix *a, const struct fx_prefix *b)
{
	return a->family == b->family && a->len == b->len &&
	       !memcmp(a->bytes, b->bytes, sizeof(a->bytes));
}

void fx_prefix_mask(struct fx_prefix *prefix)
{
	unsigned int byte = prefix->len / 8, bit = prefix->len % 8;

	if (byte >= sizeof(prefix->bytes))
		return;
	if (bit) {
		prefix->bytes[byte] &= (uint8_t)(0xff00 >> bit);
		byte++;
	}
	memset(prefix->bytes + byte, 0, sizeof(prefix->bytes) - byte);
}

bool fx_prefix_contains(const struct fx_prefix *prefix, const struct fx_addr *addr)
{
	unsigned int byte = prefix->len / 8, bit = prefix->len % 8;

	if (prefix->family != addr->family || memcmp(prefix->bytes, addr->bytes, byte) != 0)
		return false;
	return !bit || !((prefix->bytes[byte] ^ addr->bytes[byte]) & (0xff00 >> bit) & 0xff);
}
