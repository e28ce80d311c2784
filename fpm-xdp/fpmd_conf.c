/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The configuration: file and options together, at the start and again on SIGHUP. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fpm-xdp/fpmd.h"
#include "lib/loop.h"

#define FPMD_CONF_MAX (1u << 20) /* bytes of a file */

static int fpmd_overrides(const struct fpmd_options *options, struct conf *conf)
{
	const struct conf *over = &options->overrides;
	size_t i;

	if (options->given.fpm) {
		conf->fpm_addr = over->fpm_addr;
		conf->fpm_port = over->fpm_port;
	}
	if (options->given.offload_status)
		conf->offload_status = over->offload_status;
	if (options->given.generic)
		conf->generic = over->generic;
	if (options->given.max_prefixes)
		conf->max_prefixes = over->max_prefixes;
	if (over->ninterfaces)
		conf_forget_interfaces(conf);
	for (i = 0; i < over->ninterfaces; i++)
		if (conf_interface(conf, over->interfaces[i].name, true, 0) < 0)
			return -ENOMEM;
	return 0;
}

int fpmd_read_conf(const struct fpmd_options *options, struct conf *ret)
{
	struct conf_error error;
	char *text = NULL;
	size_t len = 0;
	int rc;

	rc = daemon_read_file(options->conf_path, FPMD_CONF_MAX, &text, &len);
	if (rc == -ENOENT && !options->conf_named)
		return fpmd_overrides(options, ret);
	if (rc < 0) {
		log_error("conf", "%s: %s", options->conf_path, strerror(-rc));
		return -EINVAL;
	}
	rc = conf_parse(text, len, ret, &error);
	free(text);
	if (rc == -EINVAL)
		log_error("conf", "%s:%u: %s", options->conf_path, error.line, error.text);
	return rc < 0 ? rc : fpmd_overrides(options, ret);
}

/* A zebra on the old address is dropped; it comes to the new one when its configuration says so. */
static void fpmd_relisten(struct fpmd *fpmd, struct conf *conf)
{
	struct fpm_conn *conn;

	if (fx_addr_equal(&conf->fpm_addr, &fpmd->conf.fpm_addr) &&
	    conf->fpm_port == fpmd->conf.fpm_port)
		return;
	conn = fpm_conn_new(fpmd->loop, &conf->fpm_addr, conf->fpm_port, &fpmd_conn_ops, fpmd);
	if (!conn) {
		fpmd_listen_failed(conf, -errno);
		log_warning("fpm", "the old address stays");
		conf->fpm_addr = fpmd->conf.fpm_addr;
		conf->fpm_port = fpmd->conf.fpm_port;
		return;
	}
	loop_timer_stop(fpmd->sweep_timer);
	fpm_conn_free(fpmd->conn);
	fpmd->conn = conn;
}

void fpmd_reload(struct fpmd *fpmd)
{
	struct conf conf;

	conf_init(&conf);
	if (fpmd_read_conf(fpmd->options, &conf) < 0 ||
	    fpmd_ifaces_check(&conf, fpmd->options->conf_path) < 0) {
		log_error("conf", "the old configuration stays");
		conf_done(&conf);
		return;
	}
	if (conf.max_prefixes != fpmd->conf.max_prefixes)
		log_warning("conf", "a new limit needs a restart");
	fpmd_relisten(fpmd, &conf);
	if (conf.offload_status != fpmd->conf.offload_status)
		fib_status_enable(fpmd->fib, conf.offload_status);
	conf.max_prefixes = fpmd->conf.max_prefixes;
	conf_done(&fpmd->conf);
	fpmd->conf = conf;
	fpmd_ifaces_apply(fpmd);
	log_info("conf", "read again file=%s", fpmd->options->conf_path);
}
