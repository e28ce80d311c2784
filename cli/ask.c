/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <json-c/json.h>

#include "cli/ask.h"
#include "lib/ctl_client.h"

#define ASK_WORDS      8     /* show route ADDRESS from SOURCE PROTOCOL SPORT DPORT */
#define ASK_TIMEOUT_MS 60000 /* a consistency check of a full table takes a while */

int ask_stream(const char *path, const char *request,
	       int (*chunk)(void *arg, const char *data, size_t n), void *arg)
{
	const char *words[ASK_WORDS + 1] = { NULL };
	char line[256], *rest = line;
	size_t n = 0;

	if (strlen(request) >= sizeof(line))
		return -EINVAL;
	strcpy(line, request);
	while (rest && n < ASK_WORDS)
		words[n++] = strsep(&rest, " ");
	return ctl_client_ask(path, words, ASK_TIMEOUT_MS, chunk, arg);
}

struct ask_parse {
	struct json_tokener *tokener;
	struct json_object *doc;
};

static int ask_parse_chunk(void *arg, const char *data, size_t n)
{
	struct ask_parse *parse = arg;

	if (parse->doc)
		return 0; /* blanks behind the document */
	parse->doc = json_tokener_parse_ex(parse->tokener, data, (int)n);
	if (!parse->doc && json_tokener_get_error(parse->tokener) != json_tokener_continue)
		return -EPROTO;
	return 0;
}

int ask_document(const char *path, const char *request, struct json_object **ret)
{
	struct ask_parse parse = { .tokener = json_tokener_new() };
	int err;

	if (!parse.tokener)
		return -ENOMEM;
	err = ask_stream(path, request, ask_parse_chunk, &parse);
	json_tokener_free(parse.tokener);
	if (!err && !parse.doc)
		err = -EPROTO;
	if (err)
		json_object_put(parse.doc);
	else
		*ret = parse.doc;
	return err;
}
