/* SPDX-License-Identifier: BSD-3-Clause */
#include "chrome_writer.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "outfile.h"
#include "packet.h"

/* Text as JSON has it; a byte that is no printable ASCII becomes "?". */
static void put_text(FILE *file, const char *text) {
    fputc('"', file);
    for (; *text != '\0'; text++) {
        bool printable = *text >= ' ' && *text <= '~';

        if (*text == '"' || *text == '\\') {
            fputc('\\', file);
        }
        fputc(printable ? *text : '?', file);
    }
    fputc('"', file);
}

/* Nanoseconds as the microseconds that this form counts in. */
static void put_time(FILE *file, const char *key, uint64_t ns) {
    fprintf(file, ",\"%s\":%" PRIu64 ".%03u", key, ns / 1000, (unsigned)(ns % 1000));
}

/* A name and its place among its like. between: "" or ",". */
static void put_meta(FILE *file, const char *between, const char *what, unsigned pid, unsigned tid,
                     const char *name) {
    fprintf(file,
            "%s\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"%s\",\"args\":{\"name\":", between,
            pid, tid, what);
    put_text(file, name);
    fprintf(file,
            "}},\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"%.*s_sort_index\","
            "\"args\":{\"sort_index\":%u}}",
            pid, tid, (int)strcspn(what, "_"), what, tid > 0 ? tid : pid);
}

/* The process of a signal: scopes are numbered from 1 in the order of the signals. */
static unsigned pid_of(const struct timeline *timeline, uint32_t signal) {
    unsigned pid = 1;

    for (uint32_t i = 1; i <= signal; i++) {
        pid += strcmp(timeline->signals[i].scope, timeline->signals[i - 1].scope) != 0;
    }
    return pid;
}

static void put_names(const struct timeline *timeline, FILE *file) {
    unsigned named = 0;

    for (uint32_t i = 0; i < timeline->signal_count; i++) {
        unsigned pid = pid_of(timeline, i);

        if (pid != named) {
            put_meta(file, named > 0 ? "," : "", "process_name", pid, 0,
                     timeline->signals[i].scope);
            named = pid;
        }
        put_meta(file, ",", "thread_name", pid, i + 1, timeline->signals[i].name);
    }
}

static void put_flags(FILE *file, uint8_t flags) {
    static const char *const names[] = {"FIN", "SYN", "RST", "PSH", "ACK", "URG", "ECE", "CWR"};
    const char *between = "";

    fprintf(file, ",\"flags\":\"");
    for (unsigned i = 0; i < 8; i++) {
        if ((flags >> i & 1) != 0) {
            fprintf(file, "%s%s", between, names[i]);
            between = " ";
        }
    }
    fputc('"', file);
}

static void put_packet(FILE *file, const struct packet *packet) {
    fprintf(file, ",\"args\":{\"bytes\":%" PRIu32, packet->bytes);
    if (packet->has_ports) {
        fprintf(file, ",\"payload_bytes\":%" PRIu32 ",\"source_port\":%u,\"destination_port\":%u",
                packet->payload_bytes, packet->source, packet->destination);
    }
    if (packet->has_sequence) {
        fprintf(file, ",\"seq\":%" PRIu32 ",\"ack\":%" PRIu32, packet->seq, packet->ack);
        put_flags(file, packet->flags);
    }
    fputc('}', file);
}

static void put_slice(const struct timeline_slice *slice, unsigned pid, FILE *file) {
    fprintf(file, ",\n{\"ph\":\"X\",\"pid\":%u,\"tid\":%" PRIu32, pid, slice->signal + 1);
    put_time(file, "ts", slice->begin_ns);
    put_time(file, "dur", slice->end_ns - slice->begin_ns);
    fprintf(file, ",\"name\":");
    put_text(file, slice->name);
    if (slice->frame != NULL) {
        const struct packet packet =
            packet_read(slice->frame->head, sizeof slice->frame->head, slice->frame->bytes);

        put_packet(file, &packet);
    }
    fputc('}', file);
}

int chrome_write(const struct timeline *timeline, const char *about, const char *path) {
    FILE *file = outfile_open(path);

    if (file == NULL) {
        return -1;
    }
    fprintf(file, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"exporter\":\"netdyno\",\"about\":");
    put_text(file, about);
    fprintf(file, "},\"traceEvents\":[");
    put_names(timeline, file);
    for (size_t i = 0; i < timeline->slice_count; i++) {
        put_slice(&timeline->slices[i], pid_of(timeline, timeline->slices[i].signal), file);
    }
    fprintf(file, "\n]}\n");
    return outfile_close(file, path);
}
