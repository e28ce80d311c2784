/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/run.h"

extern char **environ;

static long long run_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int run_spawn(char *const *argv, int out, pid_t *ret)
{
	posix_spawn_file_actions_t actions;
	int err;

	err = posix_spawn_file_actions_init(&actions);
	if (err)
		return -err;
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	err = posix_spawnp(ret, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -err;
}

/* Until the other end is closed. 0, -ETIMEDOUT, negative errno. */
static int run_drain(int fd, long long deadline, char *buf, size_t size)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	char waste[4096];
	size_t len = 0;
	ssize_t n;
	long long left;

	buf[0] = '\0';
	for (;;) {
		left = deadline - run_now_ms();
		if (left <= 0)
			return -ETIMEDOUT;
		if (poll(&pfd, 1, (int)left) <= 0)
			continue;
		n = len + 1 < size ? read(fd, buf + len, size - len - 1)
				   : read(fd, waste, sizeof(waste));
		if (n <= 0)
			return n < 0 ? -errno : 0;
		if (len + 1 < size)
			len += (size_t)n;
		buf[len] = '\0';
	}
}

int run_read(char *const *argv, int timeout_ms, char *buf, size_t size)
{
	long long deadline = run_now_ms() + timeout_ms;
	int fds[2], err, status;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	err = run_spawn(argv, fds[1], &pid);
	close(fds[1]);
	if (err) {
		close(fds[0]);
		return err;
	}
	err = run_drain(fds[0], deadline, buf, size);
	close(fds[0]);
	/* Its end of the pipe is closed, so it is at its end, or late. */
	if (err)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (err)
		return err;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -EINTR;
}
