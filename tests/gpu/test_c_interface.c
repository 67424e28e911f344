/* GPUs in the C interface: plans and redistributions over GPUs of this process, their memory and streams, and the GPU
 * of a process. The arrays have few elements: everything else is tested in C++. */
#include "support/c_kit.h"

enum { GPUS = 2, N0 = 4, N1 = 6, PART = N0 * N1 / GPUS };
static const int64_t shape[2] = {N0, N1};
static const int devices[GPUS] = {0, 1};

static int enough_gpus(void) {
  char *names = NULL, *support = NULL;
  OK(shardfft_gpu_support(&support));
  OK(shardfft_gpu_names(&names));
  const int enough = strchr(names, '\n') != NULL;
  if (!enough) printf("skipped: two GPUs are needed (%s)\n", support);
  shardfft_text_free(support);
  shardfft_text_free(names);
  return enough;
}

static shardfft_layout planes(int ranks, int axis) {
  shardfft_layout layout = NULL;
  OK(shardfft_layout_slab(2, shape, ranks, axis, NULL, &layout));
  return layout;
}

/* The spectrum of 1 at element (0, 0) is 1 everywhere; and back. */
static void check_delta(shardfft_plan plan, void* const* fields, void* const* spectra) {
  const double complex zero = 0, one = 1;
  double complex part[PART], back[PART];
  for (int m = 0; m < GPUS; ++m) {
    for (int i = 0; i < PART; ++i) ((double complex*)fields[m])[i] = m == 0 && i == 0 ? one : zero;
    memset(spectra[m], 0, sizeof part);
  }
  OK(shardfft_plan_forward_members(plan, GPUS, (const void* const*)fields, spectra));
  for (int m = 0; m < GPUS; ++m) {
    void* stream = NULL;
    OK(shardfft_plan_stream(plan, m, &stream));
    OK(shardfft_synchronize_stream(m, stream));
    memcpy(part, spectra[m], sizeof part);
    for (int i = 0; i < PART; ++i) CHECK(cabs(part[i] - one) < 1e-14);
    memset(fields[m], 0, sizeof part);
  }
  OK(shardfft_plan_backward_members(plan, GPUS, (const void* const*)spectra, fields));
  for (int m = 0; m < GPUS; ++m) {
    void* stream = NULL;
    OK(shardfft_plan_stream(plan, m, &stream));
    OK(shardfft_synchronize_stream(m, stream));
    memcpy(back, fields[m], sizeof back);
    for (int i = 0; i < PART; ++i) CHECK(cabs(back[i] - (m == 0 && i == 0 ? one : zero)) < 1e-14);
  }
}

static void half(void* user, int axes, const int64_t* index, double factor[2]) {
  (void)user, (void)axes, (void)index;
  factor[0] = 0.5;
}
/* The spectrum of a GPU, whose stream it is given, as it is. */
static int leave(void* user, shardfft_side side, void* data, int device, void* stream) {
  int rank = -1;
  char* kind = NULL;
  OK(shardfft_side_rank(side, &rank));
  OK(shardfft_memory_place(data, &kind, NULL));
  CHECK(rank == device && stream != NULL && strcmp(kind, "pageable") != 0);
  shardfft_text_free(kind);
  ++*(int*)user;
  return 0;
}

/* Another plan's convolution with a delta, an array for each GPU, factors of a function, one on each GPU's stream. */
static void operators_over_devices(shardfft_plan other, shardfft_plan plan, void* const* in, void* const* out) {
  const void* const* from = (const void* const*)in;
  shardfft_operator factors = NULL;
  ((double complex*)in[0])[0] = 1;
  OK(shardfft_plan_convolution_members(other, GPUS, from, &factors));
  OK(shardfft_plan_apply_members(plan, factors, GPUS, from, out));
  CHECK(cabs(((double complex*)out[0])[0] - 1) < 1e-14 && cabs(((double complex*)out[0])[1]) < 1e-14);
  OK(shardfft_operator_free(&factors));
  static double threes[PART];
  const void* each[GPUS] = {threes, threes};
  const int64_t counts[GPUS] = {PART, PART};
  for (int i = 0; i < PART; ++i) threes[i] = 3;
  OK(shardfft_operator_arrays(SHARDFFT_F64, 0, GPUS, each, counts, &factors));
  OK(shardfft_plan_apply_members(plan, factors, GPUS, from, out));
  CHECK(cabs(((double complex*)out[0])[0] - 3) < 1e-14);
  OK(shardfft_operator_free(&factors));
  OK(shardfft_operator_of_indices(half, NULL, NULL, &factors));
  OK(shardfft_plan_apply_members(plan, factors, GPUS, from, out));
  CHECK(cabs(((double complex*)out[0])[0] - 0.5) < 1e-14);
  OK(shardfft_operator_free(&factors));
  int called = 0;
  OK(shardfft_operator_calling(leave, &called, NULL, &factors));
  OK(shardfft_plan_apply_members(plan, factors, GPUS, from, out));
  CHECK(called == GPUS && cabs(((double complex*)out[0])[0] - 1) < 1e-14);
  OK(shardfft_operator_free(&factors));
}

static void plans_over_devices(void) {
  shardfft_layout layout = planes(GPUS, 0);
  shardfft_options options = NULL;
  shardfft_plan plan = NULL;
  int ranks = 0, members = 0, device = -1, other_device = -1;
  OK(shardfft_options_create(&options));
  OK(shardfft_options_set(options, "memory", "managed"));
  OK(shardfft_plan_create_devices(GPUS, devices, SHARDFFT_C2C, SHARDFFT_F64, layout, SHARDFFT_NATURAL_OUTPUT, options,
                                  &plan));
  OK(shardfft_plan_ranks(plan, &ranks));
  OK(shardfft_plan_members(plan, &members));
  OK(shardfft_plan_device(plan, 1, &device));
  CHECK(ranks == GPUS && members == GPUS && device == 1);
  FAILS(shardfft_plan_device(plan, 2, &device), SHARDFFT_INVALID_ARGUMENT, "member");
  FAILS(shardfft_plan_set_workspace(plan, NULL, 0), SHARDFFT_INVALID_ARGUMENT, "2 members");

  shardfft_buffer buffers[2 * GPUS];
  void* arrays[2 * GPUS];
  for (int m = 0; m < GPUS; ++m) {
    OK(shardfft_plan_allocate_input(plan, m, &buffers[m]));
    OK(shardfft_plan_allocate_output(plan, m, &buffers[GPUS + m]));
    OK(shardfft_buffer_data(buffers[m], &arrays[m]));
    OK(shardfft_buffer_data(buffers[GPUS + m], &arrays[GPUS + m]));
  }
  char* kind = NULL;
  OK(shardfft_memory_place(arrays[1], &kind, &other_device));
  CHECK(strcmp(kind, "managed") == 0 && other_device == 1);
  shardfft_text_free(kind);
  check_delta(plan, arrays, &arrays[GPUS]);
  shardfft_side side = NULL;
  double sums[8];
  int64_t shells = 0;
  OK(shardfft_plan_output(plan, 1, &side));
  FAILS(shardfft_energy_spectrum(MPI_COMM_SELF, side, arrays[GPUS + 1], 0, NULL, 1e6, 8, sums, &shells),
        SHARDFFT_INVALID_ARGUMENT, "but 2 in the layout");
  OK(shardfft_energy_spectrum(MPI_COMM_NULL, side, arrays[GPUS + 1], 0, NULL, 1e6, 8, sums, &shells));
  CHECK(shells == 1 && fabs(sums[0] - PART / 2.0) < 1e-14); /* ones */
  OK(shardfft_side_free(&side));

  /* On streams of another plan's, as a program would hand on its own. */
  shardfft_plan other = NULL;
  void *streams[GPUS], *stream = NULL;
  OK(shardfft_plan_create_devices(GPUS, devices, SHARDFFT_C2C, SHARDFFT_F64, layout, NULL, NULL, &other));
  for (int m = 0; m < GPUS; ++m) OK(shardfft_plan_stream(other, m, &streams[m]));
  OK(shardfft_plan_set_streams(plan, GPUS, streams));
  OK(shardfft_plan_stream(plan, 1, &stream));
  CHECK(stream == streams[1]);
  FAILS(shardfft_plan_set_streams(plan, 1, streams), SHARDFFT_INVALID_ARGUMENT, "");
  check_delta(plan, arrays, &arrays[GPUS]);
  OK(shardfft_order_streams(0, streams[0], streams[0]));
  OK(shardfft_plan_set_streams(plan, 0, NULL));

  operators_over_devices(other, plan, arrays, &arrays[GPUS]);
  OK(shardfft_plan_free(&other));
  OK(shardfft_plan_free(&plan));
  for (int b = 0; b < 2 * GPUS; ++b) OK(shardfft_buffer_free(&buffers[b]));
  OK(shardfft_options_free(&options));
  OK(shardfft_layout_free(&layout));
}

static void redistributions_over_devices(void) {
  shardfft_layout rows = planes(GPUS, 0), columns = planes(GPUS, 1);
  shardfft_redistribution made = NULL;
  int32_t in[GPUS][PART], out[GPUS][PART];
  const void* from[GPUS] = {in[0], in[1]};
  void *to[GPUS] = {out[0], out[1]}, *back[GPUS] = {in[0], in[1]};
  int device = -1;
  OK(shardfft_redistribution_create_devices(GPUS, devices, rows, columns, sizeof(int32_t), NULL, &made));
  for (int m = 0; m < GPUS; ++m)
    for (int i = 0; i < PART; ++i) in[m][i] = m * PART + i;
  OK(shardfft_redistribution_forward_members(made, GPUS, from, to));
  CHECK(out[1][0] == 3 && out[1][3] == 9 && out[0][PART - 1] == 20); /* columns 3 to 5 are those of member 1 */
  memset(in, 0, sizeof in);
  OK(shardfft_redistribution_backward_members(made, GPUS, (const void* const*)to, back));
  CHECK(in[1][PART - 1] == 23 && in[0][5] == 5);
  OK(shardfft_redistribution_device(made, 1, &device));
  CHECK(device == 1);
  OK(shardfft_redistribution_set_streams(made, 0, NULL));
  shardfft_buffer buffer = NULL;
  OK(shardfft_redistribution_allocate_output(made, 1, &buffer));
  OK(shardfft_buffer_free(&buffer));
  OK(shardfft_redistribution_free(&made));
  OK(shardfft_layout_free(&rows));
  OK(shardfft_layout_free(&columns));
}

/* One process with one GPU, by options. */
static void gpu_of_a_process(void) {
  shardfft_layout layout = planes(1, 0);
  shardfft_options options = NULL;
  shardfft_plan plan = NULL;
  int device = -1, before = -1, now = -1;
  double complex in[N0 * N1] = {1}, out[N0 * N1] = {0};
  OK(shardfft_options_create(&options));
  OK(shardfft_options_set(options, "processor", "gpu"));
  OK(shardfft_options_set_integer(options, "device", 1));
  OK(shardfft_plan_create(MPI_COMM_SELF, SHARDFFT_C2C, SHARDFFT_F64, layout, NULL, options, &plan));
  OK(shardfft_plan_device(plan, 0, &device));
  CHECK(device == 1);
  OK(shardfft_plan_forward(plan, in, out));
  for (int i = 0; i < N0 * N1; ++i) CHECK(cabs(out[i] - 1) < 1e-14);
  const double lengths[2] = {1, 1};
  const shardfft_poisson_options choices = {.plan = options};
  shardfft_poisson solver = NULL;
  shardfft_buffer field = NULL;
  void *stream = NULL, *memory = NULL;
  char* kind = NULL;
  OK(shardfft_poisson_create(MPI_COMM_SELF, layout, SHARDFFT_F64, 2, lengths, &choices, &solver));
  OK(shardfft_poisson_device(solver, &device));
  OK(shardfft_poisson_stream(solver, &stream));
  OK(shardfft_poisson_allocate(solver, &field));
  OK(shardfft_buffer_data(field, &memory));
  OK(shardfft_memory_place(memory, &kind, &now));
  CHECK(device == 1 && stream != NULL && strcmp(kind, "device") == 0 && now == 1);
  FAILS(shardfft_poisson_solve(solver, in, out, 0, NULL, NULL), SHARDFFT_INVALID_ARGUMENT, "must be in its memory");
  shardfft_text_free(kind);
  OK(shardfft_buffer_free(&field));
  OK(shardfft_poisson_free(&solver));
  OK(shardfft_set_current_gpu(1, &before));
  OK(shardfft_set_current_gpu(before, &now));
  CHECK(now == 1);
  FAILS(shardfft_set_current_gpu(1000, NULL), SHARDFFT_BACKEND_FAILURE, "");
  OK(shardfft_plan_free(&plan));
  OK(shardfft_options_free(&options));
  OK(shardfft_layout_free(&layout));
}

static void tests(void) {
  if (!enough_gpus()) return;
  plans_over_devices();
  redistributions_over_devices();
  gpu_of_a_process();
}

int main(int argc, char** argv) { return run_tests(argc, argv, tests); }
