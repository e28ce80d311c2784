// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sends through several lanes in turn and prints what each slice of time brought, one JSON object a
 * line. Run in the generator's network namespace; the sinks are in another one.
 *
 * A lane is NAME,INTERFACE,MAC,SINK-INTERFACE: frames leave through INTERFACE to MAC and are
 * counted where they end. The process stays on one CPU: the whole way of a frame, over two or three
 * veth hops, then runs in that CPU's softirqs, on this process's time.
 */
#include "config.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <err.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/traffic_frame.h"
#include "bench/traffic.skel.h"

enum { MAX_LANES = 8, BATCH = 64, REPEAT = 6400 };

struct lane {
	const char *name;
	struct traffic_conf conf;
	struct bpf_link *sink;
};

struct bench {
	struct traffic *skel;
	struct lane lanes[MAX_LANES];
	size_t nlanes;
	unsigned int hosts;
	size_t len;
	int ncpus;
	uint64_t *counts; /* one per CPU */
};

static uint64_t now_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void enter(int ns)
{
	if (setns(ns, CLONE_NEWNET))
		err(1, "setns");
}

static void add_lane(struct bench *bench, char *text, int here, int sink_ns)
{
	struct lane *lane = &bench->lanes[bench->nlanes++];
	const char *ifname, *mac, *sink;
	char *save = NULL;

	if (bench->nlanes > MAX_LANES)
		errx(2, "too many lanes");
	lane->name = strtok_r(text, ",", &save);
	ifname = strtok_r(NULL, ",", &save);
	mac = strtok_r(NULL, ",", &save);
	sink = strtok_r(NULL, ",", &save);
	if (!sink || traffic_frame_conf(&lane->conf, mac, bench->hosts, bench->len))
		errx(2, "a lane is NAME,INTERFACE,MAC,SINK-INTERFACE");
	lane->conf.ifindex = if_nametoindex(ifname);
	if (!lane->conf.ifindex)
		err(1, "%s", ifname);
	enter(sink_ns);
	lane->sink = bpf_program__attach_xdp(bench->skel->progs.traffic_sink,
					     (int)if_nametoindex(sink));
	if (!lane->sink)
		err(1, "cannot attach to %s", sink);
	enter(here);
}

static uint64_t arrived(const struct bench *bench)
{
	uint64_t sum = 0;
	uint32_t zero = 0;
	int cpu;

	if (bpf_map_lookup_elem(bpf_map__fd(bench->skel->maps.arrived), &zero, bench->counts))
		err(1, "arrived");
	for (cpu = 0; cpu < bench->ncpus; cpu++)
		sum += bench->counts[cpu];
	return sum;
}

/* Live frames for this long; what is still on its way at the end is waited for by the kernel's own
 * batch flush, since each hop is a softirq of this CPU. */
static void run_slice(struct bench *bench, const struct lane *lane, int round, double seconds)
{
	uint8_t frame[2048] = { 0 };
	uint64_t wall, cpu, before, packets = 0, delivered;
	uint64_t length = (uint64_t)(seconds * 1e9);
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = (uint32_t)bench->len,
		    .repeat = REPEAT, .flags = BPF_F_TEST_XDP_LIVE_FRAMES, .batch_size = BATCH);

	bench->skel->bss->conf = lane->conf;
	before = arrived(bench);
	wall = now_ns(CLOCK_MONOTONIC);
	cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID);
	while (now_ns(CLOCK_MONOTONIC) - wall < length) {
		if (bpf_prog_test_run_opts(bpf_program__fd(bench->skel->progs.traffic_send), &opts))
			err(1, "live frames");
		packets += REPEAT;
	}
	cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	wall = now_ns(CLOCK_MONOTONIC) - wall;
	delivered = arrived(bench) - before;
	printf("{\"round\":%d,\"lane\":\"%s\",\"sent\":%llu,\"arrived\":%llu,\"cpu_ns\":%llu,"
	       "\"wall_ns\":%llu}\n",
	       round, lane->name, (unsigned long long)packets, (unsigned long long)delivered,
	       (unsigned long long)cpu, (unsigned long long)wall);
	fflush(stdout);
}

static void stay_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "cannot stay on CPU %d", cpu);
}

int main(int argc, char **argv)
{
	struct bench bench = { 0 };
	int here, sink_ns, rounds, round, i;
	double seconds;
	size_t n;

	if (argc < 8)
		errx(2, "usage: traffic CPU SECONDS ROUNDS LENGTH HOSTS SINK-NETNS LANE...");
	stay_on(atoi(argv[1]));
	seconds = atof(argv[2]);
	rounds = atoi(argv[3]);
	bench.len = (size_t)atoi(argv[4]);
	bench.hosts = (unsigned int)atoi(argv[5]);
	bench.ncpus = libbpf_num_possible_cpus();
	bench.counts = calloc((size_t)bench.ncpus, sizeof(*bench.counts));
	if (!bench.counts)
		err(1, "calloc");
	here = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	sink_ns = open(argv[6], O_RDONLY | O_CLOEXEC);
	if (here < 0 || sink_ns < 0)
		err(1, "%s", argv[6]);
	bench.skel = traffic__open_and_load();
	if (!bench.skel)
		err(1, "cannot load the traffic programs");
	for (i = 7; i < argc; i++)
		add_lane(&bench, argv[i], here, sink_ns);
	for (round = 0; round < rounds; round++)
		for (n = 0; n < bench.nlanes; n++)
			run_slice(&bench, &bench.lanes[(n + (size_t)round) % bench.nlanes], round,
				  seconds);
	for (n = 0; n < bench.nlanes; n++)
		bpf_link__destroy(bench.lanes[n].sink);
	traffic__destroy(bench.skel);
	free(bench.counts);
	return 0;
}
