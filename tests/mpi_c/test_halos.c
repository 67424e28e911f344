/* Halos, particles and spectra in the C interface. */
#include "support/c_kit.h"

/* Two points a rank, one below and one above. */
static void halos(void) {
  const int ranks = world_ranks(), rank = world_rank();
  const int64_t shape[1] = {2 * ranks}, one[1] = {1};
  const int walls[1] = {0};
  shardfft_layout layout = NULL;
  shardfft_halo halo = NULL;
  shardfft_progression set;
  double x[4] = {-7, 2.0 * rank, 2.0 * rank + 1, -7};
  int64_t count = 0, extent = 0, bytes = 0;
  int members = 0, device = 0, failed = 1;
  void* stream = x;
  OK(shardfft_layout_slab(1, shape, ranks, 0, NULL, &layout));
  OK(shardfft_halo_create(MPI_COMM_WORLD, layout, one, one, NULL, SHARDFFT_F64, 0, 1, NULL, &halo));
  OK(shardfft_halo_members(halo, &members));
  OK(shardfft_halo_device(halo, 0, &device));
  OK(shardfft_halo_stream(halo, 0, &stream));
  OK(shardfft_halo_failed_half_way(halo, &failed));
  OK(shardfft_halo_count(halo, 0, &count));
  OK(shardfft_halo_extents(halo, 0, &extent));
  OK(shardfft_halo_owned(halo, 0, &set));
  OK(shardfft_halo_bytes_sent(halo, &bytes));
  CHECK(members == 1 && device == -1 && stream == NULL && failed == 0 && count == 4 && extent == 4);
  CHECK(set.first == 2 * rank && set.count == 2 && bytes == (ranks == 1 ? 0 : 16));
  OK(shardfft_halo_update(halo, x));
  CHECK(x[0] == (2 * rank + 2 * ranks - 1) % (2 * ranks) && x[3] == (2 * rank + 2) % (2 * ranks));
  x[0] = x[3] = 0;
  OK(shardfft_halo_begin(halo, x));
  OK(shardfft_halo_end(halo));
  CHECK(x[3] == (2 * rank + 2) % (2 * ranks));
  OK(shardfft_halo_add_back(halo, x));
  CHECK(x[0] == 0 && x[1] == 4.0 * rank && x[2] == 2 * (2.0 * rank + 1) && x[3] == 0);
  FAILS(shardfft_halo_update(halo, NULL), SHARDFFT_INVALID_ARGUMENT, "null pointer");
  OK(shardfft_halo_free(&halo));
  FAILS(shardfft_halo_create(MPI_COMM_WORLD, layout, one, NULL, NULL, SHARDFFT_F64, 0, 1, NULL, &halo),
        SHARDFFT_INVALID_ARGUMENT, "'above' is a null pointer");
  OK(shardfft_halo_create(MPI_COMM_WORLD, layout, one, one, walls, SHARDFFT_F64, 0, 0, NULL, &halo));
  x[0] = -7;
  OK(shardfft_halo_update(halo, x));
  CHECK(rank > 0 || x[0] == -7);
  OK(shardfft_halo_free(&halo));
  OK(shardfft_layout_free(&layout));
}

static void particles(void) {
  const int ranks = world_ranks(), rank = world_rank();
  const int64_t shape[2] = {2 * ranks, 2};
  const double lengths[2] = {2.0 * ranks, 2.0};
  /* Of the next rank: a quarter behind its first point, on the second point of the other axis, which comes first. */
  double given[2] = {1.0, 2.0 * ((rank + 1) % ranks) + 0.25}, mine[2] = {0}, field[4] = {0}, value = 0, slopes[2],
         mass = 3;
  int64_t count = 0;
  shardfft_layout layout = NULL;
  shardfft_particle_mesh mesh = NULL;
  shardfft_migration move = NULL;
  OK(shardfft_layout_slab(2, shape, ranks, 0, NULL, &layout));
  OK(shardfft_particle_mesh_create(MPI_COMM_WORLD, layout, SHARDFFT_CIC, SHARDFFT_F64, 2, lengths, 1, 0, 1, &mesh));
  OK(shardfft_particle_mesh_migration(mesh, 1, given, &move));
  OK(shardfft_migration_sent(move, &count));
  CHECK(count == 1);
  OK(shardfft_migration_received(move, &count));
  CHECK(count == 1);
  OK(shardfft_migration_move(move, given, sizeof given, mine));
  CHECK(mine[0] == 1 && mine[1] == 2 * rank + 0.25);
  OK(shardfft_migration_back(move, mine, sizeof mine, given));
  CHECK(given[1] == 2 * ((rank + 1) % ranks) + 0.25);
  OK(shardfft_particle_mesh_deposit(mesh, 1, mine, &mass, field));
  CHECK(field[0] == 0 && field[1] == 2.25 && field[2] == 0 && field[3] == 0.75);
  OK(shardfft_particle_mesh_interpolate(mesh, 1, mine, field, &value));
  CHECK(value == 0.75 * 2.25 + 0.25 * 0.75);
  OK(shardfft_particle_mesh_gradient(mesh, 1, mine, field, slopes));
  CHECK(slopes[1] == 0.75 - 2.25);
  FAILS(shardfft_particle_mesh_deposit(mesh, 1, NULL, NULL, field), SHARDFFT_INVALID_ARGUMENT, "null pointer");
  OK(shardfft_migration_free(&move));
  OK(shardfft_particle_mesh_free(&mesh));
  OK(shardfft_layout_free(&layout));
}

/* Arrays that overlap, and sums over one rank that has a part of the array. */
static void wrong_arrays(shardfft_side input, shardfft_side output, const double* u, double* s, int64_t modes) {
  double numbers[18] = {0};
  int64_t shells = 0;
  if (modes > 0) FAILS(shardfft_curl(output, s, s + 2, 0, NULL, 1, 0), SHARDFFT_INVALID_ARGUMENT, "overlap");
  if (world_ranks() == 1) return;
  FAILS(shardfft_energy_spectrum(MPI_COMM_SELF, output, s, 0, NULL, 0, 8, numbers, &shells), SHARDFFT_INVALID_ARGUMENT,
        "the number of ranks is 1 in the sum's communicator");
  FAILS(shardfft_moments(MPI_COMM_SELF, input, u, 18, numbers), SHARDFFT_INVALID_ARGUMENT, "the number of ranks is 1");
}

/* cos(x0) + 2 in all three components: shells 0 and 1, the mean, and what derivatives leave. */
static void spectra(void) {
  const int64_t shape[3] = {4, 4, 4};
  shardfft_layout layout = NULL;
  shardfft_options options = NULL;
  shardfft_plan plan = NULL;
  shardfft_side input = NULL, output = NULL;
  int64_t count = 0, modes = 0, shells = 0, i, set = 0;
  shardfft_progression own[3];
  double sums[8] = {0}, numbers[18] = {0};
  double *u, *s, *w;
  OK(shardfft_layout_slab(3, shape, world_ranks(), 0, NULL, &layout));
  OK(shardfft_options_create(&options));
  OK(shardfft_options_set(options, "batch", "3"));
  OK(shardfft_options_set(options, "norm", "forward"));
  OK(shardfft_plan_create(MPI_COMM_WORLD, SHARDFFT_R2C, SHARDFFT_F64, layout, NULL, options, &plan));
  OK(shardfft_plan_input(plan, 0, &input));
  OK(shardfft_plan_output(plan, 0, &output));
  OK(shardfft_side_count(input, &count));
  OK(shardfft_side_count(output, &modes));
  OK(shardfft_layout_local(layout, world_rank(), own));
  u = malloc(sizeof(double) * (size_t)(count + 1));
  s = malloc(2 * sizeof(double) * (size_t)(modes + 1));
  w = malloc(2 * sizeof(double) * (size_t)(modes + 1));
  for (i = 0; i < count; ++i) {
    set = own[0].first + i % (count / 3) / 16;
    u[i] = 2 + cos(acos(-1.0) / 2 * (double)set);
  }
  OK(shardfft_plan_forward(plan, u, s));
  OK(shardfft_energy_spectrum(MPI_COMM_WORLD, output, s, 0, NULL, 0, 8, sums, &shells));
  CHECK(shells >= 4 && fabs(sums[0] - 6) < 1e-14 && fabs(sums[1] - 0.75) < 1e-14 && fabs(sums[2]) < 1e-14);
  OK(shardfft_cross_spectrum(MPI_COMM_WORLD, output, s, s, 0, NULL, 0, 1, sums, &shells));
  CHECK(fabs(sums[0] - 12) < 1e-14 && fabs(sums[1] - 0.75) < 1e-14);
  OK(shardfft_moments(MPI_COMM_WORLD, input, u, 18, numbers));
  CHECK(fabs(numbers[0] - 2) < 1e-14 && fabs(numbers[7] - 0.5) < 1e-14 && fabs(numbers[4] - 1) < 1e-14);
  /* Only the component along axis 0 has a divergence: the first, or the last one. */
  OK(shardfft_divergence(output, s, w, 0, NULL, 1, 0));
  OK(shardfft_project(output, s, s, 0, NULL, 1, 0));
  OK(shardfft_divergence(output, s, w, 0, NULL, 1, 0));
  for (i = 0; i < 2 * modes / 3; ++i) CHECK(fabs(w[i]) < 1e-14);
  OK(shardfft_energy_spectrum(MPI_COMM_WORLD, output, s, 0, NULL, 0, 8, sums, &shells));
  CHECK(fabs(sums[1] - 0.5) < 1e-14);
  OK(shardfft_project(output, s, s, 0, NULL, 1, 1));
  OK(shardfft_energy_spectrum(MPI_COMM_WORLD, output, s, 0, NULL, 0, 8, sums, &shells));
  CHECK(fabs(sums[1] - 0.25) < 1e-14);
  OK(shardfft_curl(output, s, s, 0, NULL, 1, 0));
  OK(shardfft_energy_spectrum(MPI_COMM_WORLD, output, s, 0, NULL, 0, 8, sums, &shells));
  CHECK(fabs(sums[0]) < 1e-14 && fabs(sums[1] - 0.25) < 1e-14);
  OK(shardfft_gradient(output, s, w, 0, NULL, 1, 0));
  FAILS(shardfft_curl(output, NULL, count > 0 ? NULL : s, 0, NULL, 1, 0), SHARDFFT_INVALID_ARGUMENT, "null pointer");
  wrong_arrays(input, output, u, s, modes);
  free(u);
  free(s);
  free(w);
  OK(shardfft_side_free(&input));
  OK(shardfft_side_free(&output));
  OK(shardfft_plan_free(&plan));
  OK(shardfft_options_free(&options));
  OK(shardfft_layout_free(&layout));
}

static void tests(void) {
  halos();
  particles();
  spectra();
}

int main(int argc, char** argv) { return run_tests(argc, argv, tests); }
