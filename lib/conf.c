/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The configuration file: lines to words to a value. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/conf.h"

#define CONF_MAX_WORDS 8
#define CONF_MAX_LINE  256

struct conf_parser {
	struct conf conf;
	struct conf_error *error;
	char interface[CONF_IFNAMSIZ]; /* "": at the top level */
	bool inside;		       /* no "!" alone has ended what is said of it */
	const char *line;	       /* without what is blank around it, line_len bytes */
	int line_len;
	bool ended;
};

void conf_init(struct conf *conf)
{
	*conf = (struct conf){
		.fpm_addr = { .family = FX_AF_INET, .bytes = { 127, 0, 0, 1 } },
		.fpm_port = CONF_FPM_PORT,
		.max_prefixes = CONF_MAX_PREFIXES,
	};
}

void conf_forget_interfaces(struct conf *conf)
{
	free(conf->interfaces);
	conf->interfaces = NULL;
	conf->ninterfaces = 0;
}

void conf_done(struct conf *conf)
{
	conf_forget_interfaces(conf);
}

const struct conf_interface *conf_find(const struct conf *conf, const char *name)
{
	size_t i;

	for (i = 0; i < conf->ninterfaces; i++)
		if (!strcmp(conf->interfaces[i].name, name))
			return &conf->interfaces[i];
	return NULL;
}

bool conf_selects(const struct conf *conf)
{
	size_t i;

	for (i = 0; i < conf->ninterfaces; i++)
		if (conf->interfaces[i].forwarding)
			return true;
	return false;
}

/* What dev_valid_name() of Linux 6.1 net/core/dev.c takes. */
static bool conf_valid_ifname(const char *name)
{
	const char *p;

	if (!*name || strlen(name) >= CONF_IFNAMSIZ || !strcmp(name, ".") || !strcmp(name, ".."))
		return false;
	for (p = name; *p; p++)
		if (*p == '/' || *p == ':' || (unsigned char)*p <= ' ')
			return false;
	return true;
}

int conf_interface(struct conf *conf, const char *name, bool forwarding, unsigned int line)
{
	struct conf_interface *grown;
	size_t i;

	if (!conf_valid_ifname(name))
		return -EINVAL;
	for (i = 0; i < conf->ninterfaces; i++) {
		if (!strcmp(conf->interfaces[i].name, name)) {
			conf->interfaces[i].forwarding = forwarding;
			conf->interfaces[i].line = line;
			return 0;
		}
	}
	grown = realloc(conf->interfaces, (conf->ninterfaces + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	conf->interfaces = grown;
	grown += conf->ninterfaces++;
	memset(grown, 0, sizeof(*grown));
	memcpy(grown->name, name, strlen(name));
	grown->forwarding = forwarding;
	grown->line = line;
	return 0;
}

int conf_parse_number(const char *text, uint32_t lo, uint32_t hi, uint32_t *ret)
{
	uint64_t value = 0;
	const char *p;

	if (!*text || strlen(text) > 10)
		return -EINVAL;
	for (p = text; *p; p++) {
		if (*p < '0' || *p > '9')
			return -EINVAL;
		value = value * 10 + (uint64_t)(*p - '0');
	}
	if (value < lo || value > hi)
		return -EINVAL;
	*ret = (uint32_t)value;
	return 0;
}

/* Where in text the port begins (behind its colon); the length of the address before it. */
static const char *conf_endpoint_port(const char *text, size_t *ret_len)
{
	const char *colon = strrchr(text, ':');
	const char *bracket = strchr(text, ']');

	if (*text == '[') {
		*ret_len = bracket ? (size_t)(bracket - text) + 1 : strlen(text);
		return bracket && bracket[1] == ':' ? bracket + 2 : NULL;
	}
	/* More than one colon and no bracket: an IPv6 address alone. */
	if (!colon || (colon != strchr(text, ':'))) {
		*ret_len = strlen(text);
		return NULL;
	}
	*ret_len = (size_t)(colon - text);
	return colon + 1;
}

int conf_parse_endpoint(const char *text, struct fx_addr *addr, uint16_t *port)
{
	struct fx_addr parsed = *addr;
	uint32_t number = *port;
	char buf[FX_ADDR_STRLEN];
	const char *port_text;
	size_t len;

	port_text = conf_endpoint_port(text, &len);
	if (*text == '[') {
		if (len < 2 || text[len - 1] != ']' || (!port_text && text[len]))
			return -EINVAL;
		text++;
		len -= 2;
		if (!memchr(text, ':', len))
			return -EINVAL;
	}
	if (len >= sizeof(buf) || (!len && !port_text))
		return -EINVAL;
	memcpy(buf, text, len);
	buf[len] = '\0';
	if (len && fx_addr_parse(buf, &parsed) < 0)
		return -EINVAL;
	if (port_text && conf_parse_number(port_text, 1, 65535, &number) < 0)
		return -EINVAL;
	*addr = parsed;
	*port = (uint16_t)number;
	return 0;
}

static int conf_fail(struct conf_parser *parser, const char *what, const char *word)
{
	snprintf(parser->error->text, sizeof(parser->error->text), "%s%s%.40s%s", what,
		 word ? ": \"" : "", word ? word : "", word ? "\"" : "");
	return -EINVAL;
}

static int conf_unknown(struct conf_parser *parser)
{
	snprintf(parser->error->text, sizeof(parser->error->text), "unknown command: \"%.*s\"",
		 parser->line_len < 80 ? parser->line_len : 80, parser->line);
	return -EINVAL;
}

static int conf_fpm_listen(struct conf_parser *parser, size_t n, char **words)
{
	struct fx_addr addr;
	uint32_t port = CONF_FPM_PORT;

	if (n != 3 && n != 5)
		return conf_fail(parser, "expected: fpm listen ADDRESS [port N]", NULL);
	if (fx_addr_parse(words[2], &addr) < 0)
		return conf_fail(parser, "not an address", words[2]);
	if (n == 5 && strcmp(words[3], "port") != 0)
		return conf_fail(parser, "unknown word", words[3]);
	if (n == 5 && conf_parse_number(words[4], 1, 65535, &port) < 0)
		return conf_fail(parser, "not a port (1-65535)", words[4]);
	parser->conf.fpm_addr = addr;
	parser->conf.fpm_port = (uint16_t)port;
	return 0;
}

static int conf_limit(struct conf_parser *parser, const char *number)
{
	if (conf_parse_number(number, 1, CONF_MAX_PREFIXES, &parser->conf.max_prefixes) < 0)
		return conf_fail(parser, "not a number of prefixes (1-4194304)", number);
	return 0;
}

static int conf_xdp_mode(struct conf_parser *parser, const char *mode)
{
	if (strcmp(mode, "native") != 0 && strcmp(mode, "generic") != 0)
		return conf_fail(parser, "not an XDP mode (native or generic)", mode);
	if (parser->inside)
		return conf_fail(parser,
				 "\"xdp mode\" is for all interfaces: it belongs before the first",
				 NULL);
	parser->conf.generic = !strcmp(mode, "generic");
	return 0;
}

static int conf_enter(struct conf_parser *parser, const char *name)
{
	if (!conf_valid_ifname(name))
		return conf_fail(parser, "not an interface name", name);
	snprintf(parser->interface, sizeof(parser->interface), "%s", name);
	parser->inside = true;
	return 0;
}

static bool conf_is(size_t n, char **words, size_t want, const char *first, const char *second)
{
	return n == want && !strcmp(words[0], first) && !strcmp(words[1], second);
}

/* A line's words; `no` says that the word before them was "no". */
static int conf_line(struct conf_parser *parser, size_t n, char **words, bool no)
{
	if (conf_is(n, words, 2, "xdp", "forwarding")) {
		if (!parser->interface[0])
			return conf_fail(parser, "\"xdp forwarding\" belongs to an interface",
					 NULL);
		return conf_interface(&parser->conf, parser->interface, !no, parser->error->line);
	}
	if (conf_is(n, words, 2, "fpm", "offload-status")) {
		parser->conf.offload_status = !no;
		return 0;
	}
	if (!no && n >= 2 && !strcmp(words[0], "fpm") && !strcmp(words[1], "listen"))
		return conf_fpm_listen(parser, n, words);
	if (!no && conf_is(n, words, 3, "xdp", "mode"))
		return conf_xdp_mode(parser, words[2]);
	if (!no && conf_is(n, words, 3, "limit", "prefixes"))
		return conf_limit(parser, words[2]);
	if (!no && n == 2 && !strcmp(words[0], "interface"))
		return conf_enter(parser, words[1]);
	if (!no && n == 1 && !strcmp(words[0], "exit")) {
		parser->interface[0] = '\0';
		parser->inside = false;
		return 0;
	}
	if (!no && n == 1 && !strcmp(words[0], "end")) {
		parser->ended = true;
		return 0;
	}
	return conf_unknown(parser);
}

static bool conf_is_comment(const char *word)
{
	return *word == '!' || *word == '#';
}

/* Splits line, which it changes; the number of words, or -EINVAL. A comment may have any number. */
static int conf_words(struct conf_parser *parser, char *line, char **words)
{
	char *save = NULL;
	char *word;
	int n = 0;

	for (word = strtok_r(line, " \t\r", &save); word; word = strtok_r(NULL, " \t\r", &save)) {
		if (n == CONF_MAX_WORDS && conf_is_comment(words[0]))
			return n;
		if (n == CONF_MAX_WORDS)
			return conf_fail(parser, "too many words", NULL);
		words[n++] = word;
	}
	return n;
}

/* The line as a complaint quotes it. */
static void conf_set_line(struct conf_parser *parser, const char *text, size_t len)
{
	static const char blank[] = " \t\r";

	while (len && strchr(blank, *text)) {
		text++;
		len--;
	}
	while (len && strchr(blank, text[len - 1]))
		len--;
	parser->line = text;
	parser->line_len = (int)len;
}

static int conf_one(struct conf_parser *parser, const char *text, size_t len)
{
	char *words[CONF_MAX_WORDS];
	char line[CONF_MAX_LINE];
	int n;

	if (len >= sizeof(line))
		return conf_fail(parser, "line too long", NULL);
	if (memchr(text, '\0', len))
		return conf_fail(parser, "not a text file", NULL);
	memcpy(line, text, len);
	line[len] = '\0';
	conf_set_line(parser, text, len);
	n = conf_words(parser, line, words);
	if (n == 1 && !strcmp(words[0], "!"))
		parser->inside = false;
	if (n <= 0 || conf_is_comment(words[0]))
		return n < 0 ? n : 0;
	if (!strcmp(words[0], "no") && n > 1)
		return conf_line(parser, (size_t)n - 1, words + 1, true);
	return conf_line(parser, (size_t)n, words, false);
}

int conf_parse(const char *text, size_t len, struct conf *conf, struct conf_error *error)
{
	struct conf_parser parser = { .error = error };
	const char *end = text + len;
	const char *newline;
	size_t n;
	int rc = 0;

	conf_init(&parser.conf);
	*error = (struct conf_error){ 0 };
	while (text < end && !parser.ended && !rc) {
		newline = memchr(text, '\n', (size_t)(end - text));
		n = newline ? (size_t)(newline - text) : (size_t)(end - text);
		error->line++;
		rc = conf_one(&parser, text, n);
		text += n + 1;
	}
	if (rc < 0) {
		conf_done(&parser.conf);
		return rc;
	}
	conf_done(conf);
	*conf = parser.conf;
	return 0;
}
