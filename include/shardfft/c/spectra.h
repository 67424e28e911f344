#ifndef SHARDFFT_C_SPECTRA_H
#define SHARDFFT_C_SPECTRA_H
/* Spectra in shells of wavenumbers and moments, of arrays in memory of the host or of a GPU, and derivatives of the
 * spectra of vector fields in host memory. `lengths` are those of the domain, an entry an axis (`axes` of them); NULL:
 * as for operators. Work on arrays in memory of a GPU must have ended. The side is that of this rank in the
 * communicator. With MPI_COMM_NULL the sums are those of the side's part alone; a program with a plan over several
 * devices adds them up itself. */
#include "shardfft/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The sum of Re(a conj(b)) over fields and modes in shells of this width (0: the wavenumber of the longest wave), each
 * mode as often as it stands for a wave. `room` sums are written at most, and `shells` is the number of shells.
 * Collective. */
shardfft_status shardfft_cross_spectrum(MPI_Comm comm, shardfft_side side, const void* a, const void* b, int axes,
                                        const double* lengths, double width, int64_t room, double* sums,
                                        int64_t* shells);
shardfft_status shardfft_cross_spectrum_f(MPI_Fint comm, shardfft_side side, const void* a, const void* b, int axes,
                                          const double* lengths, double width, int64_t room, double* sums,
                                          int64_t* shells);
/* Half the sum of |a|^2, likewise. Collective. */
shardfft_status shardfft_energy_spectrum(MPI_Comm comm, shardfft_side side, const void* a, int axes,
                                         const double* lengths, double width, int64_t room, double* sums,
                                         int64_t* shells);
shardfft_status shardfft_energy_spectrum_f(MPI_Fint comm, shardfft_side side, const void* a, int axes,
                                           const double* lengths, double width, int64_t room, double* sums,
                                           int64_t* shells);
/* Mean, variance, skewness, kurtosis, least and largest number of each field of a real array, six numbers a field;
 * `room` of them are written at most. Collective. */
shardfft_status shardfft_moments(MPI_Comm comm, shardfft_side side, const void* array, int64_t room, double* numbers);
shardfft_status shardfft_moments_f(MPI_Fint comm, shardfft_side side, const void* array, int64_t room, double* numbers);

/* Derivatives of this rank's modes, without communication. A vector has one field for each axis, a scalar one field;
 * `vectors` of them lie one behind the other. With `last_axis_first` the components are in the order of axes from the
 * last to the first. A result may begin where its input begins (that of gradient for one vector); arrays that overlap
 * otherwise are refused. */
shardfft_status shardfft_gradient(shardfft_side side, const void* scalar, void* vector, int axes, const double* lengths,
                                  int64_t vectors, int last_axis_first);
shardfft_status shardfft_divergence(shardfft_side side, const void* vector, void* scalar, int axes,
                                    const double* lengths, int64_t vectors, int last_axis_first);
shardfft_status shardfft_curl(shardfft_side side, const void* vector, void* changed, int axes, const double* lengths,
                              int64_t vectors, int last_axis_first);
shardfft_status shardfft_project(shardfft_side side, const void* vector, void* changed, int axes, const double* lengths,
                                 int64_t vectors, int last_axis_first);

#ifdef __cplusplus
}
#endif
#endif
