/* A program as users of FFTW-MPI write them, with serial plans beside the distributed ones. It checks its numbers, and
   with the argument "shardfft" that this library made the plans; with "none" that no plan was made and why. */
#include <dlfcn.h>
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

static void expect(int right, const char* what) {
  if (right) return;
  ++failures;
  fprintf(stderr, "wrong: %s\n", what);
}

/* A wave along each axis has one mode. */
static void complex_wave(const char* maker) {
  const ptrdiff_t n0 = 12, n1 = 10, n2 = 7;
  const double turn = 2 * acos(-1.0);
  ptrdiff_t local_n0, start;
  const ptrdiff_t count = fftw_mpi_local_size_3d(n0, n1, n2, MPI_COMM_WORLD, &local_n0, &start);
  fftw_complex* data = fftw_alloc_complex((size_t)count);
  fftw_plan forward = fftw_mpi_plan_dft_3d(n0, n1, n2, data, data, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
  fftw_plan backward = fftw_mpi_plan_dft_3d(n0, n1, n2, data, data, MPI_COMM_WORLD, FFTW_BACKWARD, FFTW_ESTIMATE);
  double error = 0;
  expect(forward && backward, "no plan of a complex array");
  if (!forward || !backward) return;
  char* text = fftw_sprint_plan(forward);
  expect(!strcmp(maker, "shardfft") == !strncmp(text, "(shardfft", 9), "another library made the plan");
  free(text);
  for (ptrdiff_t i = 0; i < local_n0 * n1 * n2; ++i) {
    const double phase = 3.0 * (double)(start + i / (n1 * n2)) / (double)n0 + 2.0 * (double)(i / n2 % n1) / (double)n1 +
                         (double)(i % n2) / (double)n2;
    data[i][0] = cos(turn * phase);
    data[i][1] = sin(turn * phase);
  }
  fftw_execute(forward);
  for (ptrdiff_t i = 0; i < local_n0 * n1 * n2; ++i) {
    const int is_mode = start + i / (n1 * n2) == 3 && i / n2 % n1 == 2 && i % n2 == 1;
    error = fmax(error, hypot(data[i][0] - (is_mode ? (double)(n0 * n1 * n2) : 0), data[i][1]));
  }
  if (!strcmp(maker, "shardfft")) fftw_cleanup(); /* after which FFTW's own makes no distributed plans any more */
  fftw_execute(backward);
  for (ptrdiff_t i = 0; i < local_n0 * n1 * n2; ++i)
    error = fmax(error, fabs(hypot(data[i][0], data[i][1]) / (double)(n0 * n1 * n2) - 1));
  expect(error < 1e-10, "the mode of a wave");
  fftw_destroy_plan(forward);
  fftw_destroy_plan(backward);
  fftw_free(data);
}

static void real_sum(void) {
  const ptrdiff_t n0 = 8, n1 = 5, n2 = 6;
  ptrdiff_t local_n0, start;
  const ptrdiff_t count = fftw_mpi_local_size_3d(n0, n1, n2 / 2 + 1, MPI_COMM_WORLD, &local_n0, &start);
  double* real = fftw_alloc_real(2 * (size_t)count);
  fftw_complex* half = fftw_alloc_complex((size_t)count);
  fftw_plan plan = fftw_mpi_plan_dft_r2c_3d(n0, n1, n2, real, half, MPI_COMM_WORLD, FFTW_MEASURE);
  expect(plan != NULL, "no plan of a real array");
  if (!plan) return;
  for (ptrdiff_t row = 0; row < local_n0 * n1; ++row)
    for (ptrdiff_t i = 0; i < n2; ++i) real[row * 2 * (n2 / 2 + 1) + i] = 1;
  fftw_execute(plan);
  expect(start > 0 || local_n0 == 0 || fabs(half[0][0] - (double)(n0 * n1 * n2)) < 1e-10, "the sum of a real array");
  fftw_destroy_plan(plan);
  fftw_free(real);
  fftw_free(half);
}

static void serial_plans(void) {
  fftw_complex line[9];
  fftw_plan plan = fftw_plan_dft_1d(9, line, line, FFTW_FORWARD, FFTW_ESTIMATE);
  expect(plan != NULL, "no serial plan");
  if (!plan) return;
  for (int i = 0; i < 9; ++i) line[i][0] = 1, line[i][1] = 0;
  fftw_execute(plan);
  expect(fabs(line[0][0] - 9) < 1e-12 && fabs(line[4][0]) < 1e-12, "a serial transform");
  fftw_destroy_plan(plan);
}

static void no_plan(void) {
  fftw_complex numbers[64];
  const char* (*error)(void) = (const char* (*)(void))dlsym(RTLD_DEFAULT, "shardfft_fftw_last_error");
  fftw_plan plan = fftw_mpi_plan_dft_2d(4, 4, numbers, numbers, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
  expect(plan == NULL, "a plan that nobody can run");
  expect(error && strstr(error(), "not FFTW 3.3"), "no reason");
}

int main(int argc, char** argv) {
  const char* maker = argc > 1 ? argv[1] : "fftw";
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  if (!strcmp(maker, "none")) {
    no_plan();
  } else {
    serial_plans();
    complex_wave(maker);
    real_sum();
    serial_plans();
  }
  fftw_mpi_cleanup();
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return failures != 0;
}
