/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of text in columns that are as wide as what stands in them. */
#ifndef FX_CLI_TABLE_H
#define FX_CLI_TABLE_H

#include <stdint.h>
#include <stdio.h>

struct table;

/* heads: the columns' titles; one that begins with '>' is of a column of numbers, set to the right.
 * NULL: no memory. */
struct table *table_new(const char *const *heads, size_t columns);
void table_free(struct table *table); /* NULL ok */

/* The next cell, from left to right, row by row. "" shows as '-'. Out of memory: the cell is "?".
 */
void table_text(struct table *table, const char *text);
void table_num(struct table *table, uint64_t num);

/* Nothing at all for a table without rows. */
void table_print(const struct table *table, FILE *out);

#endif
