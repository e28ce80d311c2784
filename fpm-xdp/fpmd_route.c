/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Routes: FPM frames and the kernel's own into the model, states of routes back to zebra. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "fpm-xdp/fpmd.h"
#include "fpm-xdp/offload_reply.h"
#include "lib/loop.h"

#define FPMD_FULL_MS 60000u

static void fpmd_connected(void *arg)
{
	struct fpmd *fpmd = arg;

	memset(&fpmd->peer, 0, sizeof(fpmd->peer));
	fpmd->peer.connected_ms = fpmd->peer.last_message_ms = loop_now_ms();
	fpm_origin_init(&fpmd->peer.origin);
	fib_resync_begin(fpmd->fib, FIB_FPM);
	/* zebra has forgotten what it was told. */
	if (fpmd->conf.offload_status)
		fib_status_enable(fpmd->fib, true);
	loop_timer_set(fpmd->sweep_timer, fpmd->options->quiet_ms);
}

/* What zebra said stands until it says otherwise. */
static void fpmd_closed(void *arg)
{
	struct fpmd *fpmd = arg;

	loop_timer_stop(fpmd->sweep_timer);
}

/* A zebra that shares our kernel installs each route there too, before it tells us; a remote one,
 * or one with its own stack, does not. The protobuf form does not say who sends: taken as remote.
 */
static void fpmd_see_sender(struct fpmd *fpmd, uint32_t sender)
{
	if (fpmd->peer.sender_known)
		return;
	fpmd->peer.sender_known = true;
	fpmd_set_kernel_first(fpmd, sender && kernel_view_is_local_port(sender));
}

/* Once in a while, however many they are. */
static void fpmd_tell_full(struct fpmd *fpmd, const struct fx_prefix *dst)
{
	uint64_t now = loop_now_ms();
	char text[FX_PREFIX_STRLEN];

	if (fpmd->full_told_ms && now - fpmd->full_told_ms < FPMD_FULL_MS)
		return;
	fpmd->full_told_ms = now;
	log_error("fib",
		  "no room for more routes, they stay with Linux: \"limit prefixes\" is %u "
		  "prefix=%s refused=%" PRIu64,
		  fpmd->conf.max_prefixes, fx_prefix_str(dst, text), fpmd->counters.refused);
}

/* A route that the model could not take: its packets stay with Linux. */
static void fpmd_refused(struct fpmd *fpmd, const struct rt_op *op, int error)
{
	char text[FX_PREFIX_STRLEN];

	fpmd->counters.refused++;
	if (error == -ENOSPC) {
		fpmd_tell_full(fpmd, &op->dst);
		return;
	}
	log_limited(&fpmd->limit, LOG_LEVEL_ERROR, "fib", "route not taken prefix=%s error=\"%s\"",
		    fx_prefix_str(&op->dst, text), strerror(-error));
}

static void fpmd_reply_failed(struct fpmd *fpmd, const struct rt_op *op)
{
	struct fib_status status = {
		.table = op->table,
		.dst = op->dst,
		.protocol = op->protocol,
		.rtm_type = op->rtm_type,
		.state = FIB_ST_FAILED,
	};
	uint8_t buf[OFFLOAD_REPLY_MAX];
	int len;

	if (!fpmd->conf.offload_status || op->verb != RT_ROUTE_ADD)
		return;
	len = offload_reply(&status, buf, sizeof(buf));
	if (len > 0)
		fpm_conn_send(fpmd->conn, buf, (size_t)len);
}

static void fpmd_trace(const char *source, const struct rt_op *op)
{
	char text[FX_PREFIX_STRLEN];

	if (!log_enabled(LOG_LEVEL_DEBUG) || (op->verb != RT_ROUTE_ADD && op->verb != RT_ROUTE_DEL))
		return;
	log_debug(source,
		  "route %s prefix=%s table=%u protocol=%u metric=%u nexthop-id=%u paths=%u",
		  op->verb == RT_ROUTE_ADD ? "added" : "deleted", fx_prefix_str(&op->dst, text),
		  op->table, op->protocol, op->metric, op->nh_id, op->npaths);
}

static void fpmd_fpm_op(struct fpmd *fpmd, const struct rt_op *op)
{
	int rc;

	if (op->verb == RT_SKIP) {
		fpmd->counters.skips[op->skip]++;
		return;
	}
	fpmd_trace("fpm", op);
	fpmd_see_sender(fpmd, op->sender);
	if (op->verb == RT_ROUTE_ADD || op->verb == RT_ROUTE_DEL)
		fpmd->peer.routes = true;
	rc = fib_route(fpmd->fib, FIB_FPM, op);
	if (rc < 0) {
		fpmd_refused(fpmd, op, rc);
		fpmd_reply_failed(fpmd, op);
	}
}

static enum fpm_reject fpmd_netlink(struct fpmd *fpmd, const struct fpm_frame *frame,
				    size_t *ret_offset)
{
	enum fpm_reject reject = FPM_REJ_NONE;
	enum rtnl_reject why;
	enum rtnl_origin origin;
	struct fpm_msgs msgs;
	const uint8_t *msg;
	size_t len;

	fpm_msgs_init(&msgs, frame);
	while (fpm_msgs_next(&msgs, &msg, &len, &reject) > 0) {
		fpmd->counters.messages++;
		origin = fpm_origin_see(&fpmd->peer.origin, msg, len);
		if (rtnl_decode(msg, len, origin, &fpmd->op, &why) < 0)
			fpmd->counters.rtnl_rejects[why]++;
		else
			fpmd_fpm_op(fpmd, &fpmd->op);
	}
	*ret_offset = msgs.offset;
	return reject;
}

static void fpmd_protobuf(struct fpmd *fpmd, const struct fpm_frame *frame)
{
	enum pb_reject why;

	fpmd->counters.messages++;
	if (pb_decode(frame->payload, frame->len, &fpmd->op, &why) < 0)
		fpmd->counters.pb_rejects[why]++;
	else
		fpmd_fpm_op(fpmd, &fpmd->op);
}

static enum fpm_reject fpmd_frame(void *arg, const struct fpm_frame *frame, size_t *ret_offset)
{
	enum fpm_reject reject = FPM_REJ_NONE;
	struct fpmd *fpmd = arg;

	fpmd->peer.last_message_ms = loop_now_ms();
	fpmd->peer.type = frame->type;
	switch (frame->type) {
	case FPM_TYPE_NETLINK:
		reject = fpmd_netlink(fpmd, frame, ret_offset);
		break;
	case FPM_TYPE_PROTOBUF:
		fpmd_protobuf(fpmd, frame);
		break;
	}
	fpmd_kick(fpmd);
	return reject;
}

static void fpmd_writable(void *arg)
{
	fpmd_replies(arg);
}

const struct fpm_conn_ops fpmd_conn_ops = {
	.connected = fpmd_connected,
	.frame = fpmd_frame,
	.writable = fpmd_writable,
	.closed = fpmd_closed,
};

void fpmd_kernel_route(void *arg, const struct rt_op *op)
{
	struct fpmd *fpmd = arg;
	int rc;

	if (op->verb == RT_SKIP)
		return;
	fpmd_trace("kernel", op);
	rc = fib_route(fpmd->fib, FIB_KERNEL, op);
	if (rc < 0)
		fpmd_refused(fpmd, op, rc);
	fpmd_kick(fpmd);
}

void fpmd_replies(struct fpmd *fpmd)
{
	uint8_t buf[OFFLOAD_REPLY_MAX];
	struct fib_status status;
	int len;

	if (!fpmd->conf.offload_status)
		return;
	/* A state is taken from the model only when it surely finds room. */
	while (fpm_conn_has_room(fpmd->conn, sizeof(buf)) && fib_status_next(fpmd->fib, &status)) {
		len = offload_reply(&status, buf, sizeof(buf));
		if (len > 0)
			fpm_conn_send(fpmd->conn, buf, (size_t)len);
	}
}
