#ifndef SHARDFFT_C_WISDOM_H
#define SHARDFFT_C_WISDOM_H
/* Wisdom: ways of plans that were measured once, as text. Rank 0 of a plan's communicator has them. */
#include "shardfft/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All ways that this process measured for its plans, or imported: a document of JSON. */
shardfft_status shardfft_wisdom_export(char** text);
/* Plans of this process look here first, before they read a file. `taken` entries were new or worth more than those it
 * had. Entries of other versions of the library are taken and not used. */
shardfft_status shardfft_wisdom_import(const char* text, int* taken);
/* Forgets all ways that this process measured or imported; files stay. */
shardfft_status shardfft_wisdom_forget(void);
/* The file that plans read unless the option wisdom says otherwise; empty if no file is read. */
shardfft_status shardfft_wisdom_path(char** path);
/* Adds the entries of such a text to a file, that of shardfft_wisdom_path() if `path` is empty. Other jobs may do the
 * same at the same time. The folder of a file that you name must exist; the cache folder is made. */
shardfft_status shardfft_wisdom_keep(const char* text, const char* path);

#ifdef __cplusplus
}
#endif
#endif
