/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `detach`: takes everything out of the kernel. A running daemon does it itself, and ends; without
 * one the pins are all there is, and they are taken away here.
 */
#include "config.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "cli/ask.h"
#include "cli/cli.h"
#include "cli/command.h"
#include "cli/field.h"
#include "cli/holder.h"
#include "lib/bpfmap.h"
#include "lib/xdp_attach.h"

struct detach_walk {
	const struct cli *cli;
	struct json_object *detached;
	int err; /* the first */
};

static void detach_one(void *arg, uint32_t ifindex)
{
	struct detach_walk *walk = arg;
	char name[IF_NAMESIZE];
	int err = xdp_detach(walk->cli->bpf_dir, ifindex);

	if (!if_indextoname(ifindex, name))
		snprintf(name, sizeof(name), "%u", ifindex);
	if (!err)
		json_object_array_add(walk->detached, json_object_new_string(name));
	else if (!walk->err)
		walk->err = err;
}

/* The socket and pid file of a daemon that was killed, and the folder if nothing else is in it. One
 * that is just starting holds its pid file. */
static void detach_run_dir(const struct cli *cli)
{
	char path[DAEMON_PATH_SIZE];
	int fd;

	if (access(daemon_path(path, DAEMON_RUN_DIR, cli->pathspace, "fpm-xdp.pid"), F_OK) < 0)
		return;
	fd = daemon_pid_file(path);
	if (fd < 0)
		return;
	unlink(cli->socket);
	unlink(path);
	rmdir(cli->run_dir);
	close(fd);
}

/* {"detached":[...]} as the daemon gives it; NULL after saying what went wrong. */
static struct json_object *detach_pins(const struct cli *cli)
{
	struct detach_walk walk = { .cli = cli, .detached = json_object_new_array() };
	struct json_object *doc;
	int err;

	if (geteuid() != 0) {
		fputs("frr-xdp: fpm-xdp does not run, and what it left needs root to be taken "
		      "away\n",
		      stderr);
		json_object_put(walk.detached);
		return NULL;
	}
	err = xdp_pinned(cli->bpf_dir, detach_one, &walk);
	if (!err)
		err = walk.err;
	if (!err)
		err = bpfmap_unpin(cli->bpf_dir, "fx_");
	if (err < 0 && err != -ENOENT) {
		fprintf(stderr, "frr-xdp: %s: %s\n", cli->bpf_dir, strerror(-err));
		json_object_put(walk.detached);
		return NULL;
	}
	rmdir(cli->bpf_dir); /* stays when other instances have theirs in it */
	detach_run_dir(cli);
	doc = json_object_new_object();
	json_object_object_add(doc, "detached", walk.detached);
	return doc;
}

/* A program of fpm-xdp's that is still on an interface of this network namespace is said on stderr.
 * Whether there is one that no instance known here holds: this was the wrong place to detach. */
static bool detach_missed(void)
{
	struct if_nameindex *list = if_nameindex(), *one;
	char instance[HOLDER_NAME_SIZE];
	bool missed = false;

	for (one = list; one && one->if_index; one++) {
		switch (holder_find(one->if_index, instance)) {
		case HOLDER_NONE:
			break;
		case HOLDER_INSTANCE:
			fprintf(stderr, "frr-xdp: %s is held by another instance: %s%s\n",
				one->if_name, *instance ? "fpm-xdp -N " : "fpm-xdp without -N",
				instance);
			break;
		case HOLDER_ELSEWHERE:
			fprintf(stderr,
				"frr-xdp: %s still has a program of fpm-xdp, whose pins are not in "
				"the bpf file system seen here\n",
				one->if_name);
			missed = true;
			break;
		}
	}
	if (list)
		if_freenameindex(list);
	if (missed)
		fputs("`ip netns exec` hides the router's /sys/fs/bpf; this does not:\n"
		      "  nsenter --net=/run/netns/NAME frr-xdp detach\n",
		      stderr);
	return missed;
}

static void detach_print(struct json_object *doc)
{
	struct json_object *names = field_get(doc, "detached");
	size_t i, n = field_len(names);

	for (i = 0; i < n; i++)
		printf("%s: detached\n", field_item(names, i));
	if (!n)
		puts("Nothing was attached");
}

/* bfddp-xdp takes its part out, and leaves what fpm-xdp still wants. NULL: it does not run. */
static struct json_object *detach_bfd(const struct cli *cli)
{
	struct json_object *doc = NULL;

	return ask_document(cli->bfd_socket, "detach", &doc) ? NULL : doc;
}

/* The interfaces that bfd names and doc does not. */
static void detach_merge(struct json_object *doc, struct json_object *bfd)
{
	struct json_object *to = field_get(doc, "detached"), *from = field_get(bfd, "detached");
	size_t i, k;

	for (i = 0; i < field_len(from); i++) {
		for (k = 0; k < field_len(to); k++)
			if (!strcmp(field_item(from, i), field_item(to, k)))
				break;
		if (k == field_len(to))
			json_object_array_add(to, json_object_new_string(field_item(from, i)));
	}
}

int detach(const struct cli *cli, const struct command *command)
{
	struct json_object *doc, *bfd = detach_bfd(cli);
	int err, code = CLI_OK;

	err = ask_document(cli->socket, command->request, &doc);
	if (err == -ENOENT || err == -ECONNREFUSED) {
		doc = detach_pins(cli);
	} else if (err) {
		cli_complain(cli, cli->socket, err);
		doc = NULL;
	}
	if (doc && bfd && field_len(field_get(bfd, "detached")) && field_get(doc, "detached"))
		detach_merge(doc, bfd);
	json_object_put(bfd);
	if (!doc)
		return CLI_FAULT;
	if (cli_refused(doc))
		code = CLI_FAULT;
	else if (!field_len(field_get(doc, "detached")) && detach_missed())
		code = CLI_FAULT;
	else if (command->json)
		cli_print_json(doc);
	else
		detach_print(doc);
	json_object_put(doc);
	return code;
}
