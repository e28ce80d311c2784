/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a peer may send to the FPM port: a stream, from its first byte to the model. */
#include <stdlib.h>

#include "fpm-xdp/fpm_frame.h"
#include "fpm-xdp/fpm_origin.h"
#include "fpm-xdp/pb_decode.h"
#include "fpm-xdp/rtnl_decode.h"
#include "tests/fuzz/fuzz_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int netlink_frame(struct fuzz_model *model, struct fpm_origin *origin,
			 const struct fpm_frame *frame, struct rt_op *op)
{
	enum fpm_reject fpm_why = FPM_REJ_NONE;
	struct fpm_msgs msgs;
	const uint8_t *msg;
	size_t len;
	int n;

	fpm_msgs_init(&msgs, frame);
	while ((n = fpm_msgs_next(&msgs, &msg, &len, &fpm_why)) > 0) {
		enum rtnl_origin as = fpm_origin_see(origin, msg, len);
		enum rtnl_reject why = RTNL_REJ_NONE;

		if (rtnl_decode(msg, len, as, op, &why) > 0)
			fuzz_model_apply(model, FIB_FPM, op);
		else
			fuzz_require(why != RTNL_REJ_NONE, "a reject has a reason");
	}
	fuzz_require((n < 0) == (fpm_why != FPM_REJ_NONE), "a reject has a reason");
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_op *op = malloc(sizeof(*op)); /* so that reads of what was not written show */
	enum fpm_reject why = FPM_REJ_NONE;
	enum pb_reject pb_why = PB_REJ_NONE;
	struct fpm_origin origin;
	struct fuzz_model model;
	struct fpm_frame frame;
	int n;

	fuzz_model_init(&model);
	fpm_origin_init(&origin);
	while ((n = fpm_frame_next(data, size, &frame, &why)) > 0) {
		fuzz_require((size_t)n <= size && frame.payload + frame.len == data + n,
			     "a frame ends in the stream");
		data += n;
		size -= (size_t)n;
		if (frame.type == FPM_TYPE_PROTOBUF) {
			if (pb_decode(frame.payload, frame.len, op, &pb_why) > 0)
				fuzz_model_apply(&model, FIB_FPM, op);
		} else if (netlink_frame(&model, &origin, &frame, op) < 0) {
			break;
		}
	}
	fuzz_model_done(&model);
	free(op);
	return 0;
}
