/* Bad input to the C interface: a status on every rank, words that say what was wrong, and nobody left waiting. */
#include "support/c_kit.h"

static const int64_t shape[2] = {6, 4};

static shardfft_layout planes(void) {
  shardfft_layout layout = NULL;
  OK(shardfft_layout_slab(2, shape, world_ranks(), 0, NULL, &layout));
  return layout;
}
static shardfft_plan plan_of(shardfft_layout layout) {
  shardfft_plan plan = NULL;
  OK(shardfft_plan_create(MPI_COMM_WORLD, SHARDFFT_C2C, SHARDFFT_F64, layout, NULL, NULL, &plan));
  return plan;
}

static void null_handles(void) {
  shardfft_layout layout = planes(), made = NULL;
  int ranks = 0;
  int64_t count = 0;
  double array[2] = {0, 0};
  char* text = NULL;
  FAILS(shardfft_layout_ranks(NULL, &ranks), SHARDFFT_INVALID_ARGUMENT, "the layout is a null handle");
  FAILS(shardfft_plan_forward(NULL, array, array), SHARDFFT_INVALID_ARGUMENT, "the plan is a null handle");
  FAILS(shardfft_options_set(NULL, "batch", "2"), SHARDFFT_INVALID_ARGUMENT, "the set of options is a null handle");
  FAILS(shardfft_report_to_text(NULL, &text), SHARDFFT_INVALID_ARGUMENT, "the report is a null handle");
  FAILS(shardfft_side_count(NULL, &count), SHARDFFT_INVALID_ARGUMENT, "the side is a null handle");
  FAILS(shardfft_buffer_bytes(NULL, NULL), SHARDFFT_INVALID_ARGUMENT, "the buffer is a null handle");
  FAILS(shardfft_operator_multiply(NULL, NULL, NULL), SHARDFFT_INVALID_ARGUMENT, "the operator is a null handle");
  FAILS(shardfft_redistribution_exchange(NULL, &text), SHARDFFT_INVALID_ARGUMENT,
        "the redistribution is a null handle");
  FAILS(shardfft_layout_ranks(layout, NULL), SHARDFFT_INVALID_ARGUMENT, "'ranks' is a null pointer");
  FAILS(shardfft_layout_slab(2, NULL, 1, 0, NULL, &made), SHARDFFT_INVALID_ARGUMENT, "'shape' is a null pointer");
  FAILS(shardfft_layout_slab(2000000000, shape, 1, 0, NULL, &made), SHARDFFT_INVALID_ARGUMENT, "at most 10");
  FAILS(shardfft_layout_slab(-1, shape, 1, 0, NULL, &made), SHARDFFT_INVALID_ARGUMENT, "must not be negative");
  FAILS(shardfft_layout_slab(2, shape, 1, 0, NULL, NULL), SHARDFFT_INVALID_ARGUMENT, "'layout' is a null pointer");
  CHECK(made == NULL && text == NULL);
  /* Freeing nothing is allowed. */
  OK(shardfft_layout_free(&made));
  OK(shardfft_layout_free(NULL));
  shardfft_text_free(NULL);
  OK(shardfft_layout_free(&layout));
}

static void freed_handles(void) {
  shardfft_layout layout = planes(), copy = layout;
  shardfft_plan plan = plan_of(layout), same = plan;
  double array[48] = {0};
  int ranks = 0;
  OK(shardfft_layout_free(&layout));
  CHECK(layout == NULL);
  layout = planes(); /* may lie where the first one lay */
  FAILS(shardfft_layout_ranks(copy, &ranks), SHARDFFT_INVALID_ARGUMENT, "the layout was freed, or is no layout");
  FAILS(shardfft_layout_free(&copy), SHARDFFT_INVALID_ARGUMENT, "the layout was freed");
  OK(shardfft_plan_forward(plan, array, array)); /* a plan keeps what it was made of */
  OK(shardfft_plan_free(&plan));
  FAILS(shardfft_plan_forward(same, array, array), SHARDFFT_INVALID_ARGUMENT, "the plan was freed, or is no plan");
  FAILS(shardfft_plan_ranks((shardfft_plan)layout, &ranks), SHARDFFT_INVALID_ARGUMENT, "or is no plan");
  OK(shardfft_layout_free(&layout));
}

static void layouts(void) {
  shardfft_layout layout = NULL;
  const int64_t negative[2] = {-6, 4}, grid[2] = {3, 5};
  const int twice[2] = {1, 1};
  const shardfft_progression half[2] = {{0, 3, 1}, {0, 4, 1}};
  FAILS(shardfft_layout_slab(2, negative, 2, 0, NULL, &layout), SHARDFFT_INVALID_ARGUMENT, "-6");
  FAILS(shardfft_layout_slab(2, shape, 2, 2, NULL, &layout), SHARDFFT_INVALID_ARGUMENT, "axis");
  FAILS(shardfft_layout_slab(2, shape, 2, 0, twice, &layout), SHARDFFT_INVALID_ARGUMENT, "order");
  FAILS(shardfft_layout_brick(2, shape, 4, grid, NULL, &layout), SHARDFFT_INVALID_ARGUMENT, "the grid has 15 places");
  FAILS(shardfft_layout_boxes(2, shape, 1, NULL, NULL, &layout), SHARDFFT_INVALID_ARGUMENT, "'sets'");
  /* Half of the array is nobody's: every rank hears of it. */
  const shardfft_progression nothing[2] = {{0, 0, 1}, {0, 0, 1}};
  FAILS(shardfft_gather_layout(MPI_COMM_WORLD, 2, shape, world_rank() == 0 ? half : nothing, NULL, &layout),
        SHARDFFT_INVALID_ARGUMENT, "");
  /* One rank alone gives nonsense. */
  const int last = world_rank() == world_ranks() - 1;
  FAILS(shardfft_gather_layout(MPI_COMM_WORLD, 2, shape, last ? NULL : half, NULL, &layout), SHARDFFT_INVALID_ARGUMENT,
        "'mine' is a null pointer");
  CHECK(layout == NULL);
}

static void count_visit(void* user, int rank, const shardfft_progression* common) {
  (void)rank, (void)common;
  ++*(int*)user;
}

/* Single indices whose stride is left 0, and strides that cannot be. */
static void strides(void) {
  const shardfft_progression rows[4] = {{0, 5, 1}, {0, 4, 1}, {5, 1, 0}, {0, 4, 1}}, row[2] = {{3, 1, 0}, {0, 4, 1}};
  const shardfft_progression still[2] = {{0, 6, 0}, {0, 4, 1}}, back = {5, 6, -1};
  const shardfft_progression parts[3] = {{0, 5, 1}, {5, 1, 0}, {0, 4, 1}};
  const int each[2] = {2, 1};
  shardfft_layout boxes = NULL, grid = NULL, longer = NULL;
  shardfft_progression common;
  int64_t count = 0;
  int visits = 0, same = 0;
  OK(shardfft_layout_boxes(2, shape, 2, rows, NULL, &boxes));
  OK(shardfft_layout_validate(boxes));
  OK(shardfft_layout_with_axis_extent(boxes, 0, 9, &longer));
  OK(shardfft_layout_count(longer, 1, &count));
  CHECK(count == 4 * 4);
  OK(shardfft_layout_for_overlaps(boxes, row, count_visit, &visits));
  CHECK(visits == 1);
  OK(shardfft_layout_grid(2, shape, 2, each, parts, NULL, NULL, &grid));
  OK(shardfft_layout_same_as(boxes, grid, &same));
  CHECK(same == 1);
  OK(shardfft_layout_free(&longer));
  OK(shardfft_layout_with_axis_extent(grid, 0, 9, &longer));
  OK(shardfft_intersect(&row[0], &still[1], &common));
  CHECK(common.first == 3 && common.count == 1 && common.stride == 1);
  OK(shardfft_layout_free(&longer));
  FAILS(shardfft_layout_boxes(2, shape, 1, still, NULL, &longer), SHARDFFT_INVALID_ARGUMENT,
        "a progression of 6 indices from 0 on has stride 0; strides are at least 1");
  FAILS(shardfft_layout_for_overlaps(boxes, still, count_visit, &visits), SHARDFFT_INVALID_ARGUMENT, "has stride 0");
  FAILS(shardfft_intersect(&still[1], &back, &common), SHARDFFT_INVALID_ARGUMENT, "has stride -1");
  OK(shardfft_layout_free(&grid));
  OK(shardfft_layout_free(&boxes));
  CHECK(longer == NULL);
}

static void options(void) {
  shardfft_options made = NULL;
  char* text = NULL;
  OK(shardfft_options_create(&made));
  FAILS(shardfft_options_set(made, "bacth", "2"), SHARDFFT_INVALID_ARGUMENT, "unknown option 'bacth'; known: norm");
  FAILS(shardfft_options_set(made, "batch", "two"), SHARDFFT_INVALID_ARGUMENT, "takes an integer, not 'two'");
  FAILS(shardfft_options_set(made, "norm", "other"), SHARDFFT_INVALID_ARGUMENT, "unknown norm 'other'");
  FAILS(shardfft_options_set(made, NULL, "2"), SHARDFFT_INVALID_ARGUMENT, "'name' is a null pointer");
  FAILS(shardfft_options_set(made, "batch", NULL), SHARDFFT_INVALID_ARGUMENT, "'text' is a null pointer");
  FAILS(shardfft_options_set_integer(made, "verify", 2), SHARDFFT_INVALID_ARGUMENT, "takes 0 or 1, not 2");
  FAILS(shardfft_options_set_integer(made, "exchange", 2), SHARDFFT_INVALID_ARGUMENT, "option exchange takes text");
  FAILS(shardfft_options_set_number(made, "batch", 1.5), SHARDFFT_INVALID_ARGUMENT, "option batch takes an integer");
  FAILS(shardfft_options_set_integers(made, "axes", 2, NULL), SHARDFFT_INVALID_ARGUMENT, "'values' is a null pointer");
  FAILS(shardfft_options_set_address(made, "batch", NULL), SHARDFFT_INVALID_ARGUMENT, "does not take an address");
  FAILS(shardfft_options_get(made, "nothing", &text), SHARDFFT_INVALID_ARGUMENT, "unknown option 'nothing'");
  FAILS(shardfft_options_get(made, "norm", NULL), SHARDFFT_INVALID_ARGUMENT, "'text' is a null pointer");
  OK(shardfft_options_free(&made));
}

/* What is wrong on one rank is the error of every rank. */
static void planning(void) {
  const int last = world_rank() == world_ranks() - 1;
  shardfft_layout layout = planes(), larger = NULL;
  shardfft_options options = NULL, ended = NULL, some = NULL;
  shardfft_plan plan = NULL;
  const int64_t other[2] = {7, 4};
  OK(shardfft_layout_slab(2, other, world_ranks(), 0, NULL, &larger));
  OK(shardfft_options_create(&options));
  some = ended = options;
  OK(shardfft_options_free(&options));
  OK(shardfft_options_create(&options));
  FAILS(shardfft_plan_create(MPI_COMM_WORLD, 7, SHARDFFT_F64, layout, NULL, NULL, &plan), SHARDFFT_INVALID_ARGUMENT,
        "7");
  FAILS(shardfft_plan_create(MPI_COMM_WORLD, SHARDFFT_C2C, -1, layout, NULL, NULL, &plan), SHARDFFT_INVALID_ARGUMENT,
        "-1");
  FAILS(shardfft_plan_create(MPI_COMM_NULL, SHARDFFT_C2C, SHARDFFT_F64, layout, NULL, NULL, &plan),
        SHARDFFT_INVALID_ARGUMENT, "MPI_COMM_NULL");
  MPI_Comm zero;
  memset(&zero, 0, sizeof zero);
  FAILS(shardfft_plan_create(zero, SHARDFFT_C2C, SHARDFFT_F64, layout, NULL, NULL, &plan), SHARDFFT_INVALID_ARGUMENT,
        "the communicator is no handle of MPI's");
#ifdef OPEN_MPI /* others have a handle for each number, and end the program for those that are none */
  const MPI_Fint wrong[3] = {-1, -7, 1000000};
  for (int i = 0; i < 3; ++i)
    FAILS(shardfft_plan_create_f(wrong[i], SHARDFFT_C2C, SHARDFFT_F64, layout, NULL, NULL, &plan),
          SHARDFFT_INVALID_ARGUMENT, "the communicator is no handle of MPI's");
#endif
  FAILS(shardfft_plan_create(MPI_COMM_WORLD, SHARDFFT_C2C, SHARDFFT_F64, last ? NULL : layout, NULL, NULL, &plan),
        SHARDFFT_INVALID_ARGUMENT, "the layout is a null handle");
  FAILS(shardfft_plan_create(MPI_COMM_WORLD, SHARDFFT_C2C, SHARDFFT_F64, layout, NULL, last ? ended : options, &plan),
        SHARDFFT_INVALID_ARGUMENT, "the set of options was freed");
  FAILS(shardfft_plan_create(MPI_COMM_WORLD, SHARDFFT_C2C, SHARDFFT_F64, layout, NULL, NULL, last ? NULL : &plan),
        SHARDFFT_INVALID_ARGUMENT, "'plan' is a null pointer");
  FAILS(shardfft_plan_create(MPI_COMM_WORLD, SHARDFFT_C2C, SHARDFFT_F64, layout, larger, NULL, &plan),
        SHARDFFT_INVALID_ARGUMENT, "");
  OK(shardfft_options_set(options, "batch", last ? "2" : "1"));
  if (world_ranks() > 1)
    FAILS(shardfft_plan_create(MPI_COMM_WORLD, SHARDFFT_C2C, SHARDFFT_F64, layout, NULL, options, &plan),
          SHARDFFT_MISMATCH, "batch");
  OK(shardfft_options_set(options, "batch", "0"));
  FAILS(shardfft_plan_create(MPI_COMM_WORLD, SHARDFFT_C2C, SHARDFFT_F64, layout, NULL, options, &plan),
        SHARDFFT_INVALID_ARGUMENT, "batch");
  const int devices[1] = {0};
  FAILS(shardfft_plan_create_devices(1, devices, SHARDFFT_C2C, SHARDFFT_F64, layout, NULL, NULL, NULL),
        SHARDFFT_INVALID_ARGUMENT, "'plan' is a null pointer");
  CHECK(plan == NULL && some == ended);
  OK(shardfft_options_free(&options));
  OK(shardfft_layout_free(&larger));
  OK(shardfft_layout_free(&layout));
}

static void calls(void) {
  const int last = world_rank() == world_ranks() - 1;
  shardfft_layout layout = planes();
  shardfft_plan plan = plan_of(layout);
  shardfft_operator laplacian = NULL, wrong = NULL;
  shardfft_buffer buffer = NULL;
  shardfft_report report = NULL;
  shardfft_side side = NULL;
  double in[48] = {0}, out[48] = {0};
  const void* from[2] = {in, in};
  void* to[2] = {out, out};
  size_t needed = 0;
  OK(shardfft_operator_laplacian(0, NULL, &laplacian));
  OK(shardfft_operator_derivative(5, 1, 0, NULL, &wrong));
  OK(shardfft_plan_forward(plan, in, out));
  if (world_ranks() <= 6) /* each rank has planes */
    FAILS(shardfft_plan_forward(plan, last ? NULL : in, out), SHARDFFT_INVALID_ARGUMENT, "the input is a null pointer");
  FAILS(shardfft_plan_forward_members(plan, 2, from, to), SHARDFFT_INVALID_ARGUMENT, "2");
  FAILS(shardfft_plan_backward_members(plan, -1, from, to), SHARDFFT_INVALID_ARGUMENT, "");
  FAILS(shardfft_plan_backward_members(plan, 1, last ? NULL : from, to), SHARDFFT_INVALID_ARGUMENT, "");
  FAILS(shardfft_plan_apply(plan, last ? NULL : laplacian, in, out), SHARDFFT_INVALID_ARGUMENT,
        "the operator is a null handle");
  FAILS(shardfft_plan_apply(plan, wrong, in, out), SHARDFFT_INVALID_ARGUMENT, "axis");
  FAILS(shardfft_plan_refuse(plan, "this rank has no data"), SHARDFFT_INVALID_ARGUMENT, "this rank has no data");
  FAILS(shardfft_plan_convolution(plan, in, last ? NULL : &wrong), last ? SHARDFFT_INVALID_ARGUMENT : SHARDFFT_OK, "");
  FAILS(shardfft_plan_allocate_input(plan, 0, last ? NULL : &buffer), last ? SHARDFFT_INVALID_ARGUMENT : SHARDFFT_OK,
        "");
  FAILS(shardfft_plan_report(plan, last ? NULL : &report), last ? SHARDFFT_INVALID_ARGUMENT : SHARDFFT_OK, "");
  FAILS(shardfft_plan_input(plan, 1, &side), SHARDFFT_INVALID_ARGUMENT, "member");
  OK(shardfft_plan_workspace_bytes(plan, &needed));
  if (needed > 1) FAILS(shardfft_plan_set_workspace(plan, in, 1), SHARDFFT_INVALID_ARGUMENT, "");
  OK(shardfft_plan_forward(plan, in, out)); /* no refusal spoils a plan */
  OK(shardfft_buffer_free(&buffer));
  OK(shardfft_report_free(&report));
  OK(shardfft_operator_free(&laplacian));
  OK(shardfft_operator_free(&wrong));
  OK(shardfft_plan_free(&plan));
  OK(shardfft_layout_free(&layout));
}

static int fail_on_last(void* user, shardfft_side side, void* data, int device, void* stream) {
  int rank = -1;
  (void)user, (void)data, (void)device, (void)stream;
  OK(shardfft_side_rank(side, &rank));
  return rank == world_ranks() - 1 ? 7 : 0;
}

/* Of a communicator of its own, whose plans can do nothing more after a function has failed. */
static void operators(void) {
  static double in[48], out[48];
  MPI_Comm comm;
  shardfft_layout layout = planes();
  shardfft_plan plan = NULL;
  shardfft_operator made = NULL;
  FAILS(shardfft_operator_calling(NULL, NULL, NULL, &made), SHARDFFT_INVALID_ARGUMENT, "'change' is a null pointer");
  FAILS(shardfft_operator_cuda(NULL, 0, NULL, &made), SHARDFFT_INVALID_ARGUMENT, "'text' is a null pointer");
  FAILS(shardfft_operator_arrays(SHARDFFT_F64, 0, 2, NULL, NULL, &made), SHARDFFT_INVALID_ARGUMENT, "'factors'");
  CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &comm) == MPI_SUCCESS);
  OK(shardfft_plan_create(comm, SHARDFFT_C2C, SHARDFFT_F64, layout, NULL, NULL, &plan));
  OK(shardfft_operator_cuda("double factor(const double* k, const long long* i) { return k[0]; }", 0, NULL, &made));
  FAILS(shardfft_plan_apply(plan, made, in, out), SHARDFFT_UNSUPPORTED, "is for plans on GPUs");
  OK(shardfft_operator_free(&made));
  OK(shardfft_operator_calling(fail_on_last, NULL, NULL, &made));
  FAILS(shardfft_plan_apply(plan, made, in, out), SHARDFFT_BACKEND_FAILURE, "the operator's function returned 7");
  OK(shardfft_operator_free(&made));
  OK(shardfft_plan_free(&plan));
  OK(shardfft_layout_free(&layout));
  CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS);
}

static void redistributions(void) {
  const int last = world_rank() == world_ranks() - 1;
  shardfft_layout layout = planes();
  shardfft_redistribution made = NULL;
  double in[24] = {0}, out[24] = {0};
  FAILS(shardfft_redistribution_create(MPI_COMM_WORLD, layout, last ? NULL : layout, 8, NULL, &made),
        SHARDFFT_INVALID_ARGUMENT, "the layout is a null handle");
  FAILS(shardfft_redistribution_create(MPI_COMM_WORLD, layout, layout, 0, NULL, &made), SHARDFFT_INVALID_ARGUMENT, "");
  FAILS(shardfft_redistribution_create(MPI_COMM_WORLD, layout, layout, 8, NULL, last ? NULL : &made),
        SHARDFFT_INVALID_ARGUMENT, "'redistribution' is a null pointer");
  FAILS(shardfft_redistribute(MPI_COMM_WORLD, NULL, layout, 8, in, out, NULL), SHARDFFT_INVALID_ARGUMENT,
        "the layout is a null handle");
  CHECK(made == NULL);
  OK(shardfft_redistribution_create(MPI_COMM_WORLD, layout, layout, 8, NULL, &made));
  FAILS(shardfft_redistribution_forward(made, last ? NULL : in, out), SHARDFFT_INVALID_ARGUMENT, "null");
  FAILS(shardfft_redistribution_forward_members(made, 3, NULL, NULL), SHARDFFT_INVALID_ARGUMENT, "");
  OK(shardfft_redistribution_forward(made, in, out));
  OK(shardfft_redistribution_free(&made));
  OK(shardfft_layout_free(&layout));
}

/* This build's library may have no GPUs. */
static void gpus(void) {
  char* support = NULL;
  OK(shardfft_gpu_support(&support));
  if (support[0] == '\0') {
    int before = 0, devices[1] = {0};
    shardfft_layout layout = NULL;
    shardfft_plan plan = NULL;
    OK(shardfft_layout_slab(2, shape, 1, 0, NULL, &layout));
    FAILS(shardfft_set_current_gpu(0, &before), SHARDFFT_UNSUPPORTED, "no GPU support");
    FAILS(shardfft_plan_create_devices(1, devices, SHARDFFT_C2C, SHARDFFT_F64, layout, NULL, NULL, &plan),
          SHARDFFT_UNSUPPORTED, "no GPU support");
    FAILS(shardfft_plan_create_devices(1, NULL, SHARDFFT_C2C, SHARDFFT_F64, layout, NULL, NULL, &plan),
          SHARDFFT_INVALID_ARGUMENT, "'devices' is a null pointer");
    OK(shardfft_layout_free(&layout));
  }
  shardfft_text_free(support);
}

static void tests(void) {
  CHECK(strcmp(shardfft_last_error(), "") == 0);
  CHECK(strcmp(shardfft_version(), SHARDFFT_VERSION) == 0);
  CHECK(strcmp(shardfft_status_name(SHARDFFT_TIMED_OUT), "timed_out") == 0);
  CHECK(strcmp(shardfft_status_name(99), "unknown") == 0);
  null_handles();
  freed_handles();
  layouts();
  strides();
  options();
  planning();
  calls();
  operators();
  redistributions();
  gpus();
}

int main(int argc, char** argv) { return run_tests(argc, argv, tests); }
