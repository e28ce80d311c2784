/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Offload status frames for zebra. */
#include <errno.h>
#include <string.h>
#include <linux/rtnetlink.h>

#include "fpm-xdp/fpm_frame.h"
#include "fpm-xdp/offload_reply.h"

static uint32_t state_flag(enum fib_state state)
{
	switch (state) {
	case FIB_ST_OFFLOADED:
		return RTM_F_OFFLOAD;
	case FIB_ST_TRAPPED:
		return RTM_F_TRAP;
	case FIB_ST_FAILED:
		return RTM_F_OFFLOAD_FAILED;
	case FIB_ST_PENDING:
		break;
	}
	return 0;
}

static uint8_t *put(uint8_t *at, const void *data, size_t len)
{
	memcpy(at, data, len);
	return at + len;
}

/* Addresses and u32 are multiples of 4 long: no padding. */
static uint8_t *put_attr(uint8_t *at, uint16_t type, const void *data, size_t len)
{
	struct rtattr rta = { (uint16_t)(sizeof(rta) + len), type };

	return put(put(at, &rta, sizeof(rta)), data, len);
}

int offload_reply(const struct fib_status *status, uint8_t *buf, size_t size)
{
	size_t addr_len = fx_family_bits(status->dst.family) / 8;
	bool wide = status->table > UINT8_MAX;
	struct nlmsghdr nlh = {
		.nlmsg_type = RTM_NEWROUTE,
		.nlmsg_flags = NLM_F_REQUEST, /* without it FRR 10.4 and newer ignore the message */
	};
	struct rtmsg rtm = {
		.rtm_family = status->dst.family,
		.rtm_dst_len = status->dst.len,
		.rtm_table = wide ? RT_TABLE_UNSPEC : (uint8_t)status->table,
		.rtm_protocol = status->protocol,
		.rtm_type = status->rtm_type,
		.rtm_flags = state_flag(status->state),
	};
	size_t len;
	uint8_t *at;

	if (!addr_len)
		return -EINVAL;
	if (!rtm.rtm_flags || status->protocol == RTPROT_KERNEL || status->protocol == RTPROT_ZEBRA)
		return 0;
	nlh.nlmsg_len = (uint32_t)(sizeof(nlh) + sizeof(rtm) + sizeof(struct rtattr) + addr_len);
	if (wide)
		nlh.nlmsg_len += sizeof(struct rtattr) + sizeof(status->table);
	len = FPM_HDR_LEN + nlh.nlmsg_len;
	if (len > size)
		return -ENOSPC;
	at = put(buf, (uint8_t[]){ 1, FPM_TYPE_NETLINK, 0, (uint8_t)len }, FPM_HDR_LEN);
	at = put(at, &nlh, sizeof(nlh));
	at = put(at, &rtm, sizeof(rtm));
	at = put_attr(at, RTA_DST, status->dst.bytes, addr_len);
	if (wide)
		put_attr(at, RTA_TABLE, &status->table, sizeof(status->table));
	return (int)len;
}
