/* What libshardfft_fftw_mpi tells beside FFTW's own interface. */
#ifndef SHARDFFT_FFTW_H
#define SHARDFFT_FFTW_H

#ifdef __cplusplus
extern "C" {
#endif

/* Why the last fftw_mpi_plan_* call of this thread that returned NULL did so: one sentence, which lives until the next
   call. An empty text where the last one returned a plan. The same text goes to stderr, from rank 0 of the
   communicator, if the environment variable SHARDFFT_FFTW_ERRORS is set to anything but 0. If SHARDFFT_FFTW_OPTIONS is
   set, the first refusal goes there in any case, since a wrong option may be the reason. */
const char* shardfft_fftw_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
