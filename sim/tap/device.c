/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "tap/device.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nd/error.h"
#include "tap/address.h"

/* Say what could not be done to the interface, and what helps. */
static int refuse(const struct nd__tap_device *device, const char *what, int why,
                  char error[ND_SIM_ERROR_BYTES]) {
    const char *hint = "";

    if (why == EPERM || why == EACCES) {
        hint = "; needs root or CAP_NET_ADMIN, or an interface made before by: ip tuntap add mode "
               "tap user NAME";
    } else if (why == EBUSY) {
        hint = "; another program uses it";
    } else if (why == EINVAL && device->borrowed) {
        hint = "; it exists and is no TAP interface";
    }
    snprintf(error, ND_SIM_ERROR_BYTES, "cannot %s %s: %s%s", what, device->name, strerror(why),
             hint);
    return ND_E_STACK;
}

static int attach(struct nd__tap_device *device, char error[ND_SIM_ERROR_BYTES]) {
    struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI};

    device->fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (device->fd < 0) {
        snprintf(error, ND_SIM_ERROR_BYTES, "cannot open /dev/net/tun: %s%s", strerror(errno),
                 errno == ENOENT || errno == ENODEV ? "; load the kernel module tun" : "");
        return ND_E_STACK;
    }
    memcpy(request.ifr_name, device->name, sizeof request.ifr_name);
    if (ioctl(device->fd, TUNSETIFF, &request) != 0) {
        return refuse(device, device->borrowed ? "use interface" : "make interface", errno, error);
    }
    return ND_OK;
}

/* Set or clear IFF_UP; *was_up tells how it was. 0 or an errno; what is right already needs no
 * permission. */
static int set_up(const char *name, bool up, bool *was_up) {
    struct ifreq request = {.ifr_flags = 0};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int error = 0;

    if (fd < 0) {
        return errno;
    }
    memcpy(request.ifr_name, name, strlen(name) + 1);
    if (ioctl(fd, SIOCGIFFLAGS, &request) != 0) {
        error = errno;
    } else {
        *was_up = (request.ifr_flags & IFF_UP) != 0;
        request.ifr_flags = (short)(up ? request.ifr_flags | IFF_UP : request.ifr_flags & ~IFF_UP);
        if (*was_up != up && ioctl(fd, SIOCSIFFLAGS, &request) != 0) {
            error = errno;
        }
    }
    close(fd);
    return error;
}

static int raise_up(struct nd__tap_device *device, char error[ND_SIM_ERROR_BYTES]) {
    bool was_up = false;
    int why = set_up(device->name, true, &was_up);

    if (why != 0) {
        return refuse(device, "bring up", why, error);
    }
    device->raised = !was_up;
    return ND_OK;
}

static int give_address(struct nd__tap_device *device, char error[ND_SIM_ERROR_BYTES]) {
    static const uint8_t none[4];
    int why;

    if (memcmp(device->host_ip, none, sizeof none) == 0) {
        return ND_OK;
    }
    why = nd__tap_address_add(device->name, device->host_ip, device->host_bits);
    if (why != 0 && why != EEXIST) {
        return refuse(device, "give an address to", why, error);
    }
    device->has_address = why == 0;
    return ND_OK;
}

int nd__tap_device_open(struct nd__tap_device *device, const struct nd_sim_tap *cfg,
                        char error[ND_SIM_ERROR_BYTES]) {
    int result;

    *device = (struct nd__tap_device){.fd = -1, .host_bits = cfg->host_bits};
    if (cfg->name[0] == '\0' || strlen(cfg->name) >= sizeof device->name) {
        snprintf(error, ND_SIM_ERROR_BYTES,
                 "cannot name an interface %.64s: expected 1 to %zu characters", cfg->name,
                 sizeof device->name - 1);
        return ND_E_ARG;
    }
    memcpy(device->name, cfg->name, strlen(cfg->name));
    memcpy(device->host_ip, cfg->host_ip, sizeof device->host_ip);
    device->borrowed = if_nametoindex(device->name) != 0;
    result = attach(device, error);
    if (result == ND_OK) {
        result = raise_up(device, error);
    }
    if (result == ND_OK) {
        result = give_address(device, error);
    }
    if (result != ND_OK) {
        nd__tap_device_close(device);
    }
    return result;
}

void nd__tap_device_close(struct nd__tap_device *device) {
    bool was_up;

    if (device->borrowed && device->has_address) {
        nd__tap_address_remove(device->name, device->host_ip, device->host_bits);
    }
    if (device->borrowed && device->raised) {
        set_up(device->name, false, &was_up);
    }
    if (device->fd >= 0) {
        close(device->fd);
    }
    device->fd = -1;
}
