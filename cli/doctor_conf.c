/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the running fpm-xdp was told, by options and file, against what is there now. */
#include "config.h"

#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "cli/cli.h"
#include "cli/doctor.h"
#include "cli/field.h"
#include "cli/process.h"
#include "lib/conf.h"

#define AREA	 "fpm-xdp"
#define CONF_MAX (1u << 20)

static void conf_check_interface(struct doctor *doctor, const char *ifname, const char *where)
{
	if (if_nametoindex(ifname))
		return;
	report_add(doctor->report, REPORT_WARN, AREA, ifname, "ip link show",
		   "%s names it, and there is no such interface (renamed?)", where);
}

/* false: not to be read, or wrong, which the daemon itself says. */
static bool conf_read(const char *path, struct conf *conf)
{
	struct conf_error error;
	char *text = NULL;
	size_t len;
	bool good;

	if (daemon_read_file(path, CONF_MAX, &text, &len) < 0)
		return false;
	good = conf_parse(text, len, conf, &error) == 0;
	free(text);
	return good;
}

static void conf_check_file(struct doctor *doctor, const char *path)
{
	struct conf conf;
	size_t i;

	conf_init(&conf);
	if (conf_read(path, &conf))
		for (i = 0; i < conf.ninterfaces; i++)
			conf_check_interface(doctor, conf.interfaces[i].name, path);
	conf_done(&conf);
}

void doctor_conf(struct doctor *doctor)
{
	char own[DAEMON_PATH_SIZE];
	struct process_words words;
	const char *path, *word, *option;
	bool named = false; /* by options: the file's do not count then */
	size_t i;

	if (!doctor->summary || !process_read_words((int)field_num(doctor->summary, "pid"), &words))
		return;
	path = daemon_conf_path(own, doctor->cli->pathspace);
	for (i = 0; i + 1 < words.n; i++) {
		option = words.words[i];
		word = words.words[i + 1];
		if (strcmp(option, "-i") == 0 || strcmp(option, "--interface") == 0) {
			conf_check_interface(doctor, word, option);
			named = true;
		}
		if (strcmp(option, "-f") == 0 || strcmp(option, "--config_file") == 0)
			path = word;
	}
	if (!named)
		conf_check_file(doctor, path);
}
