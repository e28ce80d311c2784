/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The control socket, the asker's side. */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/ctl.h"
#include "lib/ctl_client.h"

static int ctl_client_line(const char *const *words, struct strbuf *line)
{
	for (; *words; words++) {
		if (!**words || strpbrk(*words, " \t\r\n"))
			return -EINVAL;
		if (line->len)
			strbuf_puts(line, " ");
		strbuf_puts(line, *words);
	}
	strbuf_puts(line, "\n");
	if (line->failed)
		return -ENOMEM;
	return line->len > CTL_MAX_REQUEST ? -EINVAL : 0;
}

static int ctl_client_connect(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd, rc;

	if (strlen(path) >= sizeof(addr.sun_path))
		return -ENAMETOOLONG;
	strcpy(addr.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0) {
		rc = -errno;
		close(fd);
		return rc;
	}
	return fd;
}

static int ctl_client_read(int fd, int timeout_ms, ctl_client_chunk chunk, void *arg)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	bool some = false;
	char buf[65536];
	ssize_t n;
	int rc;

	for (;;) {
		rc = poll(&pfd, 1, timeout_ms);
		if (rc == 0)
			return -ETIMEDOUT;
		n = rc < 0 ? -1 : recv(fd, buf, sizeof(buf), 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return some ? 0 : -EPIPE;
		some = true;
		rc = chunk(arg, buf, (size_t)n);
		if (rc)
			return rc;
	}
}

int ctl_client_ask(const char *path, const char *const *words, int timeout_ms,
		   ctl_client_chunk chunk, void *arg)
{
	struct strbuf line = { 0 };
	int fd = -1;
	int rc;

	rc = ctl_client_line(words, &line);
	if (!rc) {
		fd = ctl_client_connect(path);
		rc = fd < 0 ? fd : 0;
	}
	/* A line of at most CTL_MAX_REQUEST bytes fits into a fresh socket's buffer whole. */
	if (!rc && send(fd, line.text, line.len, MSG_NOSIGNAL) < 0)
		rc = -errno;
	strbuf_done(&line);
	if (!rc)
		rc = ctl_client_read(fd, timeout_ms, chunk, arg);
	if (fd >= 0)
		close(fd);
	return rc;
}

static int ctl_client_collect(void *arg, const char *data, size_t len)
{
	struct strbuf *buf = arg;

	strbuf_add(buf, data, len);
	return buf->failed ? -ENOMEM : 0;
}

int ctl_client_ask_text(const char *path, const char *const *words, int timeout_ms, char **ret_text)
{
	struct strbuf buf = { 0 };
	int rc;

	rc = ctl_client_ask(path, words, timeout_ms, ctl_client_collect, &buf);
	if (rc) {
		strbuf_done(&buf);
		return rc;
	}
	*ret_text = buf.text;
	return 0;
}
