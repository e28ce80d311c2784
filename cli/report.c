/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "cli/report.h"

struct finding {
	enum report_level level;
	const char *area;
	char *subject, *advice; /* NULL: none */
	char *text;
};

struct report {
	struct finding *findings;
	size_t n, size;
	size_t count[REPORT_LEVELS];
};

static const struct {
	const char *text, *json;
} report_names[REPORT_LEVELS] = {
	[REPORT_OK] = { "OK", "ok" },
	[REPORT_INFO] = { "INFO", "info" },
	[REPORT_WARN] = { "WARN", "warn" },
	[REPORT_FAIL] = { "FAIL", "fail" },
};

struct report *report_new(void)
{
	return calloc(1, sizeof(struct report));
}

void report_free(struct report *report)
{
	size_t i;

	if (!report)
		return;
	for (i = 0; i < report->n; i++) {
		free(report->findings[i].subject);
		free(report->findings[i].advice);
		free(report->findings[i].text);
	}
	free(report->findings);
	free(report);
}

static struct finding *report_room(struct report *report)
{
	size_t size = report->size ? report->size * 2 : 32;
	struct finding *findings;

	if (report->n == report->size) {
		findings = realloc(report->findings, size * sizeof(*findings));
		if (!findings)
			return NULL;
		report->findings = findings;
		report->size = size;
	}
	return &report->findings[report->n];
}

void report_add(struct report *report, enum report_level level, const char *area,
		const char *subject, const char *advice, const char *fmt, ...)
{
	struct finding *finding = report_room(report);
	va_list ap;
	int len;

	report->count[level]++;
	if (!finding)
		return;
	*finding = (struct finding){ .level = level, .area = area };
	va_start(ap, fmt);
	len = vasprintf(&finding->text, fmt, ap);
	va_end(ap);
	if (len < 0)
		return;
	finding->subject = subject ? strdup(subject) : NULL;
	finding->advice = advice ? strdup(advice) : NULL;
	report->n++;
}

size_t report_count(const struct report *report, enum report_level level)
{
	return report->count[level];
}

/* Several lines of advice are several things to type. */
static void report_advice(const char *advice, FILE *out)
{
	const char *end;

	while (*advice) {
		end = strchrnul(advice, '\n');
		fprintf(out, "        -> %.*s\n", (int)(end - advice), advice);
		advice = *end ? end + 1 : end;
	}
}

void report_print(const struct report *report, FILE *out)
{
	const struct finding *finding;
	const char *area = "";
	size_t i;

	for (i = 0; i < report->n; i++) {
		finding = &report->findings[i];
		if (strcmp(area, finding->area) != 0)
			fprintf(out, "%s%s\n", *area ? "\n" : "", finding->area);
		area = finding->area;
		fprintf(out, "  %-5s %s%s%s\n", report_names[finding->level].text,
			finding->subject ? finding->subject : "", finding->subject ? ": " : "",
			finding->text);
		if (finding->advice)
			report_advice(finding->advice, out);
	}
	fprintf(out, "\n%zu OK, %zu INFO, %zu WARN, %zu FAIL\n", report->count[REPORT_OK],
		report->count[REPORT_INFO], report->count[REPORT_WARN], report->count[REPORT_FAIL]);
}

static struct json_object *report_finding_json(const struct finding *finding)
{
	struct json_object *one = json_object_new_object();

	json_object_object_add(one, "area", json_object_new_string(finding->area));
	if (finding->subject)
		json_object_object_add(one, "subject", json_object_new_string(finding->subject));
	json_object_object_add(one, "level",
			       json_object_new_string(report_names[finding->level].json));
	json_object_object_add(one, "finding", json_object_new_string(finding->text));
	if (finding->advice)
		json_object_object_add(one, "advice", json_object_new_string(finding->advice));
	return one;
}

struct json_object *report_json(const struct report *report)
{
	struct json_object *doc = json_object_new_object();
	struct json_object *checks = json_object_new_array();
	struct json_object *totals = json_object_new_object();
	size_t i;

	for (i = 0; i < report->n; i++)
		json_object_array_add(checks, report_finding_json(&report->findings[i]));
	for (i = 0; i < REPORT_LEVELS; i++)
		json_object_object_add(totals, report_names[i].json,
				       json_object_new_uint64(report->count[i]));
	json_object_object_add(doc, "checks", checks);
	json_object_object_add(doc, "totals", totals);
	return doc;
}
