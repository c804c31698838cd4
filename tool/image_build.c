/* SPDX-License-Identifier: BSD-3-Clause */
#include "image_build.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "signals.h"
#include "target.h"

/* Arguments of a program that is run, at most. */
#define WORDS 48

/* How often a signal is looked for while a compiler works [us]. */
#define LOOK_US 20000

/* A build on its way. */
struct work {
    const struct image_build *build;
    char source[PATH_MAX];
    char tree[PATH_MAX]; /* the build tree */
    char log[PATH_MAX + 16];
    char *error;
    size_t error_size;
};

static bool fail(const struct work *work, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool fail(const struct work *work, const char *format, ...) {
    va_list args;

    va_start(args, format);
    vsnprintf(work->error, work->error_size, format, args);
    va_end(args);
    return false;
}

/* ---- options ------------------------------------------------------------------------- */

/* Options that are CMake's or the firmware's own; any other name is one of lwIP's. */
static const struct {
    const char *key;
    const char *variable; /* of CMake, before the value */
    const char *after;    /* and behind it */
} keys[] = {
    {"opt", "CMAKE_C_FLAGS_RELEASE=", " -g"},
    {"nic", "ND_NIC=", ""},
    {"chksum", "ND_CHKSUM=", ""},
    {"copy", "ND_COPY=", ""},
    {"lto", "CMAKE_INTERPROCEDURAL_OPTIMIZATION=", ""},
    {"lwip", "ND_LWIP_DIR=", ""},
};

#define KEYS (sizeof keys / sizeof *keys)

static bool has_key(const char *option, const char *key) {
    size_t length = strlen(key);

    return strncmp(option, key, length) == 0 && option[length] == '=';
}

/* NAME=VALUE of a C macro, in letters that neither CMake nor a shell takes for anything else. */
static bool is_macro(const char *option) {
    static const char name[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    static const char value[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_()*+-/<> ";
    size_t length = strspn(option, name);

    return length > 0 && option[0] >= 'A' && option[length] == '=' && option[length + 1] != '\0' &&
           option[length + 1 + strspn(option + length + 1, value)] == '\0';
}

const char *image_build_check(const char *option) {
    for (size_t i = 0; i < KEYS; i++) {
        if (has_key(option, keys[i].key)) {
            return strpbrk(option, ";\"\\$\n") == NULL ? NULL
                                                       : "expected a value without ; \" \\ $";
        }
    }
    return is_macro(option)
               ? NULL
               : "expected opt=, nic=, chksum=, copy=, lto=, lwip= or NAME=VALUE of one of lwIP's "
                 "options";
}

/* The -D of CMake for an option that is not lwIP's; false for one of lwIP's. */
static bool define(const char *option, char *text, size_t size) {
    for (size_t i = 0; i < KEYS; i++) {
        if (has_key(option, keys[i].key)) {
            snprintf(text, size, "-D%s%s%s", keys[i].variable, option + strlen(keys[i].key) + 1,
                     keys[i].after);
            return true;
        }
    }
    return false;
}

/* ---- places -------------------------------------------------------------------------- */

static bool find_source(struct work *work) {
    const char *given = work->build->source;
    char file[PATH_MAX];

    if (given != NULL) {
        if (snprintf(file, sizeof file, "%s/firmware/CMakeLists.txt", given) < PATH_MAX &&
            access(file, R_OK) == 0 && realpath(given, work->source) != NULL) {
            return true;
        }
        return fail(work, "%s is no source tree of netdyno: expected firmware/CMakeLists.txt in it",
                    given);
    }
    if (!target_find_file("../..", "../..", "firmware/CMakeLists.txt", file)) {
        return fail(work, "no source tree of netdyno beside this program: name it by --source DIR");
    }
    *strrchr(file, '/') = '\0';
    *strrchr(file, '/') = '\0';
    return realpath(file, work->source) != NULL || fail(work, "cannot find %s", file);
}

/* FNV-1a, 64 bit (Fowler, Noll, Vo): tells option sets apart, and nobody attacks it. */
static uint64_t mix(uint64_t hash, const char *text) {
    do {
        hash = (hash ^ (uint8_t)*text) * UINT64_C(1099511628211);
    } while (*text++ != '\0');
    return hash;
}

static uint64_t name_tree(const struct work *work) {
    uint64_t hash = mix(mix(UINT64_C(14695981039346656037), work->source), work->build->board);

    for (unsigned i = 0; i < work->build->count; i++) {
        hash = mix(hash, work->build->options[i]);
    }
    return hash;
}

/* Make a folder and those above it. */
static bool make_dirs(char *path) {
    for (char *at = path + 1; *at != '\0'; at++) {
        if (*at == '/') {
            *at = '\0';
            mkdir(path, 0777);
            *at = '/';
        }
    }
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

static bool find_tree(struct work *work) {
    const char *cache = work->build->cache;
    const char *base = getenv("XDG_CACHE_HOME");
    const char *below = "/netdyno/images";
    int length;

    if (cache != NULL) {
        base = cache;
        below = "";
    } else if (base == NULL || base[0] != '/') {
        base = getenv("HOME");
        below = "/.cache/netdyno/images";
    }
    if (base == NULL) {
        return fail(work, "no place for builds: neither XDG_CACHE_HOME nor HOME is set");
    }
    length = snprintf(work->tree, sizeof work->tree, "%s%s/%s-%016" PRIx64, base, below,
                      work->build->board, name_tree(work));
    if (length >= (int)sizeof work->tree || !make_dirs(work->tree)) {
        return fail(work, "cannot make %s: %s", work->tree, strerror(errno));
    }
    snprintf(work->log, sizeof work->log, "%s/build.log", work->tree);
    return true;
}

/* ---- running CMake ------------------------------------------------------------------- */

/* The child: all it prints goes into the log, and it dies with us. */
static void become(char *const argv[], int log, pid_t parent) {
    int null = open("/dev/null", O_RDONLY);

    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent || null < 0 || dup2(null, STDIN_FILENO) < 0 ||
        dup2(log, STDOUT_FILENO) < 0 || dup2(log, STDERR_FILENO) < 0) {
        _exit(126);
    }
    execvp(argv[0], argv);
    _exit(127);
}

/* Its exit status; a signal to us ends it too. */
static int await(pid_t child) {
    bool told = false;
    int status;

    while (waitpid(child, &status, WNOHANG) == 0) {
        if (signals_caught() != 0 && !told) {
            kill(child, SIGTERM);
            told = true;
        }
        usleep(LOOK_US);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* Run a program to its end, its lines appended to the log. -1 when it cannot be started. */
static int run(const struct work *work, char *const argv[]) {
    pid_t parent = getpid();
    int log = open(work->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    pid_t child;

    if (log < 0) {
        return -1;
    }
    child = fork();
    if (child == 0) {
        become(argv, log, parent);
    }
    close(log);
    return child < 0 ? -1 : await(child);
}

/* What a line of the log says of an error; NULL when it is no such line. CMake says it in the line
 * behind its own. */
static const char *reason_in(const char *line, bool *next) {
    const char *at = strstr(line, "error: ");

    if (*next && line[0] == ' ') {
        return line + strspn(line, " ");
    }
    *next = strncmp(line, "CMake Error", 11) == 0;
    return at != NULL ? at : strstr(line, "region `"); /* "... overflowed by" */
}

/* The first error in the log, for a person. */
static void find_reason(const struct work *work, char *reason, size_t size) {
    FILE *log = fopen(work->log, "r");
    const char *found = NULL;
    bool next = false;
    char line[512];

    while (log != NULL && found == NULL && fgets(line, sizeof line, log) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        found = reason_in(line, &next);
    }
    snprintf(reason, size, "%s", found != NULL ? found : "no reason given");
    if (log != NULL) {
        fclose(log);
    }
}

static bool explain(const struct work *work, int status, const char *doing) {
    char reason[160];

    if (signals_caught() != 0) {
        return fail(work, "interrupted");
    }
    if (status == 127 || status < 0) {
        return fail(work, "cannot run cmake; `apt install cmake ninja-build`");
    }
    find_reason(work, reason, sizeof reason);
    return fail(work, "cannot %s the image: %s; see %s", doing, reason, work->log);
}

/* All options of lwIP as one CMake variable. */
static void gather_lwip(const struct work *work, char *text, size_t size) {
    size_t length = (size_t)snprintf(text, size, "-DND_LWIP_OPTIONS=");
    const char *comma = "";
    char ignored[8];

    for (unsigned i = 0; i < work->build->count && length < size; i++) {
        const char *option = work->build->options[i];
        if (!define(option, ignored, sizeof ignored)) {
            length += (size_t)snprintf(text + length, size - length, "%s%s", comma, option);
            comma = ";";
        }
    }
}

static bool configure(const struct work *work) {
    static char defines[IMAGE_BUILD_OPTIONS][256];
    static char lwip[2048];
    static char toolchain[PATH_MAX + 64];
    char *argv[WORDS] = {"cmake", "-G",
                         "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                         "-S",    (char *)work->source,
                         "-B",    (char *)work->tree};
    unsigned count = 8;
    int status;

    if (strcmp(work->build->board, "native") != 0) {
        snprintf(toolchain, sizeof toolchain,
                 "-DCMAKE_TOOLCHAIN_FILE=%s/cmake/toolchain-cortex-m3.cmake", work->source);
        argv[count++] = toolchain;
    }
    for (unsigned i = 0; i < work->build->count; i++) {
        if (define(work->build->options[i], defines[i], sizeof defines[i])) {
            argv[count++] = defines[i];
        }
    }
    gather_lwip(work, lwip, sizeof lwip);
    argv[count++] = lwip;
    argv[count] = NULL;
    status = run(work, argv);
    return status == 0 || explain(work, status, "configure");
}

static bool compile(const struct work *work, const char *program) {
    char jobs[16];
    char *argv[] = {"cmake", "--build", (char *)work->tree, "--target", (char *)program,
                    jobs,    NULL};
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int status;

    snprintf(jobs, sizeof jobs, "-j%ld",
             work->build->jobs > 0 ? (long)work->build->jobs : processors);
    status = run(work, argv);
    return status == 0 || explain(work, status, "build");
}

/* With the tree's lock held. */
static bool build_tree(const struct work *work, char path[PATH_MAX]) {
    bool native = strcmp(work->build->board, "native") == 0;
    char program[128];
    char made[PATH_MAX + 32];

    if (truncate(work->log, 0) != 0 && errno != ENOENT) {
        return fail(work, "cannot write %s: %s", work->log, strerror(errno));
    }
    snprintf(program, sizeof program, "netdyno-%s-%s", work->build->image, work->build->board);
    snprintf(made, sizeof made, "%s/build.ninja", work->tree);
    if (access(made, R_OK) != 0 && !configure(work)) {
        return false;
    }
    if (!compile(work, program)) {
        return false;
    }
    if (snprintf(path, PATH_MAX, "%s/firmware/%s%s", work->tree, program, native ? "" : ".elf") >=
        PATH_MAX) {
        return fail(work, "the path of the image is too long");
    }
    return access(path, R_OK) == 0 || fail(work, "the build made no %s", path);
}

bool image_build(const struct image_build *build, char path[PATH_MAX], char *error,
                 size_t error_size) {
    struct work work = {.build = build, .error = error, .error_size = error_size};
    char name[PATH_MAX + 16];
    bool built;
    int lock;

    if (!find_source(&work) || !find_tree(&work)) {
        return false;
    }
    snprintf(name, sizeof name, "%s/lock", work.tree);
    lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock < 0 || flock(lock, LOCK_EX) != 0) {
        if (lock >= 0) {
            close(lock);
        }
        return fail(&work, "cannot lock %s: %s", name, strerror(errno));
    }
    built = build_tree(&work, path);
    close(lock);
    return built;
}
