// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Nanoseconds per packet of a loaded XDP program, by BPF_PROG_TEST_RUN, one JSON object a line.
 * Each round times a program that writes a fresh frame and then does nothing, and one that writes a
 * fresh frame and runs the program under test; the difference is what the latter costs.
 */
#include "config.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <err.h>
#include <net/if.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "bpf/fx_abi.h"
#include "bench/traffic_frame.h"
#include "bench/traffic.skel.h"

enum { REPEAT = 200000, LEN = 64 };

/* Sets *ret_action to what the last run returned. */
static uint32_t run(struct traffic *skel, uint32_t ifindex, int under_test, uint32_t *ret_action)
{
	uint8_t frame[LEN] = { 0 };
	struct xdp_md ctx = { .data_end = LEN, .ingress_ifindex = ifindex };
	uint32_t zero = 0;
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = LEN, .ctx_in = &ctx,
		    .ctx_size_in = sizeof(ctx), .repeat = REPEAT);

	if (bpf_map_update_elem(bpf_map__fd(skel->maps.under_test), &zero, &under_test, BPF_ANY))
		err(1, "cannot put the program into the slot");
	if (bpf_prog_test_run_opts(bpf_program__fd(skel->progs.traffic_refresh), &opts))
		err(1, "test run");
	*ret_action = opts.retval;
	return opts.duration;
}

/* Which program a pinned array of slots holds; -1 with errno set. */
static int program_in_slot(const char *path, uint32_t slot)
{
	int fd = bpf_obj_get(path);
	uint32_t id;

	if (fd < 0 || bpf_map_lookup_elem(fd, &slot, &id))
		return -1;
	return bpf_prog_get_fd_by_id(id);
}

int main(int argc, char **argv)
{
	uint32_t action, ifindex, empty, full, i, rounds;
	struct traffic *skel;
	cpu_set_t set;
	int prog;

	if (argc != 7)
		errx(2, "usage: program CPU ROUNDS HOSTS SLOTS INTERFACE MAC");
	CPU_ZERO(&set);
	CPU_SET(atoi(argv[1]), &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "cannot stay on CPU %s", argv[1]);
	rounds = (uint32_t)atoi(argv[2]);
	prog = program_in_slot(argv[4], FX_SLOT_FWD);
	ifindex = if_nametoindex(argv[5]);
	skel = traffic__open_and_load();
	if (prog < 0 || !ifindex || !skel)
		err(1, "cannot get the program in %s and interface %s", argv[4], argv[5]);
	if (traffic_frame_conf(&skel->bss->conf, argv[6], (unsigned int)atoi(argv[3]), LEN))
		errx(2, "bad MAC address or number of hosts");
	for (i = 0; i < rounds; i++) {
		empty = run(skel, ifindex, bpf_program__fd(skel->progs.traffic_nothing), &action);
		full = run(skel, ifindex, prog, &action);
		if (action != XDP_REDIRECT)
			errx(1, "the program does not forward (%u)", action);
		printf("{\"round\":%u,\"empty_ns\":%u,\"full_ns\":%u}\n", i, empty, full);
	}
	traffic__destroy(skel);
	return 0;
}
