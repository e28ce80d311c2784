/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The log, to stderr or syslog. */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <time.h>

#include "lib/log.h"

static enum log_level log_threshold = LOG_LEVEL_INFO;
static bool log_to_syslog;

static const char *const log_names[] = {
	[LOG_LEVEL_ERROR] = "error",
	[LOG_LEVEL_WARNING] = "warning",
	[LOG_LEVEL_INFO] = "info",
	[LOG_LEVEL_DEBUG] = "debug",
};

void log_open(const char *program, enum log_level level, bool to_syslog)
{
	log_threshold = level;
	log_to_syslog = to_syslog;
	if (to_syslog)
		openlog(program, LOG_PID, LOG_DAEMON);
}

int log_level_parse(const char *text, enum log_level *ret)
{
	size_t i;

	for (i = 0; i < sizeof(log_names) / sizeof(log_names[0]); i++) {
		if (!strcmp(text, log_names[i])) {
			*ret = (enum log_level)i;
			return 0;
		}
	}
	return -EINVAL;
}

bool log_enabled(enum log_level level)
{
	return level <= log_threshold;
}

static int log_syslog_priority(enum log_level level)
{
	switch (level) {
	case LOG_LEVEL_ERROR:
		return LOG_ERR;
	case LOG_LEVEL_WARNING:
		return LOG_WARNING;
	case LOG_LEVEL_INFO:
		return LOG_INFO;
	case LOG_LEVEL_DEBUG:
		break;
	}
	return LOG_DEBUG;
}

static LOG_PRINTF(3, 0) void log_vwrite(enum log_level level, const char *module, const char *fmt,
					va_list args)
{
	struct timespec now;
	char line[1024];
	char stamp[32];
	struct tm tm;

	vsnprintf(line, sizeof(line), fmt, args);
	if (log_to_syslog) {
		syslog(log_syslog_priority(level), "%s: %s", module, line);
		return;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &tm);
	strftime(stamp, sizeof(stamp), "%Y-%m-%d %H:%M:%S", &tm);
	fprintf(stderr, "%s.%03ld %s %s: %s\n", stamp, now.tv_nsec / 1000000, log_names[level],
		module, line);
}

void log_write(enum log_level level, const char *module, const char *fmt, ...)
{
	va_list args;

	if (!log_enabled(level))
		return;
	va_start(args, fmt);
	log_vwrite(level, module, fmt, args);
	va_end(args);
}

void log_limited(struct log_limit *limit, enum log_level level, const char *module, const char *fmt,
		 ...)
{
	struct timespec now;
	uint64_t now_ms;
	va_list args;

	if (!log_enabled(level))
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	now_ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
	if (!limit->written || now_ms - limit->since_ms >= LOG_LIMIT_MS) {
		limit->since_ms = now_ms;
		limit->written = 0;
	}
	if (limit->written >= LOG_LIMIT_BURST) {
		limit->suppressed++;
		return;
	}
	limit->written++;
	if (limit->suppressed)
		log_write(level, module, "%lu lines like the next suppressed", limit->suppressed);
	limit->suppressed = 0;
	va_start(args, fmt);
	log_vwrite(level, module, fmt, args);
	va_end(args);
}
