/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Linked into kv_print_old in place of libnl's function: a kernel without the family asked for. */
#include <netlink/errno.h>
#include <netlink/socket.h>

int __wrap_genl_ctrl_resolve(struct nl_sock *sock, const char *name);

int __wrap_genl_ctrl_resolve(struct nl_sock *sock, const char *name)
{
	return -NLE_OBJ_NOTFOUND;
}
