/* SPDX-License-Identifier: GPL-2.0-or-later */
/* IPsec: whether any policy could concern a forwarded packet. Counted for both families at once. */
#include "config.h"

#include "fpm-xdp/kv.h"

#include <errno.h>
#include <linux/xfrm.h>
#include <string.h>

static void xfrm_answer(struct kernel_view *view, struct nlmsghdr *hdr)
{
	struct kv_xfrm *xfrm = &view->xfrm;
	struct nlattr *tb[XFRMA_SPD_MAX + 1];
	struct xfrm_userpolicy_default def;
	struct xfrmu_spdinfo spd;

	if (hdr->nlmsg_type == XFRM_MSG_GETDEFAULT && nlmsg_datalen(hdr) >= (int)sizeof(def)) {
		memcpy(&def, nlmsg_data(hdr), sizeof(def));
		xfrm->block = def.fwd == XFRM_USERPOLICY_BLOCK || def.out == XFRM_USERPOLICY_BLOCK;
		xfrm->default_known = true;
	}
	if (hdr->nlmsg_type == XFRM_MSG_NEWSPDINFO &&
	    nlmsg_parse(hdr, sizeof(uint32_t), tb, XFRMA_SPD_MAX, NULL) >= 0 &&
	    tb[XFRMA_SPD_INFO] && nla_len(tb[XFRMA_SPD_INFO]) >= (int)sizeof(spd)) {
		memcpy(&spd, nla_data(tb[XFRMA_SPD_INFO]), sizeof(spd));
		/* inscnt and the like are the policies of single sockets: not for forwarding */
		xfrm->policies = spd.fwdcnt || spd.outcnt;
		xfrm->spd_known = true;
	}
	view->links.judge = true;
}

static void xfrm_message(void *arg, struct nlmsghdr *hdr)
{
	struct kernel_view *view = arg;
	struct kv_xfrm *xfrm = &view->xfrm;
	int spd_end = nlsock_end(hdr, xfrm->spd_seq);

	if (hdr->nlmsg_type < NLMSG_MIN_TYPE) {
		if (spd_end < 0)
			xfrm->spd_known = false;
		/* EINVAL: Linux before 5.15 has no default policy: what none matches passes */
		if (nlsock_end(hdr, xfrm->default_seq) == -EINVAL)
			xfrm->default_known = true;
		view->links.judge = true;
		return;
	}
	if (hdr->nlmsg_pid == nl_socket_get_local_port(xfrm->sock) && hdr->nlmsg_seq &&
	    (hdr->nlmsg_seq == xfrm->spd_seq || hdr->nlmsg_seq == xfrm->default_seq)) {
		xfrm_answer(view, hdr);
		return;
	}
	if (hdr->nlmsg_type == XFRM_MSG_NEWPOLICY) { /* to the safe side at once */
		xfrm->policies = true;
		view->links.judge = true;
	}
	kv_xfrm_poll(view);
}

static int xfrm_readable(void *arg, unsigned int what)
{
	struct kernel_view *view = arg;
	int err = nlsock_read(view->xfrm.sock, KV_BUDGET, xfrm_message, view);

	if (err == -ENOBUFS) {
		kv_xfrm_poll(view);
		err = 0;
	}
	kv_link_judge(view);
	return err;
}

int kv_xfrm_init(struct kernel_view *view)
{
	static const unsigned int groups[] = { XFRMNLGRP_POLICY, 0 };
	struct kv_xfrm *xfrm = &view->xfrm;

	xfrm->sock = nlsock_open(NETLINK_XFRM, groups);
	if (!xfrm->sock) {
		xfrm->spd_known = xfrm->default_known = nlsock_absent(-errno);
		if (!xfrm->spd_known) /* so nothing is eligible */
			log_error("kernel", "IPsec cannot be asked error=%s", strerror(errno));
		return 0;
	}
	xfrm->source = loop_fd(view->loop, "xfrm", LOOP_PRIO_NORMAL, nl_socket_get_fd(xfrm->sock),
			       LOOP_READ, xfrm_readable, view);
	if (!xfrm->source)
		return -errno;
	kv_xfrm_poll(view);
	return 0;
}

void kv_xfrm_done(struct kernel_view *view)
{
	loop_source_free(view->xfrm.source);
	nl_socket_free(view->xfrm.sock);
}

void kv_xfrm_poll(struct kernel_view *view)
{
	struct kv_xfrm *xfrm = &view->xfrm;
	struct xfrm_userpolicy_default def = { 0 };
	uint32_t flags = 0;

	if (!xfrm->sock)
		return;
	if (nlsock_post(xfrm->sock, nlsock_request(XFRM_MSG_GETSPDINFO, 0, &flags, sizeof(flags)),
			&xfrm->spd_seq) ||
	    nlsock_post(xfrm->sock, nlsock_request(XFRM_MSG_GETDEFAULT, 0, &def, sizeof(def)),
			&xfrm->default_seq))
		view->stats.errors++;
}
