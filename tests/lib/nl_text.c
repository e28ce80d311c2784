/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Netlink messages from text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <linux/rtnetlink.h>

#include "lib/addr.h"
#include "tests/lib/nl_text.h"
#include "tests/lib/vector.h"

#define DEPTH 8

struct builder {
	uint8_t *buf;
	size_t size, len;
	size_t open[DEPTH]; /* where the nests that are not closed yet begin */
	unsigned int depth;
	bool own_len;
};

static void put(struct builder *b, const void *data, size_t len)
{
	if (b->len + len > b->size)
		fail_msg("message too long for the test's buffer");
	memcpy(b->buf + b->len, data, len);
	b->len += len;
}

static void pad(struct builder *b)
{
	while (b->len % 4)
		put(b, "", 1);
}

static void put_header(struct builder *b, uint16_t type, uint16_t flags)
{
	struct nlmsghdr nlh = { .nlmsg_type = type, .nlmsg_flags = flags };

	put(b, &nlh, sizeof(nlh));
}

static size_t value_bytes(const char *text, uint8_t *buf, size_t size)
{
	struct fx_addr addr;
	unsigned int bits;
	uint32_t u32;
	uint16_t u16;
	int n;

	if (sscanf(text, "u%u:%u", &bits, &u32) == 2) {
		u16 = (uint16_t)u32;
		if (bits == 8)
			buf[0] = (uint8_t)u32;
		else
			memcpy(buf, bits == 16 ? (void *)&u16 : (void *)&u32, bits / 8);
		return bits / 8;
	}
	if (strpbrk(text, ".:") && !fx_addr_parse(text, &addr)) {
		memcpy(buf, addr.bytes, sizeof(addr.bytes));
		return fx_family_bits(addr.family) / 8;
	}
	n = vector_hex(text, buf, size);
	if (n < 0)
		fail_msg("no value: %s", text);
	return (size_t)n;
}

static void put_attr(struct builder *b, unsigned int type, const char *value)
{
	uint8_t data[4096];
	size_t len = value_bytes(value, data, sizeof(data));
	struct rtattr rta = { .rta_len = (uint16_t)(sizeof(rta) + len),
			      .rta_type = (uint16_t)type };

	put(b, &rta, sizeof(rta));
	put(b, data, len);
	pad(b);
}

static void open_nest(struct builder *b, const void *head, size_t len)
{
	if (b->depth == DEPTH)
		fail_msg("nested too deep");
	b->open[b->depth++] = b->len;
	put(b, head, len);
}

/* Both struct rtattr and struct rtnexthop begin with their length, 16 bits. */
static void close_nest(struct builder *b)
{
	size_t at = b->open[--b->depth];
	uint16_t len = (uint16_t)(b->len - at);

	memcpy(b->buf + at, &len, sizeof(len));
}

static bool header_word(struct builder *b, const char *word)
{
	static const struct {
		const char *word;
		uint16_t type, flags;
	} words[] = {
		{ "route+", RTM_NEWROUTE, 0x501 }, { "route-", RTM_DELROUTE, 0x401 },
		{ "nh+", RTM_NEWNEXTHOP, 0x501 },  { "nh-", RTM_DELNEXTHOP, 0x401 },
		{ "neigh+", RTM_NEWNEIGH, 0x501 }, { "neigh-", RTM_DELNEIGH, 0x401 },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(word, words[i].word) != 0)
			continue;
		put_header(b, words[i].type, words[i].flags);
		return true;
	}
	return false;
}

static bool field_word(struct builder *b, const char *word)
{
	struct nlmsghdr nlh;
	char name[8];
	int value;

	if (sscanf(word, "%7[a-z]=%i", name, &value) != 2)
		return false;
	if (!b->len)
		put_header(b, 0, 0);
	memcpy(&nlh, b->buf, sizeof(nlh));
	if (!strcmp(name, "type"))
		nlh.nlmsg_type = (uint16_t)value;
	else if (!strcmp(name, "flags"))
		nlh.nlmsg_flags = (uint16_t)value;
	else if (!strcmp(name, "pid"))
		nlh.nlmsg_pid = (uint32_t)value;
	else if (!strcmp(name, "len"))
		nlh.nlmsg_len = (uint32_t)value;
	else
		fail_msg("no field: %s", word);
	b->own_len |= !strcmp(name, "len");
	memcpy(b->buf, &nlh, sizeof(nlh));
	return true;
}

static void body_word(struct builder *b, char *word)
{
	unsigned int type, flags, hops, ifindex;
	char *equals = strchr(word, '=');
	uint8_t bytes[256];

	if (*word == '@') {
		type = (unsigned int)strtoul(word + 1, NULL, 10);
		value_bytes(equals + 1, b->buf + type, b->size - type);
	} else if (!strcmp(word, "}")) {
		close_nest(b);
	} else if (sscanf(word, "hop:%u:%u:%u{", &flags, &hops, &ifindex) == 3) {
		struct rtnexthop hop = { 0, (uint8_t)flags, (uint8_t)hops, (int)ifindex };

		open_nest(b, &hop, sizeof(hop));
	} else if (equals) {
		put_attr(b, (unsigned int)strtoul(word, NULL, 10), equals + 1);
	} else if (word[strlen(word) - 1] == '{') {
		struct rtattr rta = { 0, (uint16_t)(strtoul(word, NULL, 10) | NLA_F_NESTED) };

		open_nest(b, &rta, sizeof(rta));
	} else {
		put(b, bytes, value_bytes(word, bytes, sizeof(bytes)));
	}
}

size_t nl_text(const char *text, uint8_t *buf, size_t size)
{
	struct builder b = { .buf = buf, .size = size };
	char *copy = strdup(text), *save = NULL, *word;
	uint32_t len;

	assert_non_null(copy);
	for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		if (!header_word(&b, word) && !field_word(&b, word))
			body_word(&b, word);
	}
	free(copy);
	len = (uint32_t)b.len;
	if (!b.own_len)
		memcpy(buf, &len, sizeof(len));
	return b.len;
}
