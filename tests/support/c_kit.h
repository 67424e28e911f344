#ifndef SHARDFFT_TESTS_C_KIT_H
#define SHARDFFT_TESTS_C_KIT_H
/* What the tests written in C share: checks that count failures, and visits to every element of a rank's array. */
#include <complex.h>
#include <math.h>
#include <shardfft/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

static inline int world_rank(void) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
static inline int world_ranks(void) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

static inline void fail_at(int line, const char* what) {
  ++failures;
  if (failures <= 20) printf("[rank %d] line %d: %s (%s)\n", world_rank(), line, what, shardfft_last_error());
}

/* The call must succeed; its arguments are no use where it does not. */
static inline void must(int line, const char* what, shardfft_status status) {
  if (status == SHARDFFT_OK) return;
  fail_at(line, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The call must fail so, with words that contain `words`. */
static inline void must_fail(int line, const char* what, shardfft_status status, shardfft_status expected,
                             const char* words) {
  if (status != expected || strstr(shardfft_last_error(), words) == NULL) {
    fail_at(line, what);
    printf("  status %s, expected %s with '%s'\n", shardfft_status_name(status), shardfft_status_name(expected), words);
  }
}

#define CHECK(condition)                             \
  do {                                               \
    if (!(condition)) fail_at(__LINE__, #condition); \
  } while (0)
#define OK(call) must(__LINE__, #call, call)
#define FAILS(call, status, words) must_fail(__LINE__, #call, call, status, words)

/* Calls `visit` for every element of a side: field, global indices (0 beyond the last axis), position in the array. */
typedef void (*element_visit)(void* user, int64_t field, const int64_t* index, int64_t position);
static inline void for_each_element(shardfft_side side, element_visit visit, void* user) {
  shardfft_layout layout = NULL;
  shardfft_piece piece[4];
  int64_t fields = 0, count = 0, at[4];
  int rank = 0, axes = 0, pieces = 0;
  OK(shardfft_side_layout(side, &layout));
  OK(shardfft_side_fields(side, &fields));
  OK(shardfft_side_rank(side, &rank));
  OK(shardfft_layout_axes(layout, &axes));
  OK(shardfft_layout_count(layout, rank, &count));
  OK(shardfft_layout_pieces(layout, rank, &pieces, NULL));
  CHECK(pieces <= 4 && axes <= 3);
  OK(shardfft_layout_pieces(layout, rank, &pieces, piece));
  for (int64_t field = 0; field < fields; ++field)
    for (int p = 0; p < pieces; ++p) {
      int64_t extent[3] = {1, 1, 1};
      for (int a = 0; a < axes; ++a) extent[a] = piece[p].axis[a].count;
      for (at[0] = 0; at[0] < extent[0]; ++at[0])
        for (at[1] = 0; at[1] < extent[1]; ++at[1])
          for (at[2] = 0; at[2] < extent[2]; ++at[2]) {
            int64_t index[3] = {0, 0, 0}, position = field * count + piece[p].offset;
            for (int a = 0; a < axes; ++a) {
              index[a] = piece[p].axis[a].first + at[a] * piece[p].axis[a].stride;
              position += at[a] * piece[p].stride[a];
            }
            visit(user, field, index, position);
          }
    }
  OK(shardfft_layout_free(&layout));
}

/* Runs `tests` between MPI_Init and MPI_Finalize; the result is main()'s. */
static inline int run_tests(int argc, char** argv, void (*tests)(void)) {
  int provided = 0, all = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  tests();
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (world_rank() == 0) printf(all == 0 ? "all passed\n" : "%d checks failed\n", all);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
#endif
