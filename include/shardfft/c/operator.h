#ifndef SHARDFFT_C_OPERATOR_H
#define SHARDFFT_C_OPERATOR_H
/* Operators: the factors by which shardfft_plan_apply() multiplies a spectrum. One serves many plans.
 *
 * `lengths` are those of the domain along the axes of the array, an entry an axis (`axes` of them); NULL means 2 pi
 * along axes with a Fourier transform and pi along those with a cosine or sine transform. Wrong arguments (an axis that
 * is not transformed, an array of another size) are errors of shardfft_plan_apply(). */
#include "shardfft/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Real or complex factors in the layout of the plan's output: those of this rank's part of one field, or of all fields.
 * They are copied. */
shardfft_status shardfft_operator_array(shardfft_precision precision, int is_complex, const void* factors,
                                        int64_t count, shardfft_operator* made);

/* The same for plans over several devices: a list of arrays, one a GPU, and the number of elements of each. */
shardfft_status shardfft_operator_arrays(shardfft_precision precision, int is_complex, int count,
                                         const void* const* factors, const int64_t* counts, shardfft_operator* made);

/* Writes the real and the imaginary part of the factor of a mode, given by its global indices or by its wavenumbers,
 * one an axis. Called when the operator is applied for the first time, from the thread that applies it. */
typedef void (*shardfft_factor_of_indices)(void* user, int axes, const int64_t* index, double factor[2]);
typedef void (*shardfft_factor_of_wavenumbers)(void* user, int axes, const double* wavenumber, double factor[2]);
/* Called once with `user` when nothing needs it any more, even if making the operator fails; may be NULL. */
typedef void (*shardfft_release)(void* user);
shardfft_status shardfft_operator_of_indices(shardfft_factor_of_indices factor, void* user, shardfft_release release,
                                             shardfft_operator* made);
shardfft_status shardfft_operator_of_wavenumbers(shardfft_factor_of_wavenumbers factor, void* user,
                                                 shardfft_release release, int axes, const double* lengths,
                                                 shardfft_operator* made);

/* Changes this rank's spectrum in place: the elements of `side` (that of shardfft_plan_output(), valid during the call)
 * at `data`. On a GPU it enqueues its work on `stream` (a cudaStream_t of `device`, which is current) and does not
 * wait; on CPUs `device` is -1. The numbers are those that forward gives with the norm "backward". Returns 0, or
 * another number after a failure: an error of the call on all ranks, after which plans of their communicator refuse
 * others. Called once for this rank or for each GPU of this process; twice with the option verify, on two copies that
 * must become the same. Such an operator cannot be joined with others. */
typedef int (*shardfft_on_spectrum)(void* user, shardfft_side side, void* data, int device, void* stream);
shardfft_status shardfft_operator_calling(shardfft_on_spectrum change, void* user, shardfft_release release,
                                          shardfft_operator* made);
/* Factors by CUDA source text with `__device__ complex factor(const double* k, const long long* i)`, for plans on GPUs:
 * k are the wavenumbers of a mode, i its global indices from 0, one an axis in row-major order. A text that does not
 * compile is an error of the call that first applies the operator. */
shardfft_status shardfft_operator_cuda(const char* text, int axes, const double* lengths, shardfft_operator* made);

/* The same factor for every mode; real spectra take real ones. */
shardfft_status shardfft_operator_constant(double real, double imaginary, shardfft_operator* made);
/* (i k)^order along `axis`: the order-th derivative; -1 is the last axis. */
shardfft_status shardfft_operator_derivative(int axis, int order, int axes, const double* lengths,
                                             shardfft_operator* made);
/* -|k|^2 over the transformed axes. */
shardfft_status shardfft_operator_laplacian(int axes, const double* lengths, shardfft_operator* made);
/* -1 / |k|^2, and 0 for |k| = 0. */
shardfft_status shardfft_operator_inverse_laplacian(int axes, const double* lengths, shardfft_operator* made);
/* exp(-sigma^2 |k|^2 / 2): convolution with the Gaussian of width sigma. */
shardfft_status shardfft_operator_gaussian(double sigma, int axes, const double* lengths, shardfft_operator* made);
/* Products, sums, differences and quotients of the factors, in one pass; a quotient is 0 if its divisor is 0. */
shardfft_status shardfft_operator_multiply(shardfft_operator a, shardfft_operator b, shardfft_operator* product);
shardfft_status shardfft_operator_add(shardfft_operator a, shardfft_operator b, shardfft_operator* sum);
shardfft_status shardfft_operator_subtract(shardfft_operator a, shardfft_operator b, shardfft_operator* difference);
shardfft_status shardfft_operator_divide(shardfft_operator a, shardfft_operator b, shardfft_operator* quotient);
shardfft_status shardfft_operator_free(shardfft_operator* made);

#ifdef __cplusplus
}
#endif
#endif
