/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the doctor found: a list of findings, each with its level and what to type, shown as text or
 * JSON. Only this file knows how they look.
 */
#ifndef FX_CLI_REPORT_H
#define FX_CLI_REPORT_H

#include <stddef.h>
#include <stdio.h>

struct json_object;

enum report_level {
	REPORT_OK,
	REPORT_INFO, /* good to know */
	REPORT_WARN, /* works, but not for everything or not as well as it could */
	REPORT_FAIL, /* does not work */
	REPORT_LEVELS,
};

struct report;

struct report *report_new(void); /* NULL: no memory */
void report_free(struct report *report);

/* area ("kernel", "interface", ...) must outlive the report. subject: an interface or a process;
 * NULL: none. advice: what to type; NULL: nothing to do. Out of memory loses the finding, not more.
 */
void report_add(struct report *report, enum report_level level, const char *area,
		const char *subject, const char *advice, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));

size_t report_count(const struct report *report, enum report_level level);

/* By area in the order of arrival, with the totals as the last line. */
void report_print(const struct report *report, FILE *out);
/* {"checks":[{"area","subject","level","finding","advice"}],"totals":{"ok","info","warn","fail"}};
 * the caller's to put. */
struct json_object *report_json(const struct report *report);

#endif
