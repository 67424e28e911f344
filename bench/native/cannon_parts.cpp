// bench-cannon-parts CASE [RECORD]: a product in Cannon's manner along one axis, and its parts alone: the library's own
// product with the messages or the local updates left out. The three take turns, so that noise hits all alike. The
// shape is a block a rank times the mesh, and all blocks are cubes; options: mesh, axis (0 to 2; the first that is
// cut), global_transpose, local_matrix.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>

#include "base/aligned.hpp"
#include "cannon/product.hpp"
#include "clock.hpp"
#include "probe.hpp"

namespace {

using namespace shardfft::bench;
using shardfft::CannonProduct;
using shardfft::Communicator;
using shardfft::Layout;
using shardfft::ProductParts;
using shardfft::ProductSetup;
using shardfft::Shape;

Shape mesh_of(const Case& wanted, int ranks) {
  const Shape mesh = wanted.options.value("mesh", Shape{});
  if (mesh.size() != 3 || *std::min_element(mesh.begin(), mesh.end()) < 1 || mesh[0] * mesh[1] * mesh[2] != ranks)
    throw CaseError("case: option 'mesh' must be three extents whose product is " + std::to_string(ranks));
  for (std::size_t d = 0; d < 3; ++d)
    if (wanted.shape[d] % mesh[d] != 0 || wanted.shape[d] / mesh[d] != wanted.shape[0] / mesh[0])
      throw CaseError("case: 'shape' over option 'mesh' must be a cube for every rank");
  return mesh;
}

ProductSetup setup_of(const Case& wanted, const Communicator& comm) {
  const Shape mesh = mesh_of(wanted, comm.size());
  const auto first_cut = std::find_if(mesh.begin(), mesh.end(), [](std::int64_t extent) { return extent > 1; });
  const int axis = wanted.options.value("axis", first_cut == mesh.end() ? 0 : int(first_cut - mesh.begin()));
  if (axis < 0 || axis > 2) throw CaseError("case: option 'axis' must be 0, 1 or 2");
  ProductSetup setup;
  setup.before = Layout::brick({wanted.shape[0], wanted.shape[1], wanted.shape[2]}, mesh).with_batch(1);
  setup.after = setup.before;
  setup.axis = axis + 1;  // the batch is axis 0
  setup.precision = wanted.single() ? shardfft::Precision::f32 : shardfft::Precision::f64;
  setup.global_transpose = wanted.options.value("global_transpose", false);
  setup.local_matrix = wanted.options.value("local_matrix", false);
  setup.threads = wanted.threads;
  setup.comm = comm;
  return setup;
}

template <class Real>
class Parts {
 public:
  Parts(const Case& wanted, const Communicator& comm) : comm_(comm), setup_(setup_of(wanted, comm)), product_(setup_) {
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
      worst = larger_error(worst, std::abs(std::complex<double>(got[at]) - expected) / static_cast<double>(extent()));
    });
    return comm_.max(worst);
  }

  double seconds(ProductParts parts) {
    product_.align(in_.get(), out_.get(), scratch_.get());
    const double spent = time_once(MPI_COMM_WORLD, [&] { product_.multiply(parts); });
    product_.deliver();
    return spent;
  }

  int rounds() const { return product_.ring_size(); }
  int row() const { return product_.row_size(); }
  int axis() const { return setup_.axis - 1; }

 private:
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
  shardfft::AlignedMemory in_, out_, scratch_;
};

template <class Real>
Json measure_parts(const Case& wanted, const Communicator& comm) {
  Parts<Real> parts(wanted, comm);
  const double error = parts.error();
  // Every number is a sum of as many terms as the axis is long.
  const double allowed = (wanted.single() ? 1.2e-7 : 2.3e-16) * 40 * double(wanted.shape[std::size_t(parts.axis())]);
  std::vector<double> messages, updates, whole;
  for (int repeat = -wanted.warmups; repeat < wanted.repeats; ++repeat) {
    const double m = parts.seconds(ProductParts::messages);
    const double u = parts.seconds(ProductParts::update);
    const double all = parts.seconds(ProductParts::all);
    if (repeat < 0) continue;
    messages.push_back(m);
    updates.push_back(u);
    whole.push_back(all);
  }
  const bool right = error <= allowed;
  Json record{{"status", right ? "ok" : "wrong"}, {"plan_seconds", 0}};
  record["flop"] = 8.0 * double(wanted.points()) * double(wanted.shape[std::size_t(parts.axis())]);
  record["error"] = {{"after_timing", {{"max", error}, {"l2", error}}},
                     {"tolerance", {{"max", allowed}, {"l2", allowed}}}};
  record["cannon"] = {{"mesh", wanted.options.at("mesh")},
                      {"axis", parts.axis()},
                      {"block", wanted.shape[0] / wanted.options.at("mesh").at(0).get<std::int64_t>()},
                      {"rounds", parts.rounds()},
                      {"row", parts.row()},
                      {"messages_seconds", messages},
                      {"updates_seconds", updates}};
  if (right) record["samples"] = whole;
  if (!right) record["reason"] = "the product is wrong: relative error " + std::to_string(error);
  return record;
}

Json measured(const Case& wanted, MPI_Comm world) {
  const Communicator comm = Communicator::duplicate(world);
  return wanted.single() ? measure_parts<float>(wanted, comm) : measure_parts<double>(wanted, comm);
}

}  // namespace

int main(int argc, char** argv) {
  return probe_main(argc, argv,
                    {.library = "cannon-parts",
                     .version = SHARDFFT_BENCH_VERSION,
                     .language = "C++",
                     .licence = "BSD-3-Clause",
                     .options = {{"mesh", Json::array()},
                                 {"axis", {0, 1, 2}},
                                 {"global_transpose", {true, false}},
                                 {"local_matrix", {true, false}}},
                     .threads = MPI_THREAD_FUNNELED,
                     .measure = measured});
}
