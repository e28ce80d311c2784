/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/nlsock.h"

#include <errno.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* A burst of 100k routes is about this much (each message takes 768 bytes or more of it). */
#define RCVBUF	 (64 << 20)
#define DATAGRAM (64 << 10) /* the kernel's dumps come in 32 KiB */

/* libnl has errors of its own; for those that we tell apart. */
static int sock_error(int err)
{
	switch (-err) {
	case NLE_AGAIN:
		return -EAGAIN;
	case NLE_NOMEM:	    /* ENOBUFS too */
	case NLE_MSG_TRUNC: /* the rest of that datagram is gone */
		return -ENOBUFS;
	case NLE_PERM:
	case NLE_NOACCESS:
		return -EPERM;
	case NLE_PROTO_MISMATCH:
	case NLE_AF_NOSUPPORT:
	case NLE_OPNOTSUPP:
		return -EOPNOTSUPP;
	default:
		return -EIO;
	}
}

static struct nl_sock *sock_connect(int protocol)
{
	struct nl_sock *sock = nl_socket_alloc();
	int size = RCVBUF, one = 1, err;

	if (!sock) {
		errno = ENOMEM;
		return NULL;
	}
	nl_socket_disable_seq_check(sock);
	nl_socket_disable_auto_ack(sock);
	nl_socket_disable_msg_peek(sock);
	nl_socket_set_msg_buf_size(sock, DATAGRAM);
	err = nl_connect(sock, protocol);
	if (err < 0) {
		/* errno is the system call's still where it was one */
		if (errno != EPROTONOSUPPORT && errno != EPERM)
			errno = -sock_error(err);
		nl_socket_free(sock);
		return NULL;
	}
	if (setsockopt(nl_socket_get_fd(sock), SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)))
		setsockopt(nl_socket_get_fd(sock), SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	/* Without it a route dump would contain cache entries, and filters would be ignored. */
	setsockopt(nl_socket_get_fd(sock), SOL_NETLINK, NETLINK_GET_STRICT_CHK, &one, sizeof(one));
	return sock;
}

struct nl_sock *nlsock_open(int protocol, const unsigned int *groups)
{
	struct nl_sock *sock = sock_connect(protocol);
	int err = 0;

	if (!sock)
		return NULL;
	for (; *groups && !err; groups++)
		err = nl_socket_add_membership(sock, (int)*groups);
	if (!err)
		err = nl_socket_set_nonblocking(sock);
	if (err) {
		nl_socket_free(sock);
		errno = -sock_error(err);
		return NULL;
	}
	return sock;
}

struct nl_sock *nlsock_open_genl(void)
{
	return sock_connect(NETLINK_GENERIC);
}

struct nl_msg *nlsock_request(uint16_t type, uint16_t flags, const void *body, size_t len)
{
	struct nl_msg *msg = nlmsg_alloc_simple(type, NLM_F_REQUEST | flags);

	if (msg && nlmsg_append(msg, (void *)(uintptr_t)body, len, NLMSG_ALIGNTO)) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

int nlsock_post(struct nl_sock *sock, struct nl_msg *msg, uint32_t *ret_seq)
{
	int err;

	if (!msg)
		return -ENOMEM;
	err = nl_send_auto(sock, msg);
	if (err >= 0 && ret_seq)
		*ret_seq = nlmsg_hdr(msg)->nlmsg_seq;
	nlmsg_free(msg);
	return err < 0 ? sock_error(err) : 0;
}

static unsigned int sock_datagram(unsigned char *bytes, int len, nlsock_each each, void *arg)
{
	struct nlmsghdr *hdr = (struct nlmsghdr *)(void *)bytes;
	unsigned int messages = 0;

	for (; nlmsg_ok(hdr, len); hdr = nlmsg_next(hdr, &len)) {
		each(arg, hdr);
		messages++;
	}
	return messages;
}

int nlsock_read(struct nl_sock *sock, unsigned int budget, nlsock_each each, void *arg)
{
	unsigned int messages = 0;

	while (messages < budget) {
		struct sockaddr_nl from = { 0 };
		unsigned char *bytes = NULL;
		int len = nl_recv(sock, &from, &bytes, NULL);

		if (len == 0 || len == -NLE_AGAIN)
			return 0;
		if (len < 0)
			return sock_error(len);
		if (from.nl_pid == 0) /* only the kernel is believed */
			messages += sock_datagram(bytes, len, each, arg);
		free(bytes);
	}
	return 0;
}

int nlsock_end(const struct nlmsghdr *hdr, uint32_t seq)
{
	int err = 0;

	if ((hdr->nlmsg_type != NLMSG_DONE && hdr->nlmsg_type != NLMSG_ERROR) ||
	    hdr->nlmsg_seq != seq)
		return 1;
	/* both begin with an int: struct nlmsgerr, and a dump's result */
	if (nlmsg_datalen(hdr) >= (int)sizeof(err))
		memcpy(&err, nlmsg_data(hdr), sizeof(err));
	return err < 0 ? err : 0;
}

bool nlsock_absent(int err)
{
	return err == -EOPNOTSUPP || err == -EAFNOSUPPORT || err == -EPROTONOSUPPORT;
}

uint32_t nlsock_attr_u32(const struct nlattr *attr, uint32_t missing)
{
	return attr && nla_len(attr) == sizeof(uint32_t) ? nla_get_u32(attr) : missing;
}

uint8_t nlsock_attr_u8(const struct nlattr *attr, uint8_t missing)
{
	return attr && nla_len(attr) == sizeof(uint8_t) ? nla_get_u8(attr) : missing;
}

void nlsock_attr_string(const struct nlattr *attr, char *ret, size_t size)
{
	size_t len = attr ? strnlen(nla_data(attr), (size_t)nla_len(attr)) : 0;

	if (len >= size)
		len = size - 1;
	memset(ret, 0, size); /* links are compared as a whole */
	if (len)
		memcpy(ret, nla_data(attr), len);
}
