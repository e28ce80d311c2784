/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "bpf/fx_parse.h"
#include "cli/command.h"
#include "lib/addr.h"

#define TAKES_JSON  (1u << 0)
#define TAKES_ROUTE (1u << 1) /* [PREFIX|ADDRESS [from SRC [PROTO [SPORT DPORT]]]] */
#define TAKES_COUNT (1u << 2) /* [--count N] */
#define TAKES_BRIEF (1u << 3) /* [brief] */
#define WORDS_MAX   3

struct command_form {
	const char *words[WORDS_MAX];
	enum command_id id;
	unsigned int takes;
};

static const struct command_form forms[] = {
	{ { "show", "summary" }, COMMAND_SHOW_SUMMARY, TAKES_JSON },
	{ { "show", "route" }, COMMAND_SHOW_ROUTE, TAKES_JSON | TAKES_ROUTE },
	{ { "show", "nexthop-group" }, COMMAND_SHOW_GROUP, TAKES_JSON },
	{ { "show", "neighbor" }, COMMAND_SHOW_NEIGHBOR, TAKES_JSON },
	{ { "show", "interface" }, COMMAND_SHOW_INTERFACE, TAKES_JSON },
	{ { "show", "counters" }, COMMAND_SHOW_COUNTERS, TAKES_JSON },
	{ { "show", "consistency" }, COMMAND_SHOW_CONSISTENCY, TAKES_JSON },
	{ { "show", "bfd", "peers" }, COMMAND_SHOW_BFD_PEERS, TAKES_JSON | TAKES_BRIEF },
	{ { "show", "bfd", "counters" }, COMMAND_SHOW_BFD_COUNTERS, TAKES_JSON },
	{ { "show", "bfd", "summary" }, COMMAND_SHOW_BFD_SUMMARY, TAKES_JSON },
	{ { "clear", "counters" }, COMMAND_CLEAR_COUNTERS, TAKES_JSON },
	{ { "monitor", NULL }, COMMAND_MONITOR, TAKES_COUNT },
	{ { "detach", NULL }, COMMAND_DETACH, TAKES_JSON },
	{ { "doctor", NULL }, COMMAND_DOCTOR, TAKES_JSON },
};

#define NFORMS (sizeof(forms) / sizeof(forms[0]))

static int form_words(const struct command_form *form)
{
	int n = 0;

	while (n < WORDS_MAX && form->words[n])
		n++;
	return n;
}

/* 0: no. 1: argv begins with the form's words, some cut short. 2: in full. */
static int form_match(const struct command_form *form, int argc, char *const *argv)
{
	int i, words = form_words(form), full = 2;

	if (argc < words)
		return 0;
	for (i = 0; i < words; i++) {
		if (!argv[i][0] || strncmp(argv[i], form->words[i], strlen(argv[i])) != 0)
			return 0;
		if (strcmp(argv[i], form->words[i]) != 0)
			full = 1;
	}
	return full;
}

/* Whether argv, all of it, is the beginning of the form's words, some cut short. */
static bool form_begins(const struct command_form *form, int argc, char *const *argv)
{
	int i;

	if (argc >= form_words(form))
		return false;
	for (i = 0; i < argc; i++)
		if (!argv[i][0] || strncmp(argv[i], form->words[i], strlen(argv[i])) != 0)
			return false;
	return true;
}

/* Letters that must be changed, added or taken away to make one word of the other, up to 3. */
static unsigned int word_distance(const char *a, const char *b, unsigned int limit)
{
	unsigned int change, add, drop;

	while (*a && *a == *b) {
		a++;
		b++;
	}
	if (!limit || (!*a && !*b))
		return *a || *b;
	change = *a && *b ? word_distance(a + 1, b + 1, limit - 1) : limit;
	add = *b ? word_distance(a, b + 1, limit - 1) : limit;
	drop = *a ? word_distance(a + 1, b, limit - 1) : limit;
	change = change < add ? change : add;
	return 1 + (change < drop ? change : drop);
}

/* The words that may stand behind the first n of argv, each once. */
static void form_next(int n, char *const *argv, char *buf, size_t size)
{
	const char *last = "";
	size_t i, len = 0;

	buf[0] = '\0';
	for (i = 0; i < NFORMS; i++) {
		if (!form_begins(&forms[i], n, argv) || strcmp(last, forms[i].words[n]) == 0)
			continue;
		last = forms[i].words[n];
		len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? ", " : "", last);
		if (len >= size)
			return;
	}
}

/* The word that may stand behind the first n of argv and was most likely meant; NULL: none. */
static const char *form_meant(int n, char *const *argv)
{
	size_t i;

	for (i = 0; i < NFORMS; i++)
		if (strlen(argv[n]) > 2 && form_begins(&forms[i], n, argv) &&
		    word_distance(argv[n], forms[i].words[n], 2) <= 2)
			return forms[i].words[n];
	return NULL;
}

/* How many words of argv are understood, as the beginning of some form. */
static int form_depth(int argc, char *const *argv)
{
	size_t i;
	int n;

	for (n = argc < WORDS_MAX ? argc : WORDS_MAX; n > 0; n--)
		for (i = 0; i < NFORMS; i++)
			if (form_begins(&forms[i], n, argv))
				return n;
	return 0;
}

static void form_complain(int argc, char *const *argv, char *error, size_t size)
{
	int depth = form_depth(argc, argv);
	const char *meant = depth < argc ? form_meant(depth, argv) : NULL;
	char next[128];

	form_next(depth, argv, next, sizeof(next));
	if (depth == argc)
		snprintf(error, size, "incomplete command: %s ... (%s)", argv[argc - 1], next);
	else if (meant)
		snprintf(error, size, "unknown command: %s (did you mean \"%s\"?)", argv[depth],
			 meant);
	else
		snprintf(error, size, "unknown command: %s (one of %s)", argv[depth], next);
}

static const struct command_form *form_find(int argc, char *const *argv, char *error, size_t size)
{
	const struct command_form *found = NULL;
	size_t i;
	int match, best = 0, same = 0;

	for (i = 0; i < NFORMS; i++) {
		match = form_match(&forms[i], argc, argv);
		if (match > best) {
			best = match;
			found = &forms[i];
			same = 1;
		} else if (match && match == best) {
			same++;
		}
	}
	if (same == 1)
		return found;
	if (found)
		snprintf(error, size, "ambiguous command: %s%s%s", argv[0], argc > 1 ? " " : "",
			 argc > 1 ? argv[1] : "");
	else
		form_complain(argc, argv, error, size);
	return NULL;
}

static int number_parse(const char *text, unsigned long max, unsigned long *ret)
{
	char *end;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	*ret = strtoul(text, &end, 10);
	return errno || *end || *ret > max ? -EINVAL : 0;
}

/* The names that /etc/protocols gives to what has ports, and ICMP. */
static int protocol_parse(const char *text, unsigned long *ret)
{
	static const struct {
		const char *name;
		unsigned long number;
	} names[] = { { "icmp", 1 }, { "tcp", 6 },    { "udp", 17 },
		      { "gre", 47 }, { "icmp6", 58 }, { "sctp", 132 } };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(text, names[i].name) == 0) {
			*ret = names[i].number;
			return 0;
		}
	}
	return number_parse(text, 255, ret);
}

static int fail(char *error, size_t size, const char *what, const char *word)
{
	snprintf(error, size, "%s: %s", what, word);
	return -EINVAL;
}

/* [from SRC [PROTO [SPORT DPORT]]] */
static int flow_parse(int argc, char *const *argv, uint8_t family, struct command *ret, char *error,
		      size_t size)
{
	size_t n = strlen(ret->request);
	struct fx_addr src;
	char text[FX_ADDR_STRLEN];
	unsigned long proto, sport = 0, dport = 0;

	if (!argc)
		return 0;
	if (strcmp(argv[0], "from") != 0)
		return fail(error, size, "\"from\" expected", argv[0]);
	if (argc != 2 && argc != 3 && argc != 5)
		return fail(error, size, "usage", "from SOURCE [PROTOCOL [SPORT DPORT]]");
	if (fx_addr_parse(argv[1], &src) < 0 || src.family != family)
		return fail(error, size, "not an address of the same family", argv[1]);
	n += (size_t)snprintf(ret->request + n, sizeof(ret->request) - n, " from %s",
			      fx_addr_str(&src, text));
	if (argc == 2)
		return 0;
	if (protocol_parse(argv[2], &proto) < 0)
		return fail(error, size,
			    "not a protocol (a number, or tcp, udp, icmp, icmp6, gre, sctp)",
			    argv[2]);
	if (argc == 3 && fx_proto_has_ports((uint8_t)proto))
		return fail(error, size, "ports missing", "from SOURCE PROTOCOL SPORT DPORT");
	if (argc == 5 && number_parse(argv[3], 65535, &sport) < 0)
		return fail(error, size, "not a port", argv[3]);
	if (argc == 5 && number_parse(argv[4], 65535, &dport) < 0)
		return fail(error, size, "not a port", argv[4]);
	snprintf(ret->request + n, sizeof(ret->request) - n, " %lu %lu %lu", proto, sport, dport);
	return 0;
}

static int route_parse(int argc, char *const *argv, struct command *ret, char *error, size_t size)
{
	char text[FX_PREFIX_STRLEN];
	struct fx_prefix prefix;
	struct fx_addr addr;
	size_t n = strlen(ret->request);

	if (!argc)
		return 0;
	if (strchr(argv[0], '/')) {
		if (fx_prefix_parse(argv[0], &prefix) < 0)
			return fail(error, size, "not a prefix (host bits set?)", argv[0]);
		if (argc > 1)
			return fail(error, size, "too many words", argv[1]);
		snprintf(ret->request + n, sizeof(ret->request) - n, " %s",
			 fx_prefix_str(&prefix, text));
		return 0;
	}
	if (fx_addr_parse(argv[0], &addr) < 0)
		return fail(error, size, "neither an address nor a prefix", argv[0]);
	ret->id = COMMAND_SHOW_ROUTE_LOOKUP;
	snprintf(ret->request + n, sizeof(ret->request) - n, " %s", fx_addr_str(&addr, text));
	return flow_parse(argc - 1, argv + 1, addr.family, ret, error, size);
}

static void form_request(const struct command_form *form, struct command *ret)
{
	size_t n = 0;
	int i;

	for (i = 0; i < form_words(form); i++)
		n += (size_t)snprintf(ret->request + n, sizeof(ret->request) - n, "%s%s",
				      i ? " " : "", form->words[i]);
}

int command_parse(int argc, char *const *argv, struct command *ret, char *error, size_t size)
{
	const struct command_form *form;
	struct command command = { 0 };
	int words, err = 0;

	if (argc < 1)
		return fail(error, size, "command missing", "show, clear, monitor, doctor, detach");
	form = form_find(argc, argv, error, size);
	if (!form)
		return -EINVAL;
	command.id = form->id;
	words = form_words(form);
	form_request(form, &command);
	argc -= words;
	argv += words;
	if (argc && form->takes & TAKES_JSON && strcmp(argv[argc - 1], "json") == 0) {
		command.json = true;
		argc--;
	}
	if (argc && form->takes & TAKES_BRIEF && strcmp(argv[argc - 1], "brief") == 0) {
		command.brief = true;
		argc--;
	}
	if (argc == 1 && form->takes & TAKES_COUNT && strcmp(argv[0], "--count") == 0)
		return fail(error, size, "incomplete command", "--count N");
	if (argc == 2 && form->takes & TAKES_COUNT && strcmp(argv[0], "--count") == 0) {
		if (number_parse(argv[1], 1000000000, &command.count) < 0 || !command.count)
			return fail(error, size, "not a count", argv[1]);
		argc = 0;
	}
	if (form->takes & TAKES_ROUTE)
		err = route_parse(argc, argv, &command, error, size);
	else if (argc)
		err = fail(error, size, "too many words", argv[0]);
	if (!err)
		*ret = command;
	return err;
}
