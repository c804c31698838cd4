/* SPDX-License-Identifier: BSD-3-Clause */
/* pcap.h names u_int and friends, which strict C11 hides. */
#define _DEFAULT_SOURCE
#include "link/capture.h"

#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>

struct nd__capture {
    pcap_t *pcap;
    pcap_dumper_t *dumper;
};

struct nd__capture *nd__capture_open(const char *path, char *error, size_t size) {
    struct nd__capture *capture = calloc(1, sizeof *capture);

    if (capture == NULL) {
        snprintf(error, size, "no memory for the capture");
        return NULL;
    }
    capture->pcap = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, ND_LOCKSTEP_FRAME_BYTES,
                                                         PCAP_TSTAMP_PRECISION_NANO);
    if (capture->pcap != NULL) {
        capture->dumper = pcap_dump_open(capture->pcap, path);
    }
    if (capture->dumper == NULL) {
        snprintf(error, size, "cannot write the capture: %s",
                 capture->pcap != NULL ? pcap_geterr(capture->pcap) : "no memory");
        nd__capture_close(capture);
        return NULL;
    }
    return capture;
}

void nd__capture_put(struct nd__capture *capture, uint64_t at_ns, const struct nd__frame *frame) {
    struct pcap_pkthdr header = {
        /* With the precision chosen above, tv_usec holds nanoseconds. */
        .ts = {.tv_sec = (time_t)(at_ns / 1000000000u),
               .tv_usec = (suseconds_t)(at_ns % 1000000000u)},
        .caplen = frame->bytes,
        .len = frame->bytes,
    };

    pcap_dump((u_char *)capture->dumper, &header, frame->data);
}

bool nd__capture_good(const struct nd__capture *capture) {
    return ferror(pcap_dump_file(capture->dumper)) == 0;
}

void nd__capture_close(struct nd__capture *capture) {
    if (capture == NULL) {
        return;
    }
    if (capture->dumper != NULL) {
        pcap_dump_close(capture->dumper);
    }
    if (capture->pcap != NULL) {
        pcap_close(capture->pcap);
    }
    free(capture);
}
