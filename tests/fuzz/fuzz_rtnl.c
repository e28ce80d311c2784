/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Netlink messages one after the other, good and bad, from both of the model's sources: nlmsg_seq,
 * which no decoder reads, says whose a message is. Types that the decoder skips are events here.
 */
#include <stdlib.h>
#include <string.h>
#include <linux/rtnetlink.h>

#include "fpm-xdp/rtnl_attr.h"
#include "fpm-xdp/rtnl_decode.h"
#include "tests/fuzz/fuzz_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void message(struct fuzz_model *model, const uint8_t *data, size_t size, struct rt_op *op)
{
	enum rtnl_reject why = RTNL_REJ_NONE;
	struct nlmsghdr nlh;
	bool fpm;

	memcpy(&nlh, data, sizeof(nlh));
	fpm = nlh.nlmsg_seq & 1;
	if (nlh.nlmsg_type >= RTM_NEWLINK && nlh.nlmsg_type < RTM_NEWLINK + 8)
		fuzz_model_event(model, nlh.nlmsg_type - RTM_NEWLINK, nlh.nlmsg_pid, fpm);
	else if (rtnl_decode(data, size, fpm ? RTNL_FPM_DPLANE : RTNL_KERNEL, op, &why) > 0)
		fuzz_model_apply(model, fpm ? FIB_FPM : FIB_KERNEL, op);
	else
		fuzz_require(why != RTNL_REJ_NONE, "a reject has a reason");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_op *op = malloc(sizeof(*op));
	struct fuzz_model model;

	fuzz_model_init(&model);
	while (size >= sizeof(struct nlmsghdr)) {
		size_t len = RTNL_ALIGN((size_t)rtnl_u32(data));

		message(&model, data, size, op);
		if (len < sizeof(struct nlmsghdr) || len > size)
			break;
		data += len;
		size -= len;
	}
	fuzz_model_done(&model);
	free(op);
	return 0;
}
