#ifndef SHARDFFT_VERSION_H
#define SHARDFFT_VERSION_H
/* The version of these headers; CMake reads it here. shardfft_version() is that of the library which is linked. */
#define SHARDFFT_VERSION_MAJOR 0
#define SHARDFFT_VERSION_MINOR 2
#define SHARDFFT_VERSION_PATCH 0
#define SHARDFFT_VERSION "0.2.0"
#endif
