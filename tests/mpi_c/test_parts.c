/* What surrounds transforms in the C interface: layouts that tell of themselves, options, sides, kept modes, buffers,
 * reports, redistributions, Fortran's communicators. */
#include "support/c_kit.h"

enum { N0 = 8, N1 = 6 };
static const int64_t shape[2] = {N0, N1};
static const double pi = 3.14159265358979323846;

static shardfft_layout planes(int axis) {
  shardfft_layout layout = NULL;
  OK(shardfft_layout_slab(2, shape, world_ranks(), axis, NULL, &layout));
  return layout;
}

static void add_rank(void* user, int rank, const shardfft_progression* common) {
  *(int64_t*)user += (rank + 1) * common[0].count * common[1].count;
}

/* Of 7 x 4 in 3 slabs: 3, 2 and 2 rows. */
static void layouts(void) {
  const int64_t seven[2] = {7, 4};
  const int order[2] = {1, 0};
  shardfft_layout layout = NULL, other = NULL, batch = NULL;
  int axes = 0, ranks = 0, is_grid = 0, count = 0, yes = 0, got[2], strides[2];
  int64_t number = 0, extents[3], met = 0;
  uint64_t first = 0, second = 0;
  shardfft_progression parts[3], set[2], cyclic, common;
  shardfft_piece piece;
  char* text = NULL;
  OK(shardfft_layout_slab(2, seven, 3, 0, order, &layout));
  OK(shardfft_layout_axes(layout, &axes));
  OK(shardfft_layout_ranks(layout, &ranks));
  OK(shardfft_layout_shape(layout, extents));
  OK(shardfft_layout_order(layout, got));
  OK(shardfft_layout_is_grid(layout, &is_grid));
  CHECK(axes == 2 && ranks == 3 && extents[0] == 7 && extents[1] == 4 && got[0] == 1 && got[1] == 0 && is_grid == 1);
  OK(shardfft_layout_parts(layout, 0, &count, NULL));
  CHECK(count == 3);
  OK(shardfft_layout_parts(layout, 0, &count, parts));
  CHECK(parts[1].first == 3 && parts[1].count == 2 && parts[1].stride == 1);
  OK(shardfft_layout_rank_stride(layout, strides));
  CHECK(strides[0] == 1);
  OK(shardfft_layout_count(layout, 1, &number));
  CHECK(number == 8);
  OK(shardfft_layout_max_count(layout, &number));
  CHECK(number == 12);
  OK(shardfft_layout_local(layout, 2, set));
  CHECK(set[0].first == 5 && set[0].count == 2 && set[1].count == 4);
  OK(shardfft_layout_pieces(layout, 2, &count, &piece));
  CHECK(count == 1 && piece.offset == 0 && piece.stride[0] == 1 && piece.stride[1] == 2);
  OK(shardfft_layout_axis_is_local(layout, 1, &yes));
  CHECK(yes == 1);
  OK(shardfft_layout_axis_is_local(layout, 0, &yes));
  CHECK(yes == 0);
  set[0].first = 2; /* rows 2 and 3: one of rank 0, one of rank 1 */
  OK(shardfft_layout_for_overlaps(layout, set, add_rank, &met));
  CHECK(met == 1 * 4 + 2 * 4);
  OK(shardfft_layout_with_axis_extent(layout, 1, 9, &other));
  OK(shardfft_layout_shape(other, extents));
  CHECK(extents[0] == 7 && extents[1] == 9);
  OK(shardfft_layout_free(&other));
  OK(shardfft_layout_with_order(layout, NULL, &other));
  OK(shardfft_layout_same_as(layout, other, &yes));
  CHECK(yes == 0);
  OK(shardfft_layout_fingerprint(layout, &first));
  OK(shardfft_layout_fingerprint(other, &second));
  CHECK(first != second);
  OK(shardfft_layout_free(&other));
  OK(shardfft_layout_with_batch(layout, 5, &batch));
  OK(shardfft_layout_shape(batch, extents));
  CHECK(extents[0] == 5 && extents[1] == 7 && extents[2] == 4);
  OK(shardfft_layout_without_batch(batch, &other));
  OK(shardfft_layout_same_as(layout, other, &yes));
  CHECK(yes == 1);
  OK(shardfft_layout_validate(layout));
  OK(shardfft_layout_describe(layout, &text));
  CHECK(strstr(text, "7x4") != NULL);
  shardfft_text_free(text);
  OK(shardfft_cyclic_part(10, 3, 1, &cyclic));
  CHECK(cyclic.first == 1 && cyclic.count == 3 && cyclic.stride == 3);
  OK(shardfft_intersect(&cyclic, &parts[1], &common)); /* 1, 4, 7 and 3, 4 */
  CHECK(common.first == 4 && common.count == 1);
  OK(shardfft_layout_free(&other));
  OK(shardfft_layout_free(&batch));

  /* The same layout from its parts, and from its pieces. */
  const int each[2] = {3, 1}, ones[3] = {1, 1, 1};
  const shardfft_progression all[4] = {{0, 3, 1}, {3, 2, 1}, {5, 2, 1}, {0, 4, 1}};
  shardfft_piece pieces[3];
  OK(shardfft_layout_grid(2, seven, 3, each, all, NULL, order, &other));
  OK(shardfft_layout_same_as(layout, other, &yes));
  CHECK(yes == 1);
  OK(shardfft_layout_free(&other));
  for (int r = 0; r < 3; ++r) OK(shardfft_layout_pieces(layout, r, &count, &pieces[r]));
  OK(shardfft_layout_from_pieces(2, seven, 3, ones, pieces, &other));
  OK(shardfft_layout_same_as(layout, other, &yes));
  CHECK(yes == 1);
  OK(shardfft_layout_free(&other));
  OK(shardfft_layout_free(&layout));
}

static void expect_option(shardfft_options options, const char* name, const char* expected) {
  char* text = NULL;
  OK(shardfft_options_get(options, name, &text));
  if (strcmp(text, expected) != 0) printf("%s is %s, not %s\n", name, text, expected);
  CHECK(strcmp(text, expected) == 0);
  shardfft_text_free(text);
}

static void options(void) {
  const int64_t axes[2] = {1, 0};
  shardfft_options options = NULL;
  char *names = NULL, *text = NULL;
  OK(shardfft_options_create(&options));
  OK(shardfft_options_set(options, "norm", "ortho"));
  OK(shardfft_options_set_integer(options, "batch", 3));
  OK(shardfft_options_set_integer(options, "verify", 1));
  OK(shardfft_options_set_number(options, "call_timeout", 2.5));
  OK(shardfft_options_set_integers(options, "axes", 2, axes));
  OK(shardfft_options_set_address(options, "stream", NULL));
  expect_option(options, "norm", "ortho");
  expect_option(options, "batch", "3");
  expect_option(options, "verify", "yes");
  expect_option(options, "call_timeout", "2.5");
  expect_option(options, "axes", "1,0");
  expect_option(options, "exchange", "auto");
  OK(shardfft_option_names(&names));
  CHECK(strstr(names, "norm,axes,transforms") == names);
  OK(shardfft_option_sentence("batch", &text));
  CHECK(strstr(text, "Fields of the same layout") == text);
  shardfft_text_free(text);
  shardfft_text_free(names);
  OK(shardfft_exchange_names(&names));
  CHECK(strstr(names, "alltoallv") != NULL);
  shardfft_text_free(names);
  OK(shardfft_algorithm_names(&names));
  CHECK(strstr(names, "pencil") != NULL);
  shardfft_text_free(names);
  OK(shardfft_local_fft_names(&names));
  CHECK(strstr(names, "reference") != NULL);
  shardfft_text_free(names);
  OK(shardfft_device_exchange_names(&names));
  shardfft_text_free(names);
  OK(shardfft_options_free(&options));
}

/* 4 modes of 8 points: 0, 1, -2, -1; workspace of the caller's; what the report says. */
static void modes_and_memory(void) {
  shardfft_layout layout = planes(1), spectrum = NULL;
  shardfft_options options = NULL;
  shardfft_plan plan = NULL;
  shardfft_side side = NULL;
  shardfft_report report = NULL;
  const int64_t index[4] = {0, 1, 2, 3};
  int64_t extents[2], points[2];
  double values[4];
  int count = 0, axes[2], ranks = 0, members = 0, device = 0, failed = 1, axis = 0;
  void* stream = &count;
  shardfft_axis_transform transforms[2];
  size_t bytes = 0;
  char* text = NULL;
  OK(shardfft_options_create(&options));
  OK(shardfft_options_set(options, "modes", "4,0"));
  OK(shardfft_plan_create_f(MPI_Comm_c2f(MPI_COMM_WORLD), SHARDFFT_C2C, SHARDFFT_F64, layout, SHARDFFT_DEFAULT_OUTPUT,
                            options, &plan));
  OK(shardfft_plan_output(plan, 0, &side));
  OK(shardfft_side_layout(side, &spectrum));
  OK(shardfft_layout_shape(spectrum, extents));
  CHECK(extents[0] == 4 && extents[1] == N1);
  OK(shardfft_side_frequencies(side, 0, 0.125, 4, index, values));
  CHECK(values[0] == 0 && values[1] == 1 && values[2] == -2 && values[3] == -1);
  OK(shardfft_side_wavenumbers(side, 0, 2 * pi, 4, index, values));
  CHECK(values[1] == 1 && values[2] == -2);
  OK(shardfft_side_slopes(side, 0, 2 * pi, 4, index, values));
  CHECK(values[1] == 1 && values[2] == 0 && values[3] == -1);
  OK(shardfft_side_weights(side, 0, 4, index, values));
  CHECK(values[1] == 1 && values[2] == 0.5);
  FAILS(shardfft_side_positions(side, 1, N1, 4, index, values), SHARDFFT_INVALID_ARGUMENT, "has no points");
  FAILS(shardfft_side_weights(side, 0, 4, index, NULL), SHARDFFT_INVALID_ARGUMENT, "weights");
  OK(shardfft_side_coordinates(side, 1, 0.5, 4, index, values));
  CHECK(values[3] == 1.5);
  OK(shardfft_side_axes(side, &count, axes));
  OK(shardfft_side_transforms(side, &count, transforms));
  OK(shardfft_side_points(side, &count, points));
  OK(shardfft_side_halved_axis(side, &axis));
  CHECK(count == 2 && axes[1] == 1 && transforms[0] == SHARDFFT_FFT && points[0] == N0 && axis == -1);
  OK(shardfft_side_transform_of(side, 1, &transforms[1]));
  CHECK(transforms[1] == SHARDFFT_FFT);
  OK(shardfft_plan_ranks(plan, &ranks));
  OK(shardfft_plan_members(plan, &members));
  OK(shardfft_plan_device(plan, 0, &device));
  OK(shardfft_plan_stream(plan, 0, &stream));
  OK(shardfft_plan_failed_half_way(plan, &failed));
  CHECK(ranks == world_ranks() && members == 1 && device == -1 && stream == NULL && failed == 0);
  OK(shardfft_plan_workspace_bytes(plan, &bytes));
  void* workspace = aligned_alloc(64, (bytes / 64 + 1) * 64);
  OK(shardfft_plan_set_workspace(plan, workspace, bytes));
  double in[2 * N0 * N1] = {0}, out[2 * N0 * N1] = {0};
  OK(shardfft_plan_forward(plan, in, out));
  OK(shardfft_plan_report(plan, &report));
  OK(shardfft_report_to_text(report, &text));
  CHECK(strstr(text, "c2c") != NULL);
  shardfft_text_free(text);
  OK(shardfft_report_to_json(report, &text));
  CHECK(text[0] == '{' && strstr(text, "\"exchange\"") != NULL);
  shardfft_text_free(text);
  OK(shardfft_report_free(&report));
  OK(shardfft_side_free(&side));
  OK(shardfft_plan_free(&plan));
  free(workspace);
  OK(shardfft_options_free(&options));
  OK(shardfft_layout_free(&spectrum));
  OK(shardfft_layout_free(&layout));
}

/* Elements of three bytes: the number of the element. */
static void expect_moved(shardfft_layout layout, const unsigned char* data, int fill) {
  shardfft_piece piece;
  int pieces = 0;
  OK(shardfft_layout_pieces(layout, world_rank(), &pieces, &piece));
  if (pieces == 0) return;
  for (int64_t i = 0; i < piece.axis[0].count; ++i)
    for (int64_t j = 0; j < piece.axis[1].count; ++j) {
      unsigned char* at = (unsigned char*)data + 3 * (i * piece.stride[0] + j * piece.stride[1]);
      const int64_t number = (piece.axis[0].first + i) * N1 + piece.axis[1].first + j;
      if (fill) memset(at, (int)number, 3);
      CHECK(at[0] == number && at[2] == number);
    }
}

/* A plan made from the way of another one, which its report tells. */
static void ways(void) {
  shardfft_layout layout = planes(0);
  shardfft_options options = NULL;
  shardfft_plan plan = NULL;
  shardfft_report report = NULL;
  char *first = NULL, *second = NULL;
  OK(shardfft_options_create(&options));
  OK(shardfft_options_set(options, "algorithm", "slab"));
  for (char** text = &first; text != NULL; text = text == &first ? &second : NULL) {
    OK(shardfft_plan_create(MPI_COMM_WORLD, SHARDFFT_C2C, SHARDFFT_F64, layout, SHARDFFT_DEFAULT_OUTPUT, options,
                            &plan));
    OK(shardfft_plan_report(plan, &report));
    OK(shardfft_report_to_text(report, text));
    OK(shardfft_report_free(&report));
    OK(shardfft_plan_free(&plan));
    char* const way = strstr(*text, "\nway ") + strlen("\nway ");
    *strchr(way, '\n') = '\0';
    CHECK(strncmp(way, "shardfft ", 9) == 0 && strstr(way, "; algorithm=slab; ") != NULL);
    CHECK(text == &first || strcmp(way, strstr(first, "\nway ") + strlen("\nway ")) == 0);
    OK(shardfft_options_set(options, "way", way));
  }
  OK(shardfft_options_set(options, "algorithm", "pencil"));
  CHECK(shardfft_plan_create(MPI_COMM_WORLD, SHARDFFT_C2C, SHARDFFT_F64, layout, SHARDFFT_DEFAULT_OUTPUT, options,
                             &plan) == SHARDFFT_INVALID_ARGUMENT);
  shardfft_text_free(first);
  shardfft_text_free(second);
  OK(shardfft_options_free(&options));
  OK(shardfft_layout_free(&layout));
}

static void redistributions(void) {
  shardfft_layout rows = planes(0), columns = planes(1);
  shardfft_options options = NULL;
  shardfft_redistribution made = NULL;
  shardfft_buffer in = NULL, out = NULL;
  void *from = NULL, *to = NULL, *stream = &from;
  int64_t count = 0, expected = 0, sent = -1;
  int members = 0, device = 0, failed = 1;
  size_t bytes = 0;
  char* name = NULL;
  OK(shardfft_options_create(&options));
  OK(shardfft_options_set(options, "exchange", "alltoallv"));
  OK(shardfft_redistribution_create(MPI_COMM_WORLD, rows, columns, 3, options, &made));
  OK(shardfft_options_free(&options));
  OK(shardfft_redistribution_allocate_input(made, 0, &in));
  OK(shardfft_redistribution_allocate_output(made, 0, &out));
  OK(shardfft_buffer_data(in, &from));
  OK(shardfft_buffer_data(out, &to));
  OK(shardfft_redistribution_output_count(made, 0, &count));
  OK(shardfft_layout_count(columns, world_rank(), &expected));
  CHECK(count == expected);
  OK(shardfft_redistribution_input_count(made, 0, &count));
  OK(shardfft_buffer_bytes(in, &bytes));
  CHECK(bytes == (size_t)(3 * count));
  expect_moved(rows, from, 1);
  OK(shardfft_redistribution_forward(made, from, to));
  expect_moved(columns, to, 0);
  memset(from, 0, bytes);
  OK(shardfft_redistribution_backward(made, to, from));
  expect_moved(rows, from, 0);
  memset(to, 0, (size_t)(3 * expected));
  OK(shardfft_redistribute(MPI_COMM_WORLD, rows, columns, 3, from, to, NULL));
  expect_moved(columns, to, 0);
  memset(to, 0, (size_t)(3 * expected));
  OK(shardfft_redistribute_f(MPI_Comm_c2f(MPI_COMM_WORLD), rows, columns, 3, from, to, NULL));
  expect_moved(columns, to, 0);
  OK(shardfft_redistribution_members(made, &members));
  OK(shardfft_redistribution_device(made, 0, &device));
  OK(shardfft_redistribution_stream(made, 0, &stream));
  OK(shardfft_redistribution_workspace_bytes(made, &bytes));
  OK(shardfft_redistribution_bytes_sent(made, &sent));
  OK(shardfft_redistribution_failed_half_way(made, &failed));
  CHECK(members == 1 && device == -1 && stream == NULL && failed == 0 && (sent > 0) == (world_ranks() > 1));
  OK(shardfft_redistribution_exchange(made, &name));
  CHECK(strcmp(name, "alltoallv") == 0);
  shardfft_text_free(name);
  OK(shardfft_buffer_free(&in));
  OK(shardfft_buffer_free(&out));
  OK(shardfft_redistribution_free(&made));
  OK(shardfft_layout_free(&rows));
  OK(shardfft_layout_free(&columns));
}

/* A way that a plan took is taken by another one, as an option and as wisdom; files keep it. */
static void wisdom(void) {
  shardfft_layout slab = planes(0);
  shardfft_options options = NULL;
  shardfft_plan plan = NULL;
  char *way = NULL, *again = NULL, *all = NULL, *path = NULL;
  int taken = -1;
  OK(shardfft_wisdom_forget());
  OK(shardfft_options_create(&options));
  OK(shardfft_options_set(options, "wisdom", "none"));
  OK(shardfft_plan_create(MPI_COMM_WORLD, SHARDFFT_C2C, SHARDFFT_F64, slab, SHARDFFT_DEFAULT_OUTPUT, options, &plan));
  OK(shardfft_plan_way(plan, &way));
  OK(shardfft_plan_free(&plan));
  OK(shardfft_wisdom_export(&all));
  OK(shardfft_wisdom_import(all, &taken));
  CHECK(taken == (world_rank() == 0 ? 1 : 0) && (strstr(all, way) != NULL) == (world_rank() == 0));
  OK(shardfft_wisdom_import(all, NULL));
  OK(shardfft_plan_create(MPI_COMM_WORLD, SHARDFFT_C2C, SHARDFFT_F64, slab, SHARDFFT_DEFAULT_OUTPUT, options, &plan));
  OK(shardfft_plan_way(plan, &again));
  CHECK(strcmp(way, again) == 0);
  OK(shardfft_plan_free(&plan));
  OK(shardfft_options_set(options, "way", way));
  OK(shardfft_plan_create(MPI_COMM_WORLD, SHARDFFT_C2C, SHARDFFT_F64, slab, SHARDFFT_DEFAULT_OUTPUT, options, &plan));
  OK(shardfft_plan_free(&plan));
  OK(shardfft_wisdom_path(&path));
  FAILS(shardfft_wisdom_import("{}", &taken), SHARDFFT_INVALID_ARGUMENT, "no member \"format\"");
  FAILS(shardfft_wisdom_keep(all, "/no folder/wisdom.json"), SHARDFFT_INVALID_ARGUMENT,
        "there is no folder /no folder, and only the cache folder is made");
  FAILS(shardfft_wisdom_keep(all, "/proc/wisdom.json"), SHARDFFT_INVALID_ARGUMENT, "may not write in the folder /proc");
  OK(shardfft_wisdom_forget());
  shardfft_text_free(way);
  shardfft_text_free(again);
  shardfft_text_free(all);
  shardfft_text_free(path);
  OK(shardfft_options_free(&options));
  OK(shardfft_layout_free(&slab));
}

static void tests(void) {
  ways();
  wisdom();
  layouts();
  options();
  modes_and_memory();
  redistributions();
}

int main(int argc, char** argv) { return run_tests(argc, argv, tests); }
