/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel: what it is, and whether it takes what the forwarding programs are made of. */
#include "config.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "cli/doctor.h"
#include "cli/frr_version.h"

#define AREA "kernel"

static void kernel_version(struct report *report)
{
	static const struct version oldest = { 6, 1, 0 }, least = { 5, 18, 0 };
	struct version version;
	struct utsname name;

	if (uname(&name) < 0 || version_parse(name.release, &version) < 0)
		return;
	if (version_compare(&version, &oldest) >= 0)
		report_add(report, REPORT_OK, AREA, NULL, NULL, "Linux %s", name.release);
	else if (version_compare(&version, &least) >= 0)
		report_add(report, REPORT_WARN, AREA, NULL, "boot Linux 6.1 or newer",
			   "Linux %s is older than 6.1, the oldest that is tested", name.release);
	else /* xdp.frags came with 5.18 */
		report_add(report, REPORT_FAIL, AREA, NULL, "boot Linux 6.1 or newer",
			   "Linux %s cannot load the programs (XDP with fragments: 5.18)",
			   name.release);
}

/* The smallest XDP program there is, with the flag that all of ours carry. 0 or negative errno;
 * whether it was compiled. */
static int kernel_load_xdp(bool *ret_jit)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = XDP_PASS },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = BPF_F_XDP_HAS_FRAGS);
	struct bpf_prog_info info = { 0 };
	uint32_t len = sizeof(info);
	int fd = bpf_prog_load(BPF_PROG_TYPE_XDP, "fx_doctor", "GPL", insns, 2, &opts);

	if (fd < 0)
		return fd;
	*ret_jit = bpf_obj_get_info_by_fd(fd, &info, &len) == 0 && info.jited_prog_len > 0;
	close(fd);
	return 0;
}

static void kernel_maps(struct report *report)
{
	static const struct {
		enum bpf_map_type type;
		const char *name;
	} maps[] = {
		{ BPF_MAP_TYPE_LPM_TRIE, "LPM trie" },
		{ BPF_MAP_TYPE_DEVMAP_HASH, "devmap hash" },
		{ BPF_MAP_TYPE_PROG_ARRAY, "program array" },
		{ BPF_MAP_TYPE_PERCPU_ARRAY, "per-CPU array" },
	};
	size_t i, lacking = 0;

	for (i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		if (libbpf_probe_bpf_map_type(maps[i].type, NULL) > 0)
			continue;
		report_add(report, REPORT_FAIL, AREA, NULL,
			   "use a kernel with CONFIG_BPF_SYSCALL=y", "no BPF map of type %s",
			   maps[i].name);
		lacking++;
	}
	if (!lacking)
		report_add(report, REPORT_OK, AREA, NULL, NULL,
			   "BPF programs and maps: XDP with fragments and all map types load");
}

static void kernel_jit(struct report *report, bool jit)
{
	if (jit)
		report_add(report, REPORT_OK, AREA, NULL, NULL, "BPF JIT is on");
	else
		report_add(report, REPORT_WARN, AREA, NULL, "sysctl -w net.core.bpf_jit_enable=1",
			   "BPF JIT is off: programs are interpreted, many times slower");
}

static void kernel_bpf(struct report *report)
{
	bool jit = false;
	int err = kernel_load_xdp(&jit);

	if (!err) {
		kernel_maps(report);
		kernel_jit(report, jit);
	} else if (err == -EPERM || err == -EACCES) {
		report_add(report, geteuid() ? REPORT_WARN : REPORT_FAIL, AREA, NULL,
			   geteuid() ? "sudo frr-xdp doctor"
				     : "give the process CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON",
			   "no permission to load BPF programs");
	} else if (err == -ENOSYS) {
		report_add(report, REPORT_FAIL, AREA, NULL,
			   "use a kernel with CONFIG_BPF_SYSCALL=y", "no bpf() system call");
	} else {
		report_add(report, REPORT_FAIL, AREA, NULL, NULL,
			   "an XDP program with fragments does not load: %s", strerror(-err));
	}
}

static void kernel_btf(struct report *report)
{
	if (access("/sys/kernel/btf/vmlinux", R_OK) == 0)
		report_add(report, REPORT_OK, AREA, NULL, NULL, "BTF: /sys/kernel/btf/vmlinux");
	else
		report_add(report, REPORT_INFO, AREA, NULL, NULL,
			   "no BTF (/sys/kernel/btf/vmlinux): forwarding does not need it");
}

static void kernel_bpffs(struct report *report)
{
	struct statfs fs;

	if (statfs("/sys/fs/bpf", &fs) == 0 && (unsigned long)fs.f_type == BPF_FS_MAGIC)
		report_add(report, REPORT_OK, AREA, NULL, NULL, "bpffs is mounted on /sys/fs/bpf");
	else
		report_add(report, REPORT_WARN, AREA, NULL, "mount -t bpf bpf /sys/fs/bpf",
			   "bpffs is not mounted on /sys/fs/bpf (inside `ip netns exec` it is "
			   "hidden: use nsenter --net=/run/netns/NAME)");
}

static int kernel_no_log(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	return 0;
}

void doctor_kernel(struct doctor *doctor)
{
	libbpf_set_print(kernel_no_log);
	kernel_version(doctor->report);
	kernel_bpf(doctor->report);
	kernel_btf(doctor->report);
	kernel_bpffs(doctor->report);
}
