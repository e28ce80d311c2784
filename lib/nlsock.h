/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Netlink sockets that never block: open, send, read (libnl-3). Edge. */
#ifndef FX_LIB_NLSOCK_H
#define FX_LIB_NLSOCK_H

#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/socket.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Non-blocking, without acknowledgements, member of these groups (0 ends the list), with a receive
 * buffer of megabytes. NULL with errno set. */
struct nl_sock *nlsock_open(int protocol, const unsigned int *groups);
/* The same, but connected to generic netlink and blocking: families must be resolved first. */
struct nl_sock *nlsock_open_genl(void);
/* A request of this type and body; attributes may be put behind. NULL: no memory. */
struct nl_msg *nlsock_request(uint16_t type, uint16_t flags, const void *body, size_t len);
/* Sends and frees msg. NULL is -ENOMEM. ret_seq (NULL ok): the number that answers carry. */
int nlsock_post(struct nl_sock *sock, struct nl_msg *msg, uint32_t *ret_seq);

typedef void (*nlsock_each)(void *arg, struct nlmsghdr *hdr);

/* Gives each message that is there to each(), of a few datagrams: at most budget messages and the
 * rest of the last datagram. 0 or negative errno; -ENOBUFS: some were lost. */
int nlsock_read(struct nl_sock *sock, unsigned int budget, nlsock_each each, void *arg);

/* Zero or negative errno that ends the dump or request seq; 1: hdr is no such end. */
int nlsock_end(const struct nlmsghdr *hdr, uint32_t seq);
/* An error that says: this kernel has no such subsystem. */
bool nlsock_absent(int err);

/* Attributes of a fixed size; `missing` when absent or of another size. */
uint32_t nlsock_attr_u32(const struct nlattr *attr, uint32_t missing);
uint8_t nlsock_attr_u8(const struct nlattr *attr, uint8_t missing);
void nlsock_attr_string(const struct nlattr *attr, char *ret, size_t size);

#endif
