/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `show ...` and `clear counters`: one request, its document as text or JSON. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <json-c/json.h>

#include "cli/ask.h"
#include "cli/cli.h"
#include "cli/command.h"
#include "cli/field.h"
#include "cli/in_order.h"
#include "cli/members.h"
#include "cli/view.h"

#define SHOW_PRETTY (JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE)

void cli_complain(const struct cli *cli, const char *socket, int err)
{
	const char *daemon = socket == cli->bfd_socket ? "bfddp-xdp" : "fpm-xdp";

	if (err == -ENOENT || err == -ECONNREFUSED)
		fprintf(stderr, "frr-xdp: %s is not running (%s: %s)\n", daemon, socket,
			strerror(-err));
	else if (err == -EPROTO || err == -EPIPE)
		fprintf(stderr, "frr-xdp: %s sent no whole answer\n", daemon);
	else
		fprintf(stderr, "frr-xdp: %s: %s\n", socket, strerror(-err));
}

void cli_print_json(struct json_object *doc)
{
	puts(json_object_to_json_string_ext(doc, SHOW_PRETTY));
}

bool cli_refused(struct json_object *doc)
{
	if (!field_get(doc, "error"))
		return false;
	fprintf(stderr, "frr-xdp: %s\n", field_text(doc, "error"));
	return true;
}

static void show_clear(struct json_object *doc, FILE *out)
{
	if (field_bool(doc, "cleared"))
		fputs("Counters cleared\n", out);
}

/* NULL when the daemon does not say. */
static struct json_object *show_interfaces(const struct cli *cli)
{
	struct json_object *doc = NULL;

	return ask_document(cli->socket, "show interface", &doc) ? NULL : doc;
}

static void show_text(const struct command *command, struct json_object *doc)
{
	static void (*const views[])(struct json_object * doc, FILE * out) = {
		[COMMAND_SHOW_SUMMARY] = view_summary,
		[COMMAND_SHOW_ROUTE_LOOKUP] = view_lookup,
		[COMMAND_SHOW_GROUP] = view_group,
		[COMMAND_SHOW_NEIGHBOR] = view_neighbor,
		[COMMAND_SHOW_INTERFACE] = view_interface,
		[COMMAND_SHOW_COUNTERS] = view_counters,
		[COMMAND_SHOW_CONSISTENCY] = view_consistency,
		[COMMAND_SHOW_BFD_PEERS] = view_bfd_peers,
		[COMMAND_SHOW_BFD_COUNTERS] = view_bfd_counters,
		[COMMAND_SHOW_BFD_SUMMARY] = view_bfd_summary,
		[COMMAND_CLEAR_COUNTERS] = show_clear,
	};

	if (command->brief)
		view_bfd_brief(doc, stdout);
	else
		views[command->id](doc, stdout);
}

/* Where packets may come in decides over what these two say. */
static void show_answer(const struct cli *cli, const struct command *command,
			struct json_object *doc)
{
	bool wants = command->id == COMMAND_SHOW_SUMMARY ||
		     command->id == COMMAND_SHOW_ROUTE_LOOKUP;

	if (wants && json_object_is_type(doc, json_type_object))
		json_object_object_add(doc, VIEW_INTERFACES, show_interfaces(cli));
	show_text(command, doc);
}

static const char *show_socket(const struct cli *cli, const struct command *command)
{
	switch (command->id) {
	case COMMAND_SHOW_BFD_PEERS:
	case COMMAND_SHOW_BFD_COUNTERS:
	case COMMAND_SHOW_BFD_SUMMARY:
		return cli->bfd_socket;
	default:
		return cli->socket;
	}
}

static int show_document(const struct cli *cli, const struct command *command)
{
	const char *socket = show_socket(cli, command);
	struct json_object *doc;
	int err, code = CLI_OK;

	err = ask_document(socket, command->request, &doc);
	if (err) {
		cli_complain(cli, socket, err);
		return CLI_FAULT;
	}
	if (cli_refused(doc))
		code = CLI_FAULT;
	else if (command->json)
		cli_print_json(doc);
	else
		show_answer(cli, command, doc);
	if (command->id == COMMAND_SHOW_CONSISTENCY && field_len(field_get(doc, "differences")))
		code = CLI_FAULT;
	json_object_put(doc);
	return code;
}

struct show_routes {
	struct members members;
	struct in_order order; /* of the text */
	const struct cli *cli;
	bool json;
	bool refused;
	bool printed; /* some text */
	size_t prefixes;
};

/* The one member as text, without the braces around it: pretty-printed they are the first and the
 * last line. */
static void show_routes_json(struct show_routes *show, struct json_object *one)
{
	const char *text = json_object_to_json_string_ext(one, SHOW_PRETTY);
	size_t len = strlen(text);

	fputs(show->prefixes ? ",\n" : "{\n", stdout);
	if (len > 4)
		fwrite(text + 2, 1, len - 4, stdout);
}

static void show_routes_head(const struct show_routes *show)
{
	struct json_object *interfaces = show_interfaces(show->cli);

	view_route_legend(stdout);
	view_route_ingress(interfaces, stdout);
	json_object_put(interfaces);
}

static void show_routes_text(void *arg, struct json_object *one)
{
	struct show_routes *show = arg;

	if (!show->printed)
		show_routes_head(show);
	show->printed = true;
	json_object_object_foreach(one, prefix, routes) view_route(prefix, routes, stdout);
}

static int show_routes_member(void *arg, struct json_object *one)
{
	struct show_routes *show = arg;

	if (field_get(one, "error")) {
		show->refused = cli_refused(one);
		return 0;
	}
	if (show->json)
		show_routes_json(show, one);
	else
		in_order_add(&show->order, one);
	show->prefixes++;
	return ferror(stdout) ? -ECANCELED : 0;
}

static int show_routes_chunk(void *arg, const char *data, size_t n)
{
	struct show_routes *show = arg;

	return members_feed(&show->members, data, n);
}

static int show_routes(const struct cli *cli, const struct command *command)
{
	struct show_routes show = { .cli = cli, .json = command->json };
	int err;

	members_init(&show.members, show_routes_member, &show);
	in_order_init(&show.order, show_routes_text, &show);
	err = ask_stream(cli->socket, command->request, show_routes_chunk, &show);
	if (!err)
		err = members_end(&show.members);
	members_done(&show.members);
	if (!err)
		in_order_end(&show.order);
	in_order_done(&show.order);
	if (err == -ECANCELED)
		return CLI_FAULT; /* nobody reads us any more */
	if (err)
		cli_complain(cli, cli->socket, err);
	if (err || show.refused)
		return CLI_FAULT;
	if (show.json)
		puts(show.prefixes ? "\n}" : "{\n}");
	else if (!show.prefixes)
		puts("% Network not in table"); /* vtysh's words */
	return CLI_OK;
}

int show(const struct cli *cli, const struct command *command)
{
	if (command->id == COMMAND_SHOW_ROUTE)
		return show_routes(cli, command);
	return show_document(cli, command);
}
