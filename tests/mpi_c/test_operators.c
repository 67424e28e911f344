/* Operators in the C interface, applied to a sine. */
#include "support/c_kit.h"

enum { N0 = 8, N1 = 6 };
static const int64_t shape[2] = {N0, N1};
static const double pi = 3.14159265358979323846;

static shardfft_layout planes(void) {
  shardfft_layout layout = NULL;
  OK(shardfft_layout_slab(2, shape, world_ranks(), 0, NULL, &layout));
  return layout;
}

/* sin(i'), with i' = 2 pi i / N0; and what an operator makes of it. */
typedef struct {
  double* data;
  double (*expected)(const int64_t* index);
  double worst;
} Real;
static double sine(const int64_t* index) { return sin(2 * pi * (double)index[0] / N0); }
static double minus_sine(const int64_t* index) { return -sine(index); }
static double cosine(const int64_t* index) { return cos(2 * pi * (double)index[0] / N0); }
static double twice_sine(const int64_t* index) { return 2 * sine(index); }
static double smooth_sine(const int64_t* index) { return exp(-0.125) * sine(index); }
static double quarter_sine(const int64_t* index) { return 4 * sine(index); }
static void put_sine(void* user, int64_t field, const int64_t* index, int64_t position) {
  (void)field;
  ((Real*)user)->data[position] = sine(index);
}
static void put_delta(void* user, int64_t field, const int64_t* index, int64_t position) {
  (void)field;
  ((Real*)user)->data[position] = index[0] == 0 && index[1] == 0;
}
static void meet(void* user, int64_t field, const int64_t* index, int64_t position) {
  Real* real = user;
  (void)field;
  real->worst = fmax(real->worst, fabs(real->data[position] - real->expected(index)));
}

/* `factors` applied to sin is `expected`; the operator is freed. */
static void expect_applied(shardfft_plan plan, shardfft_operator factors, double (*expected)(const int64_t*)) {
  shardfft_side side = NULL;
  shardfft_buffer in = NULL, out = NULL;
  void *from = NULL, *to = NULL;
  OK(shardfft_plan_input(plan, 0, &side));
  OK(shardfft_plan_allocate_input(plan, 0, &in));
  OK(shardfft_plan_allocate_input(plan, 0, &out));
  OK(shardfft_buffer_data(in, &from));
  OK(shardfft_buffer_data(out, &to));
  Real real = {from, NULL, 0};
  for_each_element(side, put_sine, &real);
  OK(shardfft_plan_apply(plan, factors, from, to));
  real = (Real){to, expected, 0};
  for_each_element(side, meet, &real);
  CHECK(real.worst < 1e-13);
  OK(shardfft_buffer_free(&in));
  OK(shardfft_buffer_free(&out));
  OK(shardfft_side_free(&side));
  OK(shardfft_operator_free(&factors));
}

static void twice(void* user, int axes, const int64_t* index, double factor[2]) {
  (void)axes;
  (void)index;
  factor[0] = *(double*)user;
}
static void square(void* user, int axes, const double* wavenumber, double factor[2]) {
  (void)user;
  factor[0] = axes == 2 ? wavenumber[0] * wavenumber[0] : 0;
}
static int double_all(void* user, shardfft_side side, void* data, int device, void* stream) {
  int64_t count = 0;
  OK(shardfft_side_count(side, &count));
  CHECK(device == -1 && stream == NULL);
  for (int64_t i = 0; i < count; ++i) ((double complex*)data)[i] *= *(double*)user;
  return 0;
}
static void release(void* user) { *(double*)user = -1; }

static void factors(shardfft_plan plan) {
  const double lengths[2] = {pi, 2 * pi};
  shardfft_operator made = NULL, other = NULL, third = NULL;
  OK(shardfft_operator_laplacian(0, NULL, &made));
  expect_applied(plan, made, minus_sine);
  OK(shardfft_operator_inverse_laplacian(0, NULL, &made));
  expect_applied(plan, made, minus_sine);
  OK(shardfft_operator_derivative(0, 1, 0, NULL, &made));
  expect_applied(plan, made, cosine);
  OK(shardfft_operator_gaussian(0.5, 0, NULL, &made));
  expect_applied(plan, made, smooth_sine);
  OK(shardfft_operator_of_wavenumbers(square, NULL, NULL, 2, lengths, &made)); /* k = 2 on a domain of length pi */
  expect_applied(plan, made, quarter_sine);
  OK(shardfft_operator_derivative(0, 1, 0, NULL, &made));
  OK(shardfft_operator_multiply(made, made, &other));
  expect_applied(plan, other, minus_sine);
  OK(shardfft_operator_constant(2, 0, &other)); /* (2 - 2 / 2) (-1) = -1 + 0 */
  OK(shardfft_operator_laplacian(0, NULL, &made));
  OK(shardfft_operator_divide(other, other, &third));
  OK(shardfft_operator_subtract(other, third, &third));
  OK(shardfft_operator_multiply(third, made, &other));
  OK(shardfft_operator_constant(0, 0, &third));
  OK(shardfft_operator_add(third, other, &other));
  OK(shardfft_operator_free(&third));
  OK(shardfft_operator_free(&made));
  expect_applied(plan, other, minus_sine);
}

/* What was given with a function is released with the last plan that used it, or where it could not be used. */
static void functions(void) {
  shardfft_layout layout = planes();
  shardfft_plan plan = NULL;
  shardfft_operator made = NULL;
  double factor = 2, two = 2, never = 0, unused = 0;
  OK(shardfft_plan_create(MPI_COMM_WORLD, SHARDFFT_R2C, SHARDFFT_F64, layout, NULL, NULL, &plan));
  OK(shardfft_operator_of_indices(twice, &factor, release, &made));
  expect_applied(plan, made, twice_sine);
  OK(shardfft_operator_calling(double_all, &two, release, &made));
  expect_applied(plan, made, twice_sine);
  FAILS(shardfft_operator_of_indices(NULL, &never, release, &made), SHARDFFT_INVALID_ARGUMENT, "'factor'");
  FAILS(shardfft_operator_calling(NULL, &unused, release, &made), SHARDFFT_INVALID_ARGUMENT, "'change'");
  CHECK(never == -1 && unused == -1);
  OK(shardfft_plan_free(&plan));
  CHECK(factor == -1 && two == -1);
  OK(shardfft_layout_free(&layout));
}

static void arrays(shardfft_plan plan) {
  shardfft_operator made = NULL;
  int64_t count = 0;
  OK(shardfft_plan_output_count(plan, 0, &count));
  double* twos = malloc(((size_t)count + 1) * sizeof *twos);
  for (int64_t i = 0; i < count; ++i) twos[i] = 2;
  OK(shardfft_operator_array(SHARDFFT_F64, 0, twos, count, &made));
  expect_applied(plan, made, twice_sine);
  const void* list[1] = {twos};
  OK(shardfft_operator_arrays(SHARDFFT_F64, 0, 1, list, &count, &made));
  free(twos);
  expect_applied(plan, made, twice_sine);

  shardfft_side side = NULL;
  OK(shardfft_plan_input(plan, 0, &side));
  OK(shardfft_side_count(side, &count));
  Real delta = {malloc(((size_t)count + 1) * sizeof(double)), NULL, 0};
  for_each_element(side, put_delta, &delta);
  OK(shardfft_plan_convolution(plan, delta.data, &made));
  free(delta.data);
  expect_applied(plan, made, sine);
  OK(shardfft_side_free(&side));
}

static void tests(void) {
  shardfft_layout layout = planes();
  shardfft_plan plan = NULL;
  OK(shardfft_plan_create(MPI_COMM_WORLD, SHARDFFT_R2C, SHARDFFT_F64, layout, NULL, NULL, &plan));
  factors(plan);
  arrays(plan);
  functions();
  OK(shardfft_plan_free(&plan));
  OK(shardfft_layout_free(&layout));
}

int main(int argc, char** argv) { return run_tests(argc, argv, tests); }
