/* SPDX-License-Identifier: BSD-3-Clause */
#include "image_size.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layers.h"
#include "result.h"

/* Parts of one image, at most; what a further one would have is in the rest. */
#define PARTS 16

/* What nothing names. */
#define REST "rest"

struct part {
    const char *name;
    uint64_t flash_bytes;
    uint64_t ram_bytes;
};

/* An image in the course of being read. */
struct image {
    Elf *elf;
    struct layers table;
    struct part total;
    struct part parts[PARTS];
    size_t count;
};

/* A symbol that takes room. */
struct named {
    uint64_t start;
    uint64_t size;
    const char *name;
    const char *file; /* of a static one */
    uint64_t flags;   /* of its section, as are the next */
    uint32_t type;
};

/* What initialises variables lies in flash, too, until start-up copies it. */
static void add(struct part *part, uint64_t bytes, uint64_t flags, uint32_t type) {
    if (type != SHT_NOBITS) {
        part->flash_bytes += bytes;
    }
    if ((flags & SHF_WRITE) != 0) {
        part->ram_bytes += bytes;
    }
}

static struct part *find_part(struct image *image, const char *name) {
    for (size_t i = 0; i < image->count; i++) {
        if (strcmp(image->parts[i].name, name) == 0) {
            return &image->parts[i];
        }
    }
    if (image->count == PARTS) {
        return NULL;
    }
    image->parts[image->count].name = name;
    return &image->parts[image->count++];
}

/* ---- symbols ------------------------------------------------------------------------- */

/* The section of a symbol, when it is one that the device holds. */
static bool find_section(Elf *elf, const GElf_Sym *symbol, GElf_Shdr *header) {
    Elf_Scn *section = symbol->st_shndx < SHN_LORESERVE ? elf_getscn(elf, symbol->st_shndx) : NULL;

    return section != NULL && gelf_getshdr(section, header) != NULL &&
           (header->sh_flags & SHF_ALLOC) != 0;
}

/* Functions and variables in the order of the table: static ones stand behind their file's name.
 * The lowest bit of a Thumb function's address is none. */
static size_t collect(Elf *elf, Elf_Data *data, size_t count, size_t names, struct named *out) {
    const char *file = NULL;
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        GElf_Sym symbol;
        GElf_Shdr header;

        if (gelf_getsym(data, (int)i, &symbol) == NULL) {
            continue;
        }
        unsigned type = GELF_ST_TYPE(symbol.st_info);
        const char *name = elf_strptr(elf, names, symbol.st_name);
        if (type == STT_FILE) {
            file = name;
        } else if ((type == STT_FUNC || type == STT_OBJECT) && name != NULL && symbol.st_size > 0 &&
                   find_section(elf, &symbol, &header)) {
            out[found++] = (struct named){
                .start = type == STT_FUNC ? symbol.st_value & ~UINT64_C(1) : symbol.st_value,
                .size = symbol.st_size,
                .name = name,
                .file = GELF_ST_BIND(symbol.st_info) == STB_LOCAL ? file : NULL,
                .flags = header.sh_flags,
                .type = header.sh_type,
            };
        }
    }
    return found;
}

/* By address; of several at one, the longest first, then by name. */
static int compare(const void *a, const void *b) {
    const struct named *left = a, *right = b;

    if (left->start != right->start) {
        return left->start < right->start ? -1 : 1;
    }
    if (left->size != right->size) {
        return left->size > right->size ? -1 : 1;
    }
    return strcmp(left->name, right->name);
}

/* Bytes that two names share are counted once, for the first. */
static void share_out(struct image *image, struct named *named, size_t count) {
    uint64_t end = 0;

    qsort(named, count, sizeof *named, compare);
    for (size_t i = 0; i < count; i++) {
        uint64_t start = named[i].start < end ? end : named[i].start;
        uint64_t stop = named[i].start + named[i].size;
        struct symbol symbol = {.name = (char *)(uintptr_t)named[i].name,
                                .file = (char *)(uintptr_t)named[i].file};

        if (stop <= start) {
            continue;
        }
        const char *name = layers_find(&image->table, &symbol);
        struct part *part = strcmp(name, LAYER_OTHER) != 0 ? find_part(image, name) : NULL;
        if (part != NULL) {
            add(part, stop - start, named[i].flags, named[i].type);
        }
        end = stop;
    }
}

static bool read_symbols(struct image *image, Elf_Scn *section, const GElf_Shdr *header) {
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = header->sh_entsize > 0 ? header->sh_size / header->sh_entsize : 0;
    struct named *named = calloc(count + 1, sizeof *named);

    if (data == NULL || named == NULL) {
        free(named);
        return false;
    }
    share_out(image, named, collect(image->elf, data, count, header->sh_link, named));
    free(named);
    return true;
}

/* ---- sections ------------------------------------------------------------------------ */

/* False when the file has no symbols. */
static bool read_sections(struct image *image) {
    Elf_Scn *section = NULL;
    bool named = false;

    while ((section = elf_nextscn(image->elf, section)) != NULL) {
        GElf_Shdr header;

        if (gelf_getshdr(section, &header) == NULL) {
            return false;
        }
        if ((header.sh_flags & SHF_ALLOC) != 0) {
            add(&image->total, header.sh_size, header.sh_flags, header.sh_type);
        }
        if (header.sh_type == SHT_SYMTAB) {
            named = read_symbols(image, section, &header);
        }
    }
    return named;
}

/* ---- the result ---------------------------------------------------------------------- */

static void describe_part(json_t *array, const struct part *part) {
    json_t *object = json_object();

    result_text(object, "part", part->name);
    result_value(object, "flash_bytes", (int64_t)part->flash_bytes);
    result_value(object, "ram_bytes", (int64_t)part->ram_bytes);
    json_array_append_new(array, object);
}

static void describe_parts(const struct image *image, json_t *firmware) {
    struct part rest = image->total;
    json_t *array = json_array();

    rest.name = REST;
    for (size_t i = 0; i < image->count; i++) {
        describe_part(array, &image->parts[i]);
        rest.flash_bytes -= image->parts[i].flash_bytes;
        rest.ram_bytes -= image->parts[i].ram_bytes;
    }
    describe_part(array, &rest);
    json_object_set_new(firmware, "parts", array);
}

static void describe(struct image *image, const char *path, const char *name, json_t *firmware) {
    char error[256];
    bool split = layers_read_beside(&image->table, path, name, "parts", error, sizeof error) == 0;
    bool named = image->elf != NULL && read_sections(image);

    if (image->total.flash_bytes == 0) {
        result_absent(firmware, "flash_bytes", "not_supported");
        result_absent(firmware, "ram_bytes", "not_supported");
    } else {
        result_value(firmware, "flash_bytes", (int64_t)image->total.flash_bytes);
        result_value(firmware, "ram_bytes", (int64_t)image->total.ram_bytes);
    }
    if (named && split) {
        describe_parts(image, firmware);
    } else {
        result_absent(firmware, "parts", "not_supported");
    }
    layers_free(&image->table);
}

void image_size_describe(const char *path, const char *image, json_t *result) {
    struct image read = {.elf = NULL};
    json_t *firmware = json_object();
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd >= 0 && elf_version(EV_CURRENT) != EV_NONE) {
        read.elf = elf_begin(fd, ELF_C_READ, NULL);
    }
    describe(&read, path, image, firmware);
    json_object_set_new(result, "firmware", firmware);
    if (read.elf != NULL) {
        elf_end(read.elf);
    }
    if (fd >= 0) {
        close(fd);
    }
}
