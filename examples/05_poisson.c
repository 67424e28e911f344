/* The C interface: laplacian(u) = f on a periodic box, solved by one call between two transforms.
 *   mpirun -n 4 ./example_05_poisson */
#include <math.h>
#include <shardfft/c.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 32 };

/* Every call returns a status; what was wrong is said in words. */
static void check(shardfft_status status) {
  if (status == SHARDFFT_OK) return;
  fprintf(stderr, "%s\n", shardfft_last_error());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  /* N x N x N real numbers in planes along axis 0, which is the slowest in memory. */
  const int64_t shape[3] = {N, N, N};
  shardfft_layout planes = NULL;
  shardfft_options options = NULL;
  shardfft_plan plan = NULL;
  check(shardfft_layout_slab(3, shape, ranks, 0, NULL, &planes));
  check(shardfft_options_create(&options));
  check(shardfft_options_set(options, "effort", "estimate"));
  check(shardfft_plan_create(MPI_COMM_WORLD, SHARDFFT_R2C, SHARDFFT_F64, planes, SHARDFFT_DEFAULT_OUTPUT, options,
                             &plan));

  /* f = 14 sin(x) cos(2y) sin(3z), whose solution is u = -f / 14. This rank has planes mine[0]. */
  shardfft_progression mine[3];
  int64_t count = 0;
  check(shardfft_layout_local(planes, rank, mine));
  check(shardfft_plan_input_count(plan, 0, &count));
  double* f = malloc(((size_t)count + 1) * sizeof *f);
  double* u = malloc(((size_t)count + 1) * sizeof *u);
  const double step = 2 * acos(-1.0) / N;
  for (int64_t i = 0; i < mine[0].count; ++i)
    for (int64_t j = 0; j < N; ++j)
      for (int64_t k = 0; k < N; ++k)
        f[(i * N + j) * N + k] =
            14 * sin(step * (double)(mine[0].first + i)) * cos(2 * step * (double)j) * sin(3 * step * (double)k);

  shardfft_operator inverse = NULL;
  check(shardfft_operator_inverse_laplacian(0, NULL, &inverse));
  check(shardfft_plan_apply(plan, inverse, f, u));

  double worst = 0, all = 0;
  for (int64_t i = 0; i < count; ++i) worst = fmax(worst, fabs(u[i] + f[i] / 14));
  MPI_Reduce(&worst, &all, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("shardfft %s: largest error %.1e on %d ranks\n", shardfft_version(), all, ranks);

  free(f);
  free(u);
  check(shardfft_operator_free(&inverse));
  check(shardfft_plan_free(&plan));
  check(shardfft_options_free(&options));
  check(shardfft_layout_free(&planes));
  MPI_Finalize();
  return worst < 1e-12 ? 0 : 1;
}
