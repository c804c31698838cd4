/* SPDX-License-Identifier: BSD-3-Clause */
/* main.c - the netdyno command: finds the command, reads its options, runs it. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "say.h"
#include "signals.h"
#include "version.h"

/* Room for any command's options [byte], aligned for any of them. */
#define OPTIONS_BYTES 1024

static const struct command *const commands[] = {
    &cmd_run,    &cmd_profile, &cmd_trace,   &cmd_matrix,  &cmd_kernels,
    &cmd_sim,    &cmd_agent,   &cmd_memtest, &cmd_ttcp,    &cmd_iperf,
    &cmd_iperf3, &cmd_rr,      &cmd_echo,    &cmd_discard, &cmd_chargen,
};

#define COMMAND_COUNT (sizeof commands / sizeof *commands)

static const struct command *find_command(const char *name) {
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

static int refuse_command(const char *name) {
    char names[256];
    size_t length = 0;

    for (size_t i = 0; i < COMMAND_COUNT && length < sizeof names; i++) {
        length +=
            (size_t)snprintf(names + length, sizeof names - length, "%s, ", commands[i]->name);
    }
    return say_usage(NULL, "unknown command %s, expected one of: %shelp", name, names);
}

static int print_usage(FILE *out) {
    fprintf(out, "netdyno COMMAND [OPTION]...\n"
                 "A dynamometer for embedded TCP/IP stacks.\n\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    }
    fprintf(out, "  %-10s %s\n", "help", "This text, or that of one command");
    fprintf(out, "\n`netdyno help COMMAND` explains a command, `netdyno --version` says which\n"
                 "netdyno this is. Sizes are binary (32K = 32768 byte), rates decimal (100M =\n"
                 "100 000 000 bit/s). Exit code: 0 done, 1 the measurement failed, 2 usage.\n");
    return SAY_DONE;
}

static int help(int argc, char **argv) {
    const struct command *command;

    if (argc < 2) {
        return print_usage(stdout);
    }
    if (argc > 2) {
        return say_usage(NULL, "help: unexpected argument %s", argv[2]);
    }
    if (strcmp(argv[1], "help") == 0) {
        return print_usage(stdout);
    }
    command = find_command(argv[1]);
    if (command == NULL) {
        return refuse_command(argv[1]);
    }
    opt_usage(command, stdout);
    return SAY_DONE;
}

static int run(const struct command *command, int argc, char **argv) {
    _Alignas(uint64_t) unsigned char options[OPTIONS_BYTES];
    struct opt_list operands;

    switch (opt_parse(command, argc, argv, options, &operands)) {
    case OPT_HELP:
        opt_usage(command, stdout);
        return SAY_DONE;
    case OPT_BAD:
        return SAY_USAGE;
    case OPT_OK:
        break;
    }
    if (signals_catch() != 0) {
        return SAY_FAILED;
    }
    return command->run(options, &operands);
}

static int dispatch(int argc, char **argv) {
    const struct command *command;

    if (argc < 2) {
        return say_usage(NULL, "a command is missing");
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("netdyno %s\n", nd_version);
        return SAY_DONE;
    }
    if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 ||
        strcmp(argv[1], "-h") == 0) {
        return help(argc - 1, argv + 1);
    }
    command = find_command(argv[1]);
    if (command == NULL) {
        return refuse_command(argv[1]);
    }
    return run(command, argc - 1, argv + 1);
}

int main(int argc, char **argv) {
    return say_flush(dispatch(argc, argv));
}
