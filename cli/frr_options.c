/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "cli/frr_options.h"
#include "lib/conf.h"

/* The value of an option in any of getopt's forms: "-M x", "-Mx", "--module x", "--module=x". *i
 * moves on when the value is a word of its own. NULL: another option. */
static const char *options_value(const char *const *words, size_t n, size_t *i,
				 const char *short_form, const char *long_form)
{
	const char *word = words[*i];
	size_t len = strlen(long_form);

	if (strcmp(word, short_form) == 0 || strcmp(word, long_form) == 0) {
		if (*i + 1 >= n)
			return NULL;
		return words[++*i];
	}
	if (strncmp(word, long_form, len) == 0 && word[len] == '=')
		return word + len + 1;
	if (word[1] != '-' && strncmp(word, short_form, 2) == 0)
		return word + 2;
	return NULL;
}

static void options_module(const char *module, struct frr_options *ret)
{
	if (strncmp(module, "dplane_fpm_nl", 13) == 0)
		ret->dplane_fpm = true;
	else if (strcmp(module, "fpm") == 0 || strncmp(module, "fpm:", 4) == 0)
		ret->old_fpm = true;
	if (strcmp(module, "fpm:protobuf") == 0)
		ret->old_fpm_protobuf = true;
}

static void options_word(const char *word, struct frr_options *ret)
{
	if (strcmp(word, "--asic-offload") == 0 || strncmp(word, "--asic-offload=", 15) == 0)
		ret->asic_offload = true;
	/* which letter is --vrfwnetns depends on FRR's version */
	if (strcmp(word, "-n") == 0 || strcmp(word, "-w") == 0 || strcmp(word, "--vrfwnetns") == 0)
		ret->netns_vrf = true;
}

void frr_options_parse(const char *const *words, size_t n, struct frr_options *ret)
{
	struct frr_options options = { .dplane_fpm = false };
	const char *value;
	size_t i;

	for (i = 0; i < n; i++) {
		value = options_value(words, n, &i, "-M", "--module");
		if (value) {
			options_module(value, &options);
			continue;
		}
		value = options_value(words, n, &i, "-N", "--pathspace");
		if (value && strpbrk(value, "./"))
			continue; /* zebra refuses it too */
		if (value)
			snprintf(options.pathspace, sizeof(options.pathspace), "%s", value);
		else
			options_word(words[i], &options);
	}
	*ret = options;
}

void frr_options_parse_line(const char *line, struct frr_options *ret)
{
	const char *words[64];
	char text[1024];
	char *word, *rest = text;
	size_t n = 0;

	snprintf(text, sizeof(text), "%s", line);
	while (n < 64 && (word = strsep(&rest, " \t\"'"))) {
		if (*word)
			words[n++] = word;
	}
	frr_options_parse(words, n, ret);
}

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " \t");
}

/* Copies a line's value without the quotes around it and what follows it. */
static bool options_unquote(const char *value, char *buf, size_t size)
{
	char quote = *value;
	size_t len;

	if (quote == '"' || quote == '\'') {
		const char stop[] = { quote, '\n', '\0' };

		value++;
		len = strcspn(value, stop);
	} else {
		len = strcspn(value, " \t\n#;");
	}
	if (len >= size)
		return false;
	memcpy(buf, value, len);
	buf[len] = '\0';
	return true;
}

bool frr_options_variable(const char *text, const char *name, char *buf, size_t size)
{
	size_t len = strlen(name);
	bool found = false;
	const char *line;

	for (line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *p = skip_blanks(line);

		if (strncmp(p, name, len) == 0 && p[len] == '=')
			found = options_unquote(p + len + 1, buf, size);
	}
	return found;
}

bool frr_options_fpm_address(const char *config, char *buf, size_t size)
{
	static const char words[] = "fpm address ";
	const char *line;

	for (line = config; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *p = skip_blanks(line);

		if (strncmp(p, words, sizeof(words) - 1) != 0)
			continue;
		if (buf)
			snprintf(buf, size, "%.*s", (int)strcspn(p, "\r\n"), p);
		return true;
	}
	return false;
}

static bool options_is_any(const struct fx_addr *addr)
{
	static const uint8_t zeros[sizeof(addr->bytes)];

	return memcmp(addr->bytes, zeros, sizeof(zeros)) == 0;
}

bool frr_options_fpm_reaches(const char *line, const char *listen)
{
	unsigned int to_port = CONF_FPM_PORT;
	struct fx_addr to, at;
	char address[64];
	uint16_t port;

	if (sscanf(line, " fpm address %63s port %u", address, &to_port) < 1 ||
	    fx_addr_parse(address, &to) < 0 || conf_parse_endpoint(listen, &at, &port) < 0)
		return true;
	if (to_port != port)
		return false;
	/* a listener on :: takes IPv4 too, unless told not to */
	if (options_is_any(&at))
		return at.family == to.family || at.family == FX_AF_INET6;
	return at.family == to.family && memcmp(at.bytes, to.bytes, sizeof(at.bytes)) == 0;
}
