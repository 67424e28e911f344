// Calls what the shared library must show: plans, layouts, operators, options, reports, and an error that is caught.
#include <cmath>
#include <complex>
#include <iostream>
#include <shardfft/shardfft.hpp>
#include <sstream>
#include <vector>

namespace {

int wrong_values(int rank, int ranks) {
  using namespace shardfft;
  Options options;
  set_option(options, "effort", "estimate");
  const Layout layout = Layout::slab({4, 6}, ranks);
  Plan plan(MPI_COMM_WORLD, c2c<double>, layout, natural_output, options);
  std::vector<std::complex<double>> in(plan.input().size()), out(plan.output().size());
  if (rank == 0) in[0] = 1;
  plan.forward(in, out);
  int wrong = 0;
  for_each(plan.output(), out,
           [&](const Index&, std::complex<double>& value) { wrong += std::abs(value - 1.0) > 1e-14; });
  plan.apply(Operator::laplacian() * Operator::gaussian(1), in, out);
  std::ostringstream report;
  report << plan.report();
  wrong += report.str().empty() || plan.report().to_json().empty() || gpu_names().size() > 64;
  wrong += intersect(block_part(8, 2, 1), cyclic_part(8, 2, 0)).count != 2;
  wrong += redistribute(MPI_COMM_WORLD, layout, Layout::slab({4, 6}, ranks, 1), in).size() > 24;
  try {
    Layout::slab({-4}, 1);
    ++wrong;
  } catch (const Error& error) {
    wrong += error.code() != Status::invalid_argument;
  }
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int wrong = wrong_values(rank, ranks);
  if (wrong > 0) std::cerr << wrong << " wrong values\n";
  MPI_Finalize();
  return wrong > 0;
}
