#ifndef SHARDFFT_C_OPTIONS_H
#define SHARDFFT_C_OPTIONS_H
/* Options by name; docs/options.md describes them. Values out of range are errors when a plan is made. */
#include "shardfft/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All options at their defaults. NULL as the options of a call means the same. */
shardfft_status shardfft_options_create(shardfft_options* options);
shardfft_status shardfft_options_copy(shardfft_options options, shardfft_options* copy);
shardfft_status shardfft_options_free(shardfft_options* options);

/* Sets an option from text: "yes" and "no" for flags, "2,4" or "fft,dct2" for lists. An unknown name or a text of
 * another type is SHARDFFT_INVALID_ARGUMENT. */
shardfft_status shardfft_options_set(shardfft_options options, const char* name, const char* text);
/* Sets an integer, a flag (0 or 1) or a number. */
shardfft_status shardfft_options_set_integer(shardfft_options options, const char* name, int64_t value);
shardfft_status shardfft_options_set_number(shardfft_options options, const char* name, double value);
/* Sets a list of integers. */
shardfft_status shardfft_options_set_integers(shardfft_options options, const char* name, int count,
                                              const int64_t* values);
/* Sets a handle of the GPU runtime: option "stream". */
shardfft_status shardfft_options_set_address(shardfft_options options, const char* name, void* address);
/* The text that shardfft_options_set() would take. */
shardfft_status shardfft_options_get(shardfft_options options, const char* name, char** text);

/* The names of all options, separated by commas. */
shardfft_status shardfft_option_names(char** names);
/* The description of an option. */
shardfft_status shardfft_option_sentence(const char* name, char** sentence);
/* The names for the options algorithm, exchange and local_fft in this build, separated by commas. */
shardfft_status shardfft_algorithm_names(char** names);
shardfft_status shardfft_exchange_names(char** names);
shardfft_status shardfft_device_exchange_names(char** names);
shardfft_status shardfft_local_fft_names(char** names);

#ifdef __cplusplus
}
#endif
#endif
