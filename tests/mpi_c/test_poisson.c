/* Solvers in the C interface: manufactured solutions, values at walls, and bad input on one rank or all. */
#include "support/c_kit.h"

/* A function that the ends of an axis allow, its derivative, and its second derivative. */
static void along(shardfft_axis_boundary ends, double x, double length, double of[3]) {
  const double turn = acos(-1.0) / length * (ends.lower == SHARDFFT_PERIODIC || ends.lower == ends.upper ? 2 : 1.5);
  const double y = 16 * (x / length - 0.5), phase = ends.lower == SHARDFFT_PERIODIC ? 0.3 : 0;
  of[0] = sin(turn * x + phase);
  of[1] = turn * cos(turn * x + phase);
  if (ends.lower == SHARDFFT_NEUMANN) {
    of[0] = cos(turn * x);
    of[1] = -turn * sin(turn * x);
  }
  of[2] = -turn * turn * of[0];
  if (ends.lower != SHARDFFT_OPEN) return;
  of[0] = exp(-y * y / 2);
  of[1] = -16 / length * y * of[0];
  of[2] = 256 / length / length * (y * y - 1) * of[0];
}

/* Solves for the product of these functions, with its gradient, on slabs along axis 0. */
static void solve(const int64_t shape[3], const shardfft_poisson_options* options, double most, double most_slope) {
  const double lengths[3] = {1, 1.2, 0.9};
  shardfft_layout layout = NULL, same = NULL;
  shardfft_poisson solver = NULL;
  shardfft_progression own[3];
  int64_t all = 0, count = 0;
  double *points[3], *arrays[8];
  void* slopes[3];
  int a;
  OK(shardfft_layout_slab(3, shape, world_ranks(), 0, NULL, &layout));
  OK(shardfft_poisson_create(MPI_COMM_WORLD, layout, SHARDFFT_F64, 3, lengths, options, &solver));
  OK(shardfft_poisson_layout(solver, &same));
  OK(shardfft_layout_count(same, world_rank(), &count));
  OK(shardfft_layout_local(same, world_rank(), own));
  for (a = 0; a < 3; ++a) {
    points[a] = malloc(sizeof(double) * (size_t)shape[a]);
    OK(shardfft_poisson_points(solver, a, shape[a], points[a]));
  }
  for (a = 0; a < 8; ++a) arrays[a] = calloc((size_t)count + 1, sizeof(double)); /* u, slopes, f, and those solved */
  for (int64_t i = 0; i < own[0].count; ++i)
    for (int64_t j = 0; j < shape[1]; ++j)
      for (int64_t k = 0; k < shape[2]; ++k, ++all) {
        const double at[3] = {points[0][own[0].first + i], points[1][j], points[2][k]};
        double of[3][3], sum = -options->shift;
        for (a = 0; a < 3; ++a) along(options->boundary[a], at[a], lengths[a], of[a]);
        arrays[0][all] = of[0][0] * of[1][0] * of[2][0];
        for (a = 0; a < 3; ++a) {
          arrays[1 + a][all] = of[a][1] * of[(a + 1) % 3][0] * of[(a + 2) % 3][0];
          arrays[4][all] += of[a][2] * of[(a + 1) % 3][0] * of[(a + 2) % 3][0];
        }
        arrays[4][all] += sum * arrays[0][all];
      }
  CHECK(all == count);
  OK(shardfft_poisson_solve(solver, arrays[4], arrays[7], 0, NULL, NULL));
  for (int64_t i = 0; i < count; ++i) CHECK(fabs(arrays[7][i] - arrays[0][i]) < most);
  for (a = 0; a < 3; ++a) slopes[a] = arrays[5 + a];
  OK(shardfft_poisson_solve(solver, arrays[4], arrays[4], 0, NULL, slopes));
  for (int64_t i = 0; i < count; ++i) {
    CHECK(fabs(arrays[4][i] - arrays[0][i]) < most);
    for (a = 0; a < 3; ++a) CHECK(fabs(arrays[5 + a][i] - arrays[1 + a][i]) < most_slope);
  }
  for (a = 0; a < 3; ++a) free(points[a]);
  for (a = 0; a < 8; ++a) free(arrays[a]);
  OK(shardfft_layout_free(&same));
  OK(shardfft_layout_free(&layout));
  OK(shardfft_poisson_free(&solver));
}

static const shardfft_axis_boundary periodic = {SHARDFFT_PERIODIC, SHARDFFT_PERIODIC},
                                    rising = {SHARDFFT_DIRICHLET, SHARDFFT_NEUMANN},
                                    falling = {SHARDFFT_NEUMANN, SHARDFFT_DIRICHLET},
                                    closed = {SHARDFFT_DIRICHLET, SHARDFFT_DIRICHLET},
                                    insulated = {SHARDFFT_NEUMANN, SHARDFFT_NEUMANN},
                                    open = {SHARDFFT_OPEN, SHARDFFT_OPEN};

static void manufactured(void) {
  const int64_t few[3] = {8, 7, 9}, many[3] = {36, 36, 36}, mixed[3] = {6, 8, 36};
  const shardfft_axis_boundary box[3] = {periodic, periodic, periodic}, walls[3] = {rising, insulated, closed},
                               space[3] = {open, open, open}, mixture[3] = {periodic, falling, open};
  shardfft_poisson_options options = {0};
  options.axes = 3;
  options.boundary = box;
  solve(few, &options, 1e-11, 1e-10);
  options.boundary = walls;
  options.shift = 2.5;
  solve(few, &options, 1e-11, 1e-10);
  options.points = SHARDFFT_NODES;
  solve(few, &options, 1e-11, 1e-10);
  options.boundary = mixture;
  solve(mixed, &options, 1e-10, 1e-8);
  options.boundary = space;
  options.shift = 0;
  solve(many, &options, 1e-10, 1e-8);
  options.kernel = SHARDFFT_HOCKNEY; /* of second order */
  solve(many, &options, 0.1, 5);
}

/* u = 3 - 2 y between walls along axis 1, of cells of one width and of several; and means. */
static void walls(void) {
  const int64_t shape[2] = {6, 7};
  const double lengths[2] = {1, 2.8}, cells[7] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7};
  shardfft_axis_boundary ends[2] = {periodic, rising};
  double f[42] = {0}, u[42], below[6] = {3, 3, 3, 3, 3, 3}, above[6] = {-2, -2, -2, -2, -2, -2}, y[7], weights[7] = {0};
  const shardfft_wall_values values[2] = {{1, SHARDFFT_LOWER, below}, {1, SHARDFFT_UPPER, above}};
  shardfft_poisson_options options = {0};
  shardfft_layout layout = NULL;
  shardfft_poisson solver = NULL;
  shardfft_report report = NULL;
  int64_t count = 0;
  int singular = 1;
  size_t bytes = SIZE_MAX;
  char* text = NULL;
  OK(shardfft_layout_slab(2, shape, world_ranks(), 0, NULL, &layout));
  OK(shardfft_layout_count(layout, world_rank(), &count));
  options.axes = 2;
  options.boundary = ends;
  for (int stretched = 0; stretched < 2; ++stretched) {
    OK(shardfft_poisson_create(MPI_COMM_WORLD, layout, SHARDFFT_F64, 2, lengths, &options, &solver));
    OK(shardfft_poisson_solve(solver, f, u, 2, values, NULL));
    OK(shardfft_poisson_points(solver, 1, 7, y));
    OK(shardfft_poisson_weights(solver, 1, 3, weights));
    OK(shardfft_poisson_is_singular(solver, &singular));
    OK(shardfft_poisson_workspace_bytes(solver, &bytes));
    OK(shardfft_poisson_report(solver, &report));
    OK(shardfft_report_to_text(report, &text));
    CHECK(singular == 0 && bytes < 1 << 20 && strstr(text, "apply") != NULL);
    CHECK(weights[2] == (stretched ? 0.3 : 1) && weights[3] == 0 && fabs(y[0] - (stretched ? 0.05 : 0.2)) < 1e-14);
    for (int64_t i = 0; i < count; ++i) CHECK(fabs(u[i] - (3 - 2 * y[i % 7])) < 1e-12);
    OK(shardfft_report_free(&report));
    OK(shardfft_poisson_free(&solver));
    shardfft_text_free(text);
    options.stretched_axis = 1;
    options.cell_count = 7;
    options.cells = cells;
  }
  ends[1] = insulated;
  OK(shardfft_poisson_create(MPI_COMM_WORLD, layout, SHARDFFT_F64, 2, lengths, &options, &solver));
  OK(shardfft_poisson_is_singular(solver, &singular));
  CHECK(singular == 1);
  for (int i = 0; i < 42; ++i) f[i] = 1;
  FAILS(shardfft_poisson_solve(solver, f, u, 0, NULL, NULL), SHARDFFT_INVALID_ARGUMENT, "the mean of f is 1");
  OK(shardfft_poisson_free(&solver));
  options.wrong_mean = SHARDFFT_REMOVE;
  OK(shardfft_poisson_create(MPI_COMM_WORLD, layout, SHARDFFT_F64, 2, lengths, &options, &solver));
  OK(shardfft_poisson_solve(solver, f, u, 0, NULL, NULL));
  for (int64_t i = 0; i < count; ++i) CHECK(fabs(u[i]) < 1e-12);
  for (int64_t i = 0; i < count; ++i) f[i] = cells[i % 7];
  OK(shardfft_poisson_adjoint(solver, f, u)); /* f is constant by the shares, which is in no u */
  for (int64_t i = 0; i < count; ++i) CHECK(fabs(u[i]) < 1e-12);
  OK(shardfft_poisson_free(&solver));
  OK(shardfft_layout_free(&layout));
}

static void bad_solvers(void) {
  const int64_t shape[2] = {6, 7};
  const double lengths[2] = {1, 1}, cells[7] = {1, 1, 1, 1, 1, 1, -1};
  const shardfft_axis_boundary half[2] = {periodic, {SHARDFFT_OPEN, SHARDFFT_DIRICHLET}}, wall[2] = {periodic, closed};
  const int last = world_rank() == world_ranks() - 1;
  shardfft_poisson_options options = {0}, wrong = {0};
  shardfft_layout layout = NULL;
  shardfft_poisson made = NULL;
#define WRONG(given, words)                                                                      \
  FAILS(shardfft_poisson_create(MPI_COMM_WORLD, layout, SHARDFFT_F64, 2, lengths, given, &made), \
        SHARDFFT_INVALID_ARGUMENT, words)
  FAILS(shardfft_poisson_create(MPI_COMM_WORLD, layout, SHARDFFT_F64, 2, lengths, NULL, &made),
        SHARDFFT_INVALID_ARGUMENT, "the layout is a null handle");
  OK(shardfft_layout_slab(2, shape, world_ranks(), 0, NULL, &layout));
  FAILS(shardfft_poisson_create(MPI_COMM_WORLD, layout, SHARDFFT_F64, 2, last ? NULL : lengths, NULL, &made),
        SHARDFFT_INVALID_ARGUMENT, "lengths for 0 axes, but the array has 2");
  FAILS(shardfft_poisson_create(MPI_COMM_WORLD, layout, 7, 2, lengths, NULL, &made), SHARDFFT_INVALID_ARGUMENT,
        "the precision has the value 7");
  FAILS(shardfft_poisson_create(MPI_COMM_WORLD, layout, SHARDFFT_F64, 2, lengths, NULL, last ? NULL : &made),
        SHARDFFT_INVALID_ARGUMENT, "'solver' is a null pointer");
  wrong.axes = 2;
  WRONG(last ? &wrong : &options, "'boundary' is a null pointer");
  wrong.boundary = half;
  WRONG(last ? &wrong : &options, "at one end only");
  wrong.axes = 1;
  WRONG(&wrong, "boundaries for 1 axes, but the array has 2");
  wrong.axes = 2;
  wrong.boundary = wall;
  wrong.stretched_axis = 1;
  WRONG(&wrong, "0 widths of cells, but axis 1 has 7");
  wrong.cells = cells;
  wrong.cell_count = 7;
  WRONG(last ? &wrong : &options, "a cell of the width -1 behind 6 others");
  wrong.stretched_axis = 2;
  WRONG(&wrong, "axis 2 is to be stretched, but the array has 2 axes");
  wrong = options;
  wrong.kernel = 3;
  WRONG(&wrong, "the kernel has the value 3");
  wrong.kernel = SHARDFFT_TRUNCATED;
  wrong.plan = (shardfft_options)layout;
  WRONG(last ? &wrong : &options, "or is no set of options");
  wrong.plan = NULL;
  wrong.shift = 1;
  if (world_ranks() > 1)
    FAILS(shardfft_poisson_create(MPI_COMM_WORLD, layout, SHARDFFT_F64, 2, lengths, last ? &wrong : NULL, &made),
          SHARDFFT_MISMATCH, "shifts");
  CHECK(made == NULL);
  OK(shardfft_layout_free(&layout));
}

static void bad_calls(void) {
  const int64_t shape[2] = {6, 7};
  const double lengths[2] = {1, 1};
  const shardfft_axis_boundary ends[2] = {periodic, closed};
  const shardfft_wall_values nowhere = {2, SHARDFFT_LOWER, lengths}, none = {0, SHARDFFT_LOWER, lengths};
  const int last = world_rank() == world_ranks() - 1;
  double f[42] = {0}, u[42] = {0};
  const shardfft_wall_values wall = {1, SHARDFFT_LOWER, u};
  void* const slopes[2] = {u, f};
  shardfft_poisson_options options = {0};
  shardfft_layout layout = NULL;
  shardfft_poisson solver = NULL, copy;
  OK(shardfft_layout_slab(2, shape, world_ranks(), 0, NULL, &layout));
  options.axes = 2;
  options.boundary = ends;
  OK(shardfft_poisson_create(MPI_COMM_WORLD, layout, SHARDFFT_F64, 2, lengths, &options, &solver));
#define REFUSED(u, count, values, gradient, words) \
  FAILS(shardfft_poisson_solve(solver, f, u, count, values, gradient), SHARDFFT_INVALID_ARGUMENT, words)
  REFUSED(last ? NULL : u, 0, NULL, NULL, "an array is a null pointer");
  REFUSED(u, 1, last ? NULL : &wall, NULL, "values are given for axis -1");
  REFUSED(u, -1, &nowhere, NULL, "values are given for axis -1");
  REFUSED(u, 1, &nowhere, NULL, "values are given for axis 2, but the array has 2 axes");
  REFUSED(u, 1, &none, NULL, "axis 0 has no wall");
  REFUSED(u, 0, NULL, slopes, "that of f");
  FAILS(shardfft_poisson_points(solver, 2, 7, u), SHARDFFT_INVALID_ARGUMENT, "axis 2 is not an axis");
  FAILS(shardfft_poisson_points(solver, 1, 7, NULL), SHARDFFT_INVALID_ARGUMENT, "'numbers' is a null pointer");
  FAILS(shardfft_poisson_is_singular(solver, NULL), SHARDFFT_INVALID_ARGUMENT, "'singular' is a null pointer");
  OK(shardfft_poisson_solve(solver, f, u, 0, NULL, NULL)); /* nothing was spoilt */
  copy = solver;
  OK(shardfft_poisson_free(&solver));
  FAILS(shardfft_poisson_adjoint(copy, f, u), SHARDFFT_INVALID_ARGUMENT, "the solver was freed, or is no solver");
  FAILS(shardfft_poisson_adjoint(solver, f, u), SHARDFFT_INVALID_ARGUMENT, "the solver is a null handle");
  OK(shardfft_layout_free(&layout));
}

static void tests(void) {
  manufactured();
  walls();
  bad_solvers();
  bad_calls();
}

int main(int argc, char** argv) { return run_tests(argc, argv, tests); }
