/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>

#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#include "cli/xdp_features.h"

/* Documentation/netlink/specs/netdev.yaml of Linux 6.3. */
#define NETDEV_FAMILY	   "netdev"
#define NETDEV_DEV_GET	   1
#define NETDEV_DEV_IFINDEX 1
#define NETDEV_DEV_XDP	   3 /* u64 of XDP_FEATURE_* */

static int features_valid(struct nl_msg *msg, void *arg)
{
	struct nlattr *attrs[NETDEV_DEV_XDP + 1];
	uint64_t *features = arg;

	if (genlmsg_parse(nlmsg_hdr(msg), 0, attrs, NETDEV_DEV_XDP, NULL) == 0 &&
	    attrs[NETDEV_DEV_XDP])
		*features = nla_get_u64(attrs[NETDEV_DEV_XDP]);
	return NL_OK;
}

static int features_ask(struct nl_sock *sock, int family, unsigned int ifindex)
{
	struct nl_msg *msg = nlmsg_alloc();
	int err = -NLE_NOMEM;

	if (msg && genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, family, 0, 0, NETDEV_DEV_GET, 1) &&
	    nla_put_u32(msg, NETDEV_DEV_IFINDEX, ifindex) == 0)
		err = nl_send_auto(sock, msg);
	nlmsg_free(msg);
	return err < 0 ? err : nl_recvmsgs_default(sock);
}

int xdp_features_get(unsigned int ifindex, uint64_t *ret)
{
	struct nl_sock *sock = nl_socket_alloc();
	uint64_t features = 0;
	int family, err = -EIO;

	if (!sock)
		return -ENOMEM;
	nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_CUSTOM, features_valid, &features);
	if (genl_connect(sock) == 0) {
		family = genl_ctrl_resolve(sock, NETDEV_FAMILY);
		err = family < 0 ? -EOPNOTSUPP : 0;
		if (!err && features_ask(sock, family, ifindex) < 0)
			err = -EIO;
	}
	nl_socket_free(sock);
	if (!err)
		*ret = features;
	return err;
}
