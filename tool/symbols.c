/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A firmware of more is none of a microcontroller [byte]. */
#define FILE_MAX (256u << 20)

/* An ELF file in memory, and its symbols. */
struct elf {
    char *bytes;
    size_t size;
    const Elf32_Sym *table;
    size_t count;
    const char *names;
    size_t names_size;
};

/* A symbol on its way to the result. */
struct found {
    uint32_t start;
    uint32_t size;
    bool global;
    const char *name;
    const char *file;
};

static char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    long end;

    if (file == NULL) {
        return NULL;
    }
    if (fseek(file, 0, SEEK_END) == 0 && (end = ftell(file)) > 0 && (size_t)end <= FILE_MAX &&
        fseek(file, 0, SEEK_SET) == 0 && (bytes = malloc((size_t)end)) != NULL) {
        *size = fread(bytes, 1, (size_t)end, file);
    }
    fclose(file);
    return bytes;
}

/* A part of the file; NULL when it does not lie in it. */
static const void *part(const struct elf *elf, size_t offset, size_t size) {
    return offset <= elf->size && size <= elf->size - offset ? elf->bytes + offset : NULL;
}

static bool find_table(struct elf *elf) {
    const Elf32_Ehdr *head = part(elf, 0, sizeof *head);
    const Elf32_Shdr *sections;

    if (head == NULL || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_ident[EI_CLASS] != ELFCLASS32 || head->e_ident[EI_DATA] != ELFDATA2LSB ||
        head->e_shentsize != sizeof *sections) {
        return false;
    }
    sections = part(elf, head->e_shoff, (size_t)head->e_shnum * sizeof *sections);
    for (unsigned i = 0; sections != NULL && i < head->e_shnum; i++) {
        const Elf32_Shdr *section = &sections[i];

        if (section->sh_type == SHT_SYMTAB && section->sh_link < head->e_shnum) {
            const Elf32_Shdr *names = &sections[section->sh_link];

            elf->table = part(elf, section->sh_offset, section->sh_size);
            elf->count = section->sh_size / sizeof *elf->table;
            elf->names = part(elf, names->sh_offset, names->sh_size);
            elf->names_size = names->sh_size;
            /* A text ends inside its section. */
            return elf->table != NULL && elf->names != NULL && elf->names_size > 0 &&
                   elf->names[elf->names_size - 1] == '\0';
        }
    }
    return false;
}

static const char *name_of(const struct elf *elf, const Elf32_Sym *symbol) {
    return symbol->st_name < elf->names_size ? elf->names + symbol->st_name : "";
}

/* Functions, in the order of the table: behind a file's name stand those that are static in it. */
static size_t collect(const struct elf *elf, struct found *found) {
    const char *file = NULL;
    size_t count = 0;

    for (size_t i = 0; i < elf->count; i++) {
        const Elf32_Sym *symbol = &elf->table[i];
        bool global = ELF32_ST_BIND(symbol->st_info) != STB_LOCAL;

        if (ELF32_ST_TYPE(symbol->st_info) == STT_FILE) {
            file = name_of(elf, symbol);
        } else if (ELF32_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF) {
            found[count++] = (struct found){.start = symbol->st_value & ~1u,
                                            .size = symbol->st_size,
                                            .global = global,
                                            .name = name_of(elf, symbol),
                                            .file = global ? NULL : file};
        }
    }
    return count;
}

/* By address; of several at one, first the one to show: the longest, global, first by name. */
static int compare(const void *a, const void *b) {
    const struct found *left = a;
    const struct found *right = b;

    if (left->start != right->start) {
        return left->start < right->start ? -1 : 1;
    }
    if (left->size != right->size) {
        return left->size > right->size ? -1 : 1;
    }
    if (left->global != right->global) {
        return left->global ? -1 : 1;
    }
    return strcmp(left->name, right->name);
}

/* A function ends where it says, but not behind the next one's start; one without size ends there.
 */
static uint32_t end_of(const struct found *found, size_t count, size_t index) {
    uint32_t start = found[index].start;
    uint32_t end = found[index].size > 0 ? start + found[index].size : UINT32_MAX;
    size_t next = index + 1;

    while (next < count && found[next].start == start) {
        next++;
    }
    if (next < count && found[next].start < end) {
        end = found[next].start;
    }
    return end == UINT32_MAX ? start + 2 : end;
}

static int keep(struct symbols *symbols, const struct found *found, size_t count) {
    symbols->functions = calloc(count, sizeof *symbols->functions);
    symbols->symbols = calloc(count, sizeof *symbols->symbols);
    if (symbols->functions == NULL || symbols->symbols == NULL) {
        return -1;
    }
    for (size_t i = 0; i < count && symbols->count < ND_SIM_FUNCTIONS; i++) {
        struct symbol *symbol = &symbols->symbols[symbols->count];

        if (i > 0 && found[i].start == found[i - 1].start) {
            continue;
        }
        symbols->functions[symbols->count] =
            (struct nd_sim_function){found[i].start, end_of(found, count, i)};
        symbol->name = strdup(found[i].name);
        symbol->file = found[i].file != NULL ? strdup(found[i].file) : NULL;
        symbols->count++;
        if (symbol->name == NULL) {
            return -1;
        }
    }
    return 0;
}

static bool is_unique(const struct symbols *symbols, size_t index) {
    for (size_t i = 0; i < symbols->count; i++) {
        if (i != index && strcmp(symbols->symbols[i].name, symbols->symbols[index].name) == 0) {
            return false;
        }
    }
    return true;
}

static int add_labels(struct symbols *symbols) {
    for (size_t i = 0; i < symbols->count; i++) {
        struct symbol *symbol = &symbols->symbols[i];

        if (symbol->file == NULL || is_unique(symbols, i)) {
            symbol->label = strdup(symbol->name);
        } else if (asprintf(&symbol->label, "%s (%s)", symbol->name, symbol->file) < 0) {
            symbol->label = NULL;
        }
        if (symbol->label == NULL) {
            return -1;
        }
    }
    return 0;
}

static int take(struct symbols *symbols, const struct elf *elf, const char *path) {
    struct found *found = calloc(elf->count + 1, sizeof *found);
    size_t count = 0;
    int result = -1;

    symbols->path = strdup(path);
    if (found != NULL && symbols->path != NULL) {
        count = collect(elf, found);
        qsort(found, count, sizeof *found, compare);
        result = keep(symbols, found, count);
        if (result == 0) {
            result = add_labels(symbols);
        }
    }
    free(found);
    return result;
}

int symbols_read(struct symbols *symbols, const char *path, char *error, size_t error_size) {
    struct elf elf = {0};
    int result = -1;

    *symbols = (struct symbols){0};
    elf.bytes = read_file(path, &elf.size);
    if (elf.bytes == NULL) {
        snprintf(error, error_size, "cannot read %s: %s", path, strerror(errno));
    } else if (!find_table(&elf)) {
        snprintf(error, error_size, "%s has no symbols; expected a firmware that is not stripped",
                 path);
    } else if (take(symbols, &elf, path) != 0) {
        snprintf(error, error_size, "out of memory");
    } else if (symbols->count == 0) {
        snprintf(error, error_size, "%s names no function", path);
    } else {
        result = 0;
    }
    free(elf.bytes);
    if (result != 0) {
        symbols_free(symbols);
    }
    return result;
}

void symbols_free(struct symbols *symbols) {
    for (size_t i = 0; i < symbols->count; i++) {
        free(symbols->symbols[i].name);
        free(symbols->symbols[i].label);
        free(symbols->symbols[i].file);
    }
    free(symbols->symbols);
    free(symbols->functions);
    free(symbols->path);
    *symbols = (struct symbols){0};
}
