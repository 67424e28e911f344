/* Every kind, layout and precision of the C interface, against values that are written down here. */
#include "support/c_kit.h"

enum { N0 = 6, N1 = 8, N2 = 5 };
static const int64_t shape[3] = {N0, N1, N2};
static const double pi = 3.14159265358979323846;

/* A field whose spectrum is known: field f is (f + 1) exp(2 pi i (i/N0 + 2j/N1 + 3k/N2)), or its real part. */
typedef struct {
  shardfft_kind kind;
  shardfft_precision precision;
  void* data;
  double worst; /* the largest error that was met */
} Case;

static double complex value_at(const Case* c, int is_complex, int64_t position) {
  const int64_t at = is_complex ? 2 * position : position;
  if (c->precision == SHARDFFT_F64) {
    const double* numbers = c->data;
    return is_complex ? numbers[at] + numbers[at + 1] * I : numbers[at];
  }
  const float* numbers = c->data;
  return is_complex ? numbers[at] + numbers[at + 1] * I : numbers[at];
}
static void set_at(Case* c, int is_complex, int64_t position, double complex value) {
  const double parts[2] = {creal(value), cimag(value)};
  for (int p = 0; p <= is_complex; ++p) {
    const int64_t at = is_complex ? 2 * position + p : position;
    if (c->precision == SHARDFFT_F64)
      ((double*)c->data)[at] = parts[p];
    else
      ((float*)c->data)[at] = (float)parts[p];
  }
}

static double phase(const int64_t* index) {
  return 2 * pi * ((double)index[0] / N0 + 2.0 * (double)index[1] / N1 + 3.0 * (double)index[2] / N2);
}
static double complex wave(const Case* c, int64_t field, const int64_t* index) {
  const double scale = (double)(field + 1);
  if (c->kind == SHARDFFT_R2R) return scale * cos(pi * (2 * (double)index[0] + 1) / (2 * N0));
  return c->kind == SHARDFFT_C2C ? scale * cexp(phase(index) * I) : scale * cos(phase(index));
}
static double complex mode(const Case* c, int64_t field, const int64_t* index) {
  const double scale = (double)(field + 1) * N0 * N1 * N2;
  if (c->kind == SHARDFFT_R2R) /* DCT-II along all axes: N0 at mode 1, 2 N1 and 2 N2 at mode 0 */
    return index[0] == 1 && index[1] == 0 && index[2] == 0 ? 4 * scale : 0;
  const int there = index[0] == 1 && index[1] == 2 && index[2] == 3;
  const int mirrored = index[0] == N0 - 1 && index[1] == N1 - 2 && index[2] == N2 - 3;
  if (c->kind == SHARDFFT_C2C) return there ? scale : 0;
  return there || mirrored ? scale / 2 : 0;
}

static int is_complex_side(const Case* c, int spectrum) {
  return c->kind == SHARDFFT_C2C || ((c->kind == SHARDFFT_R2C) == spectrum && c->kind != SHARDFFT_R2R);
}
static void put_wave(void* user, int64_t field, const int64_t* index, int64_t position) {
  Case* c = user;
  set_at(c, is_complex_side(c, 0), position, wave(c, field, index));
}
static void meet_wave(void* user, int64_t field, const int64_t* index, int64_t position) {
  Case* c = user;
  c->worst = fmax(c->worst, cabs(value_at(c, is_complex_side(c, 0), position) - wave(c, field, index)));
}
static void meet_mode(void* user, int64_t field, const int64_t* index, int64_t position) {
  Case* c = user;
  c->worst = fmax(c->worst, cabs(value_at(c, is_complex_side(c, 1), position) - mode(c, field, index)) / 240);
}
static void put_mode(void* user, int64_t field, const int64_t* index, int64_t position) {
  Case* c = user;
  set_at(c, 1, position, mode(c, field, index));
}
static void meet_real(void* user, int64_t field, const int64_t* index, int64_t position) {
  Case* c = user;
  c->worst = fmax(c->worst, cabs(value_at(c, 0, position) - wave(c, field, index)));
}

static double bound(shardfft_precision precision) { return precision == SHARDFFT_F64 ? 1e-13 : 1e-5; }

static shardfft_plan planned(const Case* c, shardfft_layout input, shardfft_layout output, shardfft_options options) {
  shardfft_plan plan = NULL;
  OK(shardfft_plan_create(MPI_COMM_WORLD, c->kind, c->precision, input, output, options, &plan));
  return plan;
}

/* There: the modes that are written down. And back: the wave. With arrays of the caller's, and in one of the plan's. */
static void check(shardfft_kind kind, shardfft_precision precision, shardfft_layout input, shardfft_layout output,
                  shardfft_options options) {
  Case c = {kind, precision, NULL, 0};
  shardfft_plan plan = planned(&c, input, output, options);
  shardfft_side in = NULL, out = NULL;
  size_t in_bytes = 0, out_bytes = 0, both = 0;
  OK(shardfft_plan_input(plan, 0, &in));
  OK(shardfft_plan_output(plan, 0, &out));
  OK(shardfft_side_bytes(in, &in_bytes));
  OK(shardfft_side_bytes(out, &out_bytes));
  void* field = malloc(in_bytes + 1);
  void* spectrum = malloc(out_bytes + 1);
  c.data = field;
  for_each_element(in, put_wave, &c);
  OK(shardfft_plan_forward(plan, field, spectrum));
  c.data = spectrum;
  for_each_element(out, meet_mode, &c);
  CHECK(c.worst < bound(precision));
  memset(field, 0, in_bytes);
  OK(shardfft_plan_backward(plan, spectrum, field));
  c.data = field;
  for_each_element(in, meet_wave, &c);
  CHECK(c.worst < bound(precision));

  OK(shardfft_plan_in_place_bytes(plan, 0, &both));
  c.data = malloc(both + 1);
  memcpy(c.data, field, in_bytes);
  OK(shardfft_plan_forward(plan, c.data, c.data));
  for_each_element(out, meet_mode, &c);
  CHECK(c.worst < bound(precision));
  free(c.data);
  free(field);
  free(spectrum);
  OK(shardfft_side_free(&in));
  OK(shardfft_side_free(&out));
  OK(shardfft_plan_free(&plan));
  CHECK(plan == NULL);
}

static void every_kind(shardfft_layout input, shardfft_layout output) {
  shardfft_options options = NULL, cosines = NULL;
  OK(shardfft_options_create(&options));
  OK(shardfft_options_set_integer(options, "batch", 2));
  OK(shardfft_options_set(options, "effort", "estimate")); /* plans without options are measured */
  OK(shardfft_options_copy(options, &cosines));
  OK(shardfft_options_set(cosines, "transforms", "dct2,dct2,dct2"));
  for (shardfft_precision precision = SHARDFFT_F32; precision <= SHARDFFT_F64; ++precision) {
    check(SHARDFFT_C2C, precision, input, output, NULL);
    check(SHARDFFT_C2C, precision, input, output, options);
    if (output == SHARDFFT_DEFAULT_OUTPUT || output == SHARDFFT_NATURAL_OUTPUT)
      check(SHARDFFT_R2C, precision, input, output, options);
    check(SHARDFFT_R2R, precision, input, output, cosines);
  }
  OK(shardfft_options_free(&cosines));
  OK(shardfft_options_free(&options));
}

static shardfft_layout own_planes(int dealt_by_gather) {
  const int ranks = world_ranks();
  shardfft_progression* sets = malloc((size_t)(3 * ranks) * sizeof *sets);
  shardfft_layout layout = NULL;
  for (int r = 0; r < ranks; ++r) {
    OK(shardfft_block_part(N0, ranks, ranks - 1 - r, &sets[3 * r])); /* the last rank has the first planes */
    sets[3 * r + 1] = (shardfft_progression){0, N1, 1};
    sets[3 * r + 2] = (shardfft_progression){0, N2, 1};
  }
  if (dealt_by_gather)
    OK(shardfft_gather_layout(MPI_COMM_WORLD, 3, shape, &sets[3 * world_rank()], NULL, &layout));
  else
    OK(shardfft_layout_boxes(3, shape, ranks, sets, NULL, &layout));
  free(sets);
  return layout;
}

static void layouts(void) {
  const int ranks = world_ranks(), order[3] = {2, 0, 1};
  shardfft_layout slab = NULL, other = NULL;
  OK(shardfft_layout_slab(3, shape, ranks, 0, NULL, &slab));
  every_kind(slab, SHARDFFT_DEFAULT_OUTPUT);
  every_kind(slab, SHARDFFT_NATURAL_OUTPUT);
  OK(shardfft_layout_slab(3, shape, ranks, 1, order, &other));
  every_kind(slab, other);
  OK(shardfft_layout_free(&other));
  const int64_t lines[2] = {ranks, 1}, bricks[3] = {1, ranks, 1};
  OK(shardfft_layout_pencil(3, shape, ranks, lines, -1, order, &other));
  every_kind(other, SHARDFFT_DEFAULT_OUTPUT);
  OK(shardfft_layout_free(&other));
  OK(shardfft_layout_pencil(3, shape, ranks, NULL, 2, NULL, &other));
  every_kind(other, SHARDFFT_DEFAULT_OUTPUT);
  OK(shardfft_layout_free(&other));
  OK(shardfft_layout_brick(3, shape, ranks, bricks, NULL, &other));
  every_kind(other, slab);
  OK(shardfft_layout_free(&other));
  OK(shardfft_layout_cyclic(3, shape, ranks, NULL, NULL, &other));
  every_kind(other, SHARDFFT_NATURAL_OUTPUT);
  OK(shardfft_layout_free(&other));
  for (int gathered = 0; gathered < 2; ++gathered) {
    other = own_planes(gathered);
    every_kind(other, SHARDFFT_NATURAL_OUTPUT);
    OK(shardfft_layout_free(&other));
  }
  OK(shardfft_layout_single(3, shape, ranks, ranks - 1, NULL, &other));
  every_kind(other, SHARDFFT_NATURAL_OUTPUT);
  OK(shardfft_layout_free(&other));
  OK(shardfft_layout_free(&slab));
}

/* c2r, whose input is the spectrum, with an odd extent of the halved axis. */
static void half_spectrum_to_real(void) {
  const int64_t half[3] = {N0, N1, N2 / 2 + 1};
  Case c = {SHARDFFT_C2R, SHARDFFT_F64, NULL, 0};
  shardfft_layout input = NULL;
  shardfft_options options = NULL;
  OK(shardfft_layout_slab(3, half, world_ranks(), 0, NULL, &input));
  OK(shardfft_options_create(&options));
  OK(shardfft_options_set_integer(options, "real_extent", N2));
  shardfft_plan plan = planned(&c, input, SHARDFFT_NATURAL_OUTPUT, options);
  shardfft_side in = NULL, out = NULL;
  int64_t in_count = 0, out_count = 0, real_extent = 0;
  OK(shardfft_plan_input(plan, 0, &in));
  OK(shardfft_plan_output(plan, 0, &out));
  OK(shardfft_side_real_extent(in, &real_extent));
  CHECK(real_extent == N2);
  OK(shardfft_plan_input_count(plan, 0, &in_count));
  OK(shardfft_plan_output_count(plan, 0, &out_count));
  double complex* spectrum = malloc(((size_t)in_count + 1) * sizeof *spectrum);
  double* field = malloc(((size_t)out_count + 1) * sizeof *field);
  c.data = spectrum;
  for_each_element(in, put_mode, &c);
  OK(shardfft_plan_forward(plan, spectrum, field));
  c.data = field;
  for_each_element(out, meet_real, &c);
  CHECK(c.worst < 1e-13 * N0 * N1 * N2);
  free(spectrum);
  free(field);
  OK(shardfft_side_free(&in));
  OK(shardfft_side_free(&out));
  OK(shardfft_plan_free(&plan));
  OK(shardfft_options_free(&options));
  OK(shardfft_layout_free(&input));
}

static void tests(void) {
  layouts();
  half_spectrum_to_real();
}

int main(int argc, char** argv) { return run_tests(argc, argv, tests); }
