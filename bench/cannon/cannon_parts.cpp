// Times of a Cannon product by block size: the communication event alone, the local update alone, and both overlapped.
// It runs the library's own product with one part or the other left out. One JSON line a block size, on rank 0.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iostream>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include "base/aligned.hpp"
#include "cannon/product.hpp"

namespace {

using shardfft::CannonProduct;
using shardfft::Communicator;
using shardfft::Layout;
using shardfft::ProductParts;
using shardfft::ProductSetup;
using shardfft::Shape;

/// The error of a result with NaN or infinity in it: JSON knows neither.
constexpr double no_number = 1e99;

struct Arguments {
  Shape mesh;
  std::vector<std::int64_t> blocks;
  int axis = 0;  ///< 1 to 3; 0 takes the first one that is cut
  int threads = 1;
  int repeats = 9;
  bool global_transpose = false;
  bool local_matrix = false;
  bool single = false;
};

[[noreturn]] void usage() {
  std::cerr
      << "usage: mpirun -n P cannon_parts --mesh P1xP2xP3 --blocks B,B,... [--axis 1|2|3] [--threads T] [--repeats R]\n"
         "       [--global-transpose] [--local-matrix] [--single]\n"
         "every rank holds a block of B x B x B complex numbers\n";
  MPI_Abort(MPI_COMM_WORLD, 2);
  std::exit(2);
}

std::vector<std::int64_t> numbers(const std::string& text, char separator) {
  std::vector<std::int64_t> result;
  std::stringstream stream(text);
  for (std::string item; std::getline(stream, item, separator);) {
    char* end = nullptr;
    result.push_back(std::strtoll(item.c_str(), &end, 10));
    if (item.empty() || *end != '\0' || result.back() < 1) usage();
  }
  return result;
}

Arguments parse(int argc, char** argv) {
  Arguments a;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const auto value = [&]() -> std::string { return i + 1 < argc ? argv[++i] : (usage(), ""); };
    const auto number = [&] { return static_cast<int>(numbers(value(), ',').at(0)); };
    if (name == "--mesh")
      a.mesh = numbers(value(), 'x');
    else if (name == "--blocks")
      a.blocks = numbers(value(), ',');
    else if (name == "--axis")
      a.axis = number();
    else if (name == "--threads")
      a.threads = number();
    else if (name == "--repeats")
      a.repeats = number();
    else if (name == "--global-transpose")
      a.global_transpose = true;
    else if (name == "--local-matrix")
      a.local_matrix = true;
    else if (name == "--single")
      a.single = true;
    else
      usage();
  }
  if (a.mesh.size() != 3 || a.blocks.empty() || a.axis > 3) usage();
  for (std::size_t d = 0; d < 3 && a.axis == 0; ++d)
    if (a.mesh[d] > 1) a.axis = static_cast<int>(d) + 1;
  a.axis = std::max(a.axis, 1);
  return a;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/// Seconds of the slowest rank, all starting together.
double slowest(const Communicator& comm, const std::function<void()>& work) {
  comm.barrier();
  const double begin = MPI_Wtime();
  work();
  return comm.max(MPI_Wtime() - begin);
}

template <class Real>
class Case {
 public:
  Case(const Arguments& a, const Communicator& comm, std::int64_t block)
      : comm_(comm), setup_(make_setup(a, block)), product_(setup_) {
    const auto bytes = static_cast<std::size_t>(setup_.before.count(comm.rank())) * sizeof(std::complex<Real>);
    in_ = shardfft::allocate_aligned(bytes);
    out_ = shardfft::allocate_aligned(bytes);
    scratch_ = shardfft::allocate_aligned(product_.scratch_bytes());
    std::memset(scratch_.get(), 0, product_.scratch_bytes());
    fill();
  }

  /// The field is a wave along the axis, so the result is one plane: how far off that is, relative to its height.
  double error() {
    product_.run(in_.get(), out_.get(), scratch_.get());
    double worst = 0;
    const auto* got = reinterpret_cast<const std::complex<Real>*>(out_.get());
    each([&](std::int64_t at, std::int64_t along) {
      const double expected = along == mode() ? static_cast<double>(extent()) : 0;
      const double error = std::abs(std::complex<double>(got[at]) - expected) / static_cast<double>(extent());
      worst = error < no_number ? std::max(worst, error) : no_number;
    });
    return comm_.max(worst);
  }

  double time(ProductParts parts) {
    product_.align(in_.get(), out_.get(), scratch_.get());
    const double seconds = slowest(comm_, [&] { product_.multiply(parts); });
    product_.deliver();
    return seconds;
  }

  int rounds() const { return product_.ring_size(); }
  int row() const { return product_.row_size(); }

 private:
  static ProductSetup make_setup(const Arguments& a, std::int64_t block) {
    Shape shape;
    for (const std::int64_t extent : a.mesh) shape.push_back(extent * block);
    ProductSetup setup;
    setup.before = Layout::brick(shape, a.mesh).with_batch(1);
    setup.after = setup.before;
    setup.axis = a.axis;
    setup.precision = a.single ? shardfft::Precision::f32 : shardfft::Precision::f64;
    setup.global_transpose = a.global_transpose;
    setup.local_matrix = a.local_matrix;
    setup.threads = a.threads;
    setup.comm = Communicator::duplicate(MPI_COMM_WORLD);
    return setup;
  }

  std::int64_t extent() const { return setup_.before.shape()[static_cast<std::size_t>(setup_.axis)]; }
  std::int64_t mode() const { return extent() / 3; }

  template <class Visit>
  void each(const Visit& visit) const {
    const auto a = static_cast<std::size_t>(setup_.axis);
    for (const shardfft::Piece& piece : setup_.before.pieces(comm_.rank()))
      for (std::int64_t at = 0; at < piece.set.count(); ++at)
        visit(at, piece.set.axis[a].at(at / piece.stride[a] % piece.set.axis[a].count));
  }

  void fill() {
    auto* field = reinterpret_cast<std::complex<Real>*>(in_.get());
    each([&](std::int64_t at, std::int64_t along) {
      const double turns = static_cast<double>(along * mode() % extent()) / static_cast<double>(extent());
      field[at] = std::complex<Real>(std::polar(1.0, 2 * std::numbers::pi * turns));
    });
  }

  Communicator comm_;
  ProductSetup setup_;
  CannonProduct product_;
  shardfft::AlignedMemory in_;
  shardfft::AlignedMemory out_;
  shardfft::AlignedMemory scratch_;
};

template <class Real>
void measure(const Arguments& a, const Communicator& comm, std::int64_t block) {
  Case<Real> one(a, comm, block);
  const double error = one.error();
  std::vector<double> messages, update, all;
  for (int i = 0; i <= a.repeats; ++i) {  // the first is a warm-up; the three take turns, so that noise hits all alike
    const double m = one.time(ProductParts::messages);
    const double u = one.time(ProductParts::update);
    const double b = one.time(ProductParts::all);
    if (i == 0) continue;
    messages.push_back(m);
    update.push_back(u);
    all.push_back(b);
  }
  if (comm.rank() != 0) return;
  const int rounds = one.rounds();
  const double events = std::max(rounds - 1, 1);
  std::printf(
      "{\"mesh\": [%d, %d, %d], \"axis\": %d, \"block\": %lld, \"rounds\": %d, \"row\": %d, \"threads\": %d, "
      "\"precision\": \"%s\", \"repeats\": %d, \"event_s\": %.9g, \"update_s\": %.9g, \"messages_s\": %.9g, "
      "\"updates_s\": %.9g, \"together_s\": %.9g, \"error\": %.3g}\n",
      static_cast<int>(a.mesh[0]), static_cast<int>(a.mesh[1]), static_cast<int>(a.mesh[2]), a.axis,
      static_cast<long long>(block), rounds, one.row(), a.threads, a.single ? "single" : "double", a.repeats,
      median(messages) / events, median(update) / rounds, median(messages), median(update), median(all), error);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int status = 0;
  try {
    const Arguments a = parse(argc, argv);
    const Communicator comm = Communicator::duplicate(MPI_COMM_WORLD);
    if (a.mesh[0] * a.mesh[1] * a.mesh[2] != comm.size()) usage();
    for (const std::int64_t block : a.blocks) {
      if (a.single)
        measure<float>(a, comm, block);
      else
        measure<double>(a, comm, block);
    }
  } catch (const std::exception& e) {
    std::cerr << "cannon_parts: " << e.what() << "\n";
    MPI_Abort(MPI_COMM_WORLD, status = 1);
  }
  MPI_Finalize();
  return status;
}
