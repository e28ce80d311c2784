/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/table.h"

struct table {
	const char *const *heads;
	size_t columns;
	char **cells;
	size_t ncells, size;
	size_t *width;
};

struct table *table_new(const char *const *heads, size_t columns)
{
	struct table *table = calloc(1, sizeof(*table));
	size_t i;

	if (!table)
		return NULL;
	table->width = calloc(columns, sizeof(*table->width));
	if (!table->width) {
		free(table);
		return NULL;
	}
	table->heads = heads;
	table->columns = columns;
	for (i = 0; i < columns; i++)
		table->width[i] = strlen(heads[i]) - (heads[i][0] == '>');
	return table;
}

void table_free(struct table *table)
{
	size_t i;

	if (!table)
		return;
	for (i = 0; i < table->ncells; i++)
		free(table->cells[i]);
	free(table->cells);
	free(table->width);
	free(table);
}

void table_text(struct table *table, const char *text)
{
	size_t size = table->size ? table->size * 2 : 64;
	size_t column = table->ncells % table->columns;
	char **cells;

	if (table->ncells == table->size) {
		cells = realloc(table->cells, size * sizeof(*cells));
		if (!cells)
			return;
		table->cells = cells;
		table->size = size;
	}
	text = *text ? text : "-";
	table->cells[table->ncells++] = strdup(text);
	if (strlen(text) > table->width[column])
		table->width[column] = strlen(text);
}

void table_num(struct table *table, uint64_t num)
{
	char buf[24];

	snprintf(buf, sizeof(buf), "%" PRIu64, num);
	table_text(table, buf);
}

static void table_cell(const struct table *table, size_t column, const char *text, FILE *out)
{
	bool right = table->heads[column][0] == '>';
	bool last = column + 1 == table->columns;
	int width = (int)table->width[column];

	if (right)
		fprintf(out, "%*s", width, text);
	else if (last)
		fputs(text, out);
	else
		fprintf(out, "%-*s", width, text);
	fputs(last ? "\n" : "  ", out);
}

void table_print(const struct table *table, FILE *out)
{
	size_t i;

	if (!table->ncells)
		return;
	for (i = 0; i < table->columns; i++)
		table_cell(table, i, table->heads[i] + (table->heads[i][0] == '>'), out);
	for (i = 0; i < table->ncells; i++)
		table_cell(table, i % table->columns, table->cells[i] ? table->cells[i] : "?", out);
}
