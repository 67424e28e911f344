/* The functions of libshardfft_fftw_mpi beside FFTW's own interface. */
#ifndef SHARDFFT_FFTW_H
#define SHARDFFT_FFTW_H

#ifdef __cplusplus
extern "C" {
#endif

/* The reason why the last fftw_mpi_plan_* call of this thread returned NULL: one sentence, valid until the next call.
   Empty if that call returned a plan. Rank 0 of the communicator also writes it to stderr if the environment variable
   SHARDFFT_FFTW_ERRORS is set to anything but 0. If SHARDFFT_FFTW_OPTIONS is set, the first refusal is always written,
   because a wrong option may be the reason. */
const char* shardfft_fftw_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
