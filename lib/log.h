/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The log: one line per event, `module: text key=value`. The one file with mutable file scope.
 *
 * Levels by what the operator should do: error: act now; warning: look; info: state changed,
 * nothing to do; debug: for developers.
 */
#ifndef FX_LIB_LOG_H
#define FX_LIB_LOG_H

#include <stdbool.h>
#include <stdint.h>

enum log_level {
	LOG_LEVEL_ERROR,
	LOG_LEVEL_WARNING,
	LOG_LEVEL_INFO,
	LOG_LEVEL_DEBUG,
};

#define LOG_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* Until log_open(): stderr, level info. program must stay; syslog: to syslog, not to stderr. */
void log_open(const char *program, enum log_level level, bool syslog);
/* "error", "warning", "info", "debug"; -EINVAL. */
int log_level_parse(const char *text, enum log_level *ret);
bool log_enabled(enum log_level level);

void log_write(enum log_level level, const char *module, const char *fmt, ...) LOG_PRINTF(3, 4);

#define log_error(...)	 log_write(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warning(...) log_write(LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_info(...)	 log_write(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...)	 log_write(LOG_LEVEL_DEBUG, __VA_ARGS__)

/* For lines that a peer can provoke: at most LOG_LIMIT_BURST in LOG_LIMIT_MS, the rest is counted
 * and told with the next line that is written. One per kind of line, zeroed, the caller's. */
#define LOG_LIMIT_BURST	 30
#define LOG_LIMIT_MS	 10000

struct log_limit {
	uint64_t since_ms;
	unsigned int written;
	unsigned long suppressed;
};

void log_limited(struct log_limit *limit, enum log_level level, const char *module, const char *fmt,
		 ...) LOG_PRINTF(4, 5);

#endif
