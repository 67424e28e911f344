/* The spectrum of a delta is 1 everywhere. */
#include <complex.h>
#include <shardfft/c.h>
#include <stdio.h>

int main(int argc, char** argv) {
  const int64_t shape[2] = {4, 6};
  shardfft_layout layout = NULL;
  shardfft_plan plan = NULL;
  double complex in[24] = {0}, out[24] = {0};
  int rank = 0, ranks = 0, wrong = 0;
  int64_t count = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  in[0] = rank == 0;
  wrong += shardfft_layout_slab(2, shape, ranks, 0, NULL, &layout) != SHARDFFT_OK;
  wrong += shardfft_plan_create(MPI_COMM_WORLD, SHARDFFT_C2C, SHARDFFT_F64, layout, NULL, NULL, &plan) != SHARDFFT_OK;
  wrong += shardfft_plan_forward(plan, in, out) != SHARDFFT_OK;
  wrong += shardfft_plan_output_count(plan, 0, &count) != SHARDFFT_OK;
  for (int64_t i = 0; i < count; ++i) wrong += cabs(out[i] - 1) > 1e-14;
  wrong += shardfft_plan_free(&plan) != SHARDFFT_OK;
  wrong += shardfft_layout_free(&layout) != SHARDFFT_OK;
  if (wrong > 0) printf("%s\n", shardfft_last_error());
  MPI_Finalize();
  return wrong > 0;
}
