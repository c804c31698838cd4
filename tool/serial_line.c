/* SPDX-License-Identifier: BSD-3-Clause */
#include "serial_line.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "nd/error.h"
#include "units.h"

/* Longest wait at closing for what was written to leave [ms]: a full buffer at 9600 baud takes as
 * long, and a line that nobody reads is not waited for. */
#define DRAIN_LIMIT_MS 500
#define DRAIN_NAP_MS   10

/* Rates that termios(3) names. */
static const struct {
    uint32_t baud;
    speed_t speed;
} rates[] = {
    {1200, B1200},       {2400, B2400},       {4800, B4800},       {9600, B9600},
    {19200, B19200},     {38400, B38400},     {57600, B57600},     {115200, B115200},
    {230400, B230400},   {460800, B460800},   {500000, B500000},   {576000, B576000},
    {921600, B921600},   {1000000, B1000000}, {1152000, B1152000}, {1500000, B1500000},
    {2000000, B2000000}, {2500000, B2500000}, {3000000, B3000000}, {3500000, B3500000},
    {4000000, B4000000},
};

/* ---- the name ------------------------------------------------------------------------ */

static bool find_speed(uint64_t baud, speed_t *speed) {
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        if (rates[i].baud == baud) {
            *speed = rates[i].speed;
            return true;
        }
    }
    return false;
}

/* A path may have an @, too: a rate is what stands behind the last one. */
static bool parse(const char *text, char path[PATH_MAX], speed_t *speed) {
    const char *at = strrchr(text, '@');
    size_t length = at != NULL ? (size_t)(at - text) : strlen(text);
    uint64_t baud = SERIAL_LINE_BAUD;

    if (length == 0 || length >= PATH_MAX ||
        (at != NULL && units_parse(UNITS_COUNT, at + 1, &baud) != UNITS_OK)) {
        return false;
    }
    memcpy(path, text, length);
    path[length] = '\0';
    return find_speed(baud, speed);
}

bool serial_line_is_form(const char *text) {
    char path[PATH_MAX];
    speed_t speed;

    return parse(text, path, &speed);
}

/* ---- opening ------------------------------------------------------------------------- */

static bool set_raw(int fd, speed_t speed) {
    struct termios mode;

    if (tcgetattr(fd, &mode) != 0) {
        return false;
    }
    cfmakeraw(&mode);
    mode.c_cflag |= CLOCAL | CREAD;
    mode.c_cflag &= ~(tcflag_t)(CSTOPB | CRTSCTS);
    mode.c_cc[VMIN] = 1;
    mode.c_cc[VTIME] = 0;
    cfsetispeed(&mode, speed);
    cfsetospeed(&mode, speed);
    return tcsetattr(fd, TCSANOW, &mode) == 0;
}

static int fail(struct serial_line *line, char *error, size_t error_size, const char *why) {
    snprintf(error, error_size, "cannot open the serial line %s: %s", line->path, why);
    if (line->fd >= 0) {
        close(line->fd);
    }
    if (line->far_fd >= 0) {
        close(line->far_fd);
    }
    return -1;
}

int serial_line_open(struct serial_line *line, const char *text, char *error, size_t error_size) {
    speed_t speed;

    *line = (struct serial_line){.fd = -1, .far_fd = -1};
    if (!parse(text, line->path, &speed)) {
        return fail(line, error, error_size, "expected " SERIAL_LINE_FORM);
    }
    line->fd = open(line->path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (line->fd < 0) {
        return fail(line, error, error_size, strerror(errno));
    }
    if (flock(line->fd, LOCK_EX | LOCK_NB) != 0) {
        return fail(line, error, error_size, "another program uses it");
    }
    if (!set_raw(line->fd, speed)) {
        return fail(line, error, error_size,
                    errno == ENOTTY ? "it is no terminal" : strerror(errno));
    }
    tcflush(line->fd, TCIOFLUSH);
    return 0;
}

int serial_line_make(struct serial_line *line, char *error, size_t error_size) {
    *line = (struct serial_line){.fd = -1, .far_fd = -1, .path = "/dev/ptmx"};
    line->fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (line->fd < 0 || grantpt(line->fd) != 0 || unlockpt(line->fd) != 0 ||
        ptsname_r(line->fd, line->path, sizeof line->path) != 0) {
        return fail(line, error, error_size, strerror(errno));
    }
    line->far_fd = open(line->path, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (line->far_fd < 0 || !set_raw(line->far_fd, B115200)) {
        return fail(line, error, error_size, strerror(errno));
    }
    return 0;
}

/* ---- bytes --------------------------------------------------------------------------- */

static int judge(ssize_t n) {
    if (n > 0) {
        return (int)n;
    }
    return n < 0 && (errno == EAGAIN || errno == EINTR) ? ND_AGAIN : ND_E_RESET;
}

int serial_line_read(const struct serial_line *line, char *bytes, size_t size) {
    return judge(read(line->fd, bytes, size));
}

int serial_line_write(const struct serial_line *line, const char *bytes, size_t size) {
    return judge(write(line->fd, bytes, size));
}

void serial_line_close(struct serial_line *line) {
    int waiting;

    for (int ms = 0; ms < DRAIN_LIMIT_MS; ms += DRAIN_NAP_MS) {
        if (ioctl(line->fd, TIOCOUTQ, &waiting) != 0 || waiting == 0) {
            break;
        }
        poll(NULL, 0, DRAIN_NAP_MS);
    }
    close(line->fd);
    if (line->far_fd >= 0) {
        close(line->far_fd);
    }
    line->fd = -1;
}
