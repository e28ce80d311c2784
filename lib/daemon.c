/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What makes a process a daemon. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/daemon.h"

#define DAEMON_LOCK_TRIES 25 /* half a second */

bool daemon_pathspace_valid(const char *name)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789-_";
	size_t len = strlen(name);

	return len > 0 && len <= 32 && strspn(name, allowed) == len;
}

char *daemon_path(char *buf, const char *base, const char *pathspace, const char *file)
{
	snprintf(buf, DAEMON_PATH_SIZE, "%s%s%s%s%s", base, pathspace ? "/" : "",
		 pathspace ? pathspace : "", file ? "/" : "", file ? file : "");
	return buf;
}

char *daemon_conf_path(char *buf, const char *pathspace)
{
	return daemon_path(buf, DAEMON_CONF_DIR, pathspace, "frr-xdp.conf");
}

static int daemon_mkdir(const char *path)
{
	return mkdir(path, 0755) < 0 && errno != EEXIST ? -errno : 0;
}

/* A path and all above it. */
static int daemon_mkdir_all(char *path)
{
	char *slash = path;
	int rc = 0;

	while (!rc && (slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		rc = daemon_mkdir(path);
		*slash = '/';
	}
	return rc < 0 ? rc : daemon_mkdir(path);
}

int daemon_make_dir(const char *base, const char *pathspace)
{
	char path[DAEMON_PATH_SIZE];

	return daemon_mkdir_all(daemon_path(path, base, pathspace, NULL));
}

/* The parent's half: never returns. */
static void daemon_wait_for_child(pid_t child, int fd)
{
	char byte;
	int status;

	if (read(fd, &byte, 1) == 1)
		_exit(0);
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			_exit(1);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

int daemon_background(void)
{
	int fds[2];
	pid_t child;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	child = fork();
	if (child < 0) {
		close(fds[0]);
		close(fds[1]);
		return -errno;
	}
	if (child > 0) {
		close(fds[1]);
		daemon_wait_for_child(child, fds[0]);
	}
	close(fds[0]);
	setsid();
	return fds[1];
}

void daemon_ready(int background_fd)
{
	int null;

	daemon_notify("READY=1");
	if (background_fd < 0)
		return;
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		close(null);
	}
	if (chdir("/") < 0)
		return; /* a folder that was removed under us: no harm */
	if (write(background_fd, "", 1) == 1)
		close(background_fd);
}

void daemon_notify(const char *state)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	const char *path = getenv("NOTIFY_SOCKET");
	size_t len;
	int fd;

	if (!path || (*path != '/' && *path != '@'))
		return;
	len = strlen(path);
	if (len >= sizeof(addr.sun_path))
		return;
	memcpy(addr.sun_path, path, len);
	if (*path == '@')
		addr.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&addr,
	       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
	close(fd);
}

/* Opens and locks the file. -EBUSY: held. -ESTALE: it was removed by its owner in between. */
static int daemon_lock(const char *path)
{
	struct stat opened, named;
	int fd, rc = 0;

	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		rc = errno == EWOULDBLOCK ? -EBUSY : -errno;
	else if (fstat(fd, &opened) < 0 || stat(path, &named) < 0 || opened.st_ino != named.st_ino)
		rc = -ESTALE;
	if (rc < 0) {
		close(fd);
		return rc;
	}
	return fd;
}

int daemon_pid_file(const char *path)
{
	static const struct timespec pause = { .tv_nsec = 20000000 };
	char text[16];
	int tries, fd, len;

	/* A predecessor that was killed holds the lock until the kernel has taken it apart. */
	fd = daemon_lock(path);
	for (tries = 1; tries < DAEMON_LOCK_TRIES && (fd == -EBUSY || fd == -ESTALE); tries++) {
		nanosleep(&pause, NULL);
		fd = daemon_lock(path);
	}
	if (fd < 0)
		return fd;
	len = snprintf(text, sizeof(text), "%d\n", (int)getpid());
	if (ftruncate(fd, 0) < 0 || write(fd, text, (size_t)len) != len) {
		close(fd);
		return -EIO;
	}
	return fd;
}

int daemon_read_file(const char *path, size_t max, char **ret_text, size_t *ret_len)
{
	size_t len = 0;
	ssize_t n = 1;
	char *text;
	int fd, rc = 0;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	text = malloc(max + 1);
	if (!text)
		rc = -ENOMEM;
	while (!rc && n > 0 && len <= max) {
		n = read(fd, text + len, max + 1 - len);
		if (n > 0)
			len += (size_t)n;
		else if (n < 0)
			rc = -errno;
	}
	if (!rc && len > max)
		rc = -EFBIG;
	close(fd);
	if (rc < 0) {
		free(text);
		return rc;
	}
	text[len] = '\0';
	*ret_text = text;
	*ret_len = len;
	return 0;
}
