/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `monitor`: a line a second with what changed, until ^C or --count lines. */
#include "config.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include <json-c/json.h>

#include "cli/ask.h"
#include "cli/cli.h"
#include "cli/command.h"
#include "cli/field.h"

#define MONITOR_HEAD_EVERY 20

struct monitor_sample {
	struct timespec at;
	uint64_t forwarded, passed, dropped;
	uint64_t routes4, routes6, pending, frames;
};

static uint64_t monitor_sum(struct json_object *reasons)
{
	uint64_t sum = 0;

	if (!reasons)
		return 0;
	json_object_object_foreach(reasons, reason, count)
	{
		(void)reason;
		sum += json_object_get_uint64(count);
	}
	return sum;
}

static int monitor_counters(const struct cli *cli, struct monitor_sample *ret)
{
	struct json_object *doc, *ifaces;
	int err;

	err = ask_document(cli->socket, "show counters", &doc);
	if (err)
		return err;
	clock_gettime(CLOCK_MONOTONIC, &ret->at);
	ifaces = field_object(doc, "interfaces");
	if (ifaces) {
		json_object_object_foreach(ifaces, name, one)
		{
			(void)name;
			ret->forwarded += field_num(one, "forwarded");
			ret->passed += monitor_sum(field_object(one, "passed"));
			ret->dropped += monitor_sum(field_object(one, "dropped"));
		}
	}
	json_object_put(doc);
	return 0;
}

static int monitor_sample(const struct cli *cli, struct monitor_sample *ret)
{
	struct monitor_sample sample = { 0 };
	struct json_object *doc, *routes;
	int err;

	err = monitor_counters(cli, &sample);
	if (!err)
		err = ask_document(cli->socket, "show summary", &doc);
	if (err)
		return err;
	routes = field_get(doc, "routes");
	sample.routes4 = field_num(routes, "ipv4");
	sample.routes6 = field_num(routes, "ipv6");
	sample.pending = field_num(routes, "pending");
	sample.frames = field_num(field_get(doc, "fpm"), "frames");
	json_object_put(doc);
	*ret = sample;
	return 0;
}

/* Per second; a counter that fell was cleared or is of a new daemon: what it shows is all there is.
 */
static uint64_t monitor_rate(uint64_t was, uint64_t now, double seconds)
{
	return (uint64_t)((double)(now >= was ? now - was : now) / seconds + 0.5);
}

static void monitor_line(const struct monitor_sample *was, const struct monitor_sample *now)
{
	double seconds = (double)(now->at.tv_sec - was->at.tv_sec) +
			 (double)(now->at.tv_nsec - was->at.tv_nsec) / 1e9;

	if (seconds <= 0)
		seconds = 1;
	printf("%12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %10" PRIu64 " %10" PRIu64
	       " %10" PRIu64 "\n",
	       monitor_rate(was->forwarded, now->forwarded, seconds),
	       monitor_rate(was->passed, now->passed, seconds),
	       monitor_rate(was->dropped, now->dropped, seconds),
	       monitor_rate(was->frames, now->frames, seconds), now->routes4, now->routes6,
	       now->pending);
	fflush(stdout);
}

static void monitor_head(void)
{
	printf("%12s %12s %12s %12s %10s %10s %10s\n", "forwarded/s", "passed/s", "dropped/s",
	       "fpm-frames/s", "ipv4", "ipv6", "pending");
}

/* ^C and SIGTERM end it like a command that has done its work. */
static int monitor_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -1;
	return signalfd(-1, &set, SFD_CLOEXEC);
}

static int monitor_run(const struct cli *cli, unsigned long count, int signals)
{
	struct pollfd end = { .fd = signals, .events = POLLIN };
	struct monitor_sample was, now;
	unsigned long line;
	int err;

	err = monitor_sample(cli, &was);
	for (line = 0; !err && (!count || line < count); line++) {
		if (line % MONITOR_HEAD_EVERY == 0)
			monitor_head();
		if (poll(&end, 1, 1000) != 0)
			return CLI_OK;
		err = monitor_sample(cli, &now);
		if (err)
			break;
		monitor_line(&was, &now);
		was = now;
	}
	if (!err)
		return CLI_OK;
	cli_complain(cli, cli->socket, err);
	return CLI_FAULT;
}

int monitor(const struct cli *cli, const struct command *command)
{
	int signals = monitor_signals();
	int code;

	if (signals < 0) {
		perror("frr-xdp: signalfd");
		return CLI_FAULT;
	}
	code = monitor_run(cli, command->count, signals);
	close(signals);
	return code;
}
