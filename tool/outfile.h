/* SPDX-License-Identifier: BSD-3-Clause */
/* outfile.h - a file that a command writes, or stdout. */
#ifndef ND_TOOL_OUTFILE_H
#define ND_TOOL_OUTFILE_H

#include <stdio.h>

/* Create a file, "-" = stdout. NULL after an error line. */
FILE *outfile_open(const char *path);

/* Close it. 0, or -1 after an error line when not all of it was written. */
int outfile_close(FILE *file, const char *path);

#endif
