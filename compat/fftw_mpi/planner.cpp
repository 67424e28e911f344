#include "planner.hpp"

#include <dlfcn.h>
#include <fftw3-mpi.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>

#include "checks.hpp"
#include "given_options.hpp"
#include "handle.hpp"
#include "lines.hpp"
#include "refusal.hpp"
#include "shared_plans.hpp"

namespace shardfft::compat {

namespace {

constexpr unsigned serial_flags = (1u << 27) - 1;  ///< higher ones belong to FFTW's MPI interface

/// Threads of fftw_plan_with_nthreads, if FFTW can report them (3.3.9 and newer).
int planner_threads(Precision precision) {
  void* const asked =
      dlsym(RTLD_DEFAULT, precision == Precision::f64 ? "fftw_planner_nthreads" : "fftwf_planner_nthreads");
  return asked ? std::clamp(reinterpret_cast<int (*)()>(asked)(), 1, 1024) : 1;
}

/// The library's options: from the flags, and from SHARDFFT_FFTW_OPTIONS ("exchange=p2p local_fft=fftw").
Options options_of(const Request& r, bool in_place) {
  const Flags flags(r.flags);
  Options options;
  options.norm = Norm::none;
  options.in_place = in_place;
  options.check_calls = false;  // FFTW does not compare calls either
  options.threads = planner_threads(r.precision);
  options.local_fft = "lanes";  // unlike oneMKL, as exact as FFTW for fields that are nearly constant
  options.effort = flags.estimate ? Effort::estimate : flags.patient ? Effort::patient : Effort::measure;
  set_given_options(options, "SHARDFFT_FFTW_OPTIONS");
  return options;
}

AxisTransform transform_of(int kind) {
  switch (kind) {
    case FFTW_REDFT00:
      return AxisTransform::dct1;
    case FFTW_REDFT10:
      return AxisTransform::dct2;
    case FFTW_REDFT01:
      return AxisTransform::dct3;
    case FFTW_REDFT11:
      return AxisTransform::dct4;
    case FFTW_RODFT00:
      return AxisTransform::dst1;
    case FFTW_RODFT10:
      return AxisTransform::dst2;
    case FFTW_RODFT01:
      return AxisTransform::dst3;
    default:
      return AxisTransform::dst4;
  }
}

/// A call that was checked, and the chain that is made for it.
struct Making {
  const Request& request;
  Flags flags;
  bool in_place;
  int ranks = 1;
  int rank = 0;
  Chain chain{};

  std::size_t real_bytes() const { return request.precision == Precision::f64 ? 8 : 4; }
  std::vector<Dim> dims_of_spectrum() const {
    std::vector<Dim> dims = request.dims;
    if (request.work == Work::r2c || request.work == Work::c2r) dims.back().n = dims.back().n / 2 + 1;
    return dims;
  }
  void require_fitting(const Cuts& cuts) const {
    if (std::max(cuts.in.pieces(), cuts.out.pieces()) > ranks)
      throw Error(Status::invalid_argument,
                  "the blocks are too short: there are more of them than the " + std::to_string(ranks) + " ranks");
  }
  std::shared_ptr<Redistribution> redistribution(const Layout& from, const Layout& to, std::size_t bytes) const {
    Options options;
    const Options given = options_of(request, in_place);
    options.exchange = given.exchange;
    options.threads = given.threads;
    options.check_calls = false;
    return std::make_shared<Redistribution>(request.comm, from, to, bytes, options);
  }
};

/// Rows of the real side of a real transform, padded to the length of the half spectrum.
Rows padded_rows(const Making& m, const Cut& half) {
  const std::int64_t n = m.request.dims.back().n;
  const std::size_t number = m.real_bytes() * static_cast<std::size_t>(m.request.howmany);
  if (half.is_cut(static_cast<int>(half.extents.size()) - 1))
    throw Error(Status::unsupported, "real arrays that are cut along their last, padded axis are not supported");
  return {half.count(m.rank) / half.extents.back(), static_cast<std::size_t>(n) * number,
          static_cast<std::size_t>(2 * (n / 2 + 1)) * number};
}

/// The real side has the cut of the complex one, but its last axis has the real length.
Cut real_side(Cut half, std::int64_t n) {
  half.extents.back() = half.blocks.back() = n;
  return half;
}

/// Whether several numbers at each index become fields, because there is no further axis for them.
bool needs_fields(const Request& r) {
  return r.howmany > 1 && r.dims.size() == static_cast<std::size_t>(max_user_axes);
}

/// A real side in rows of `pitch` numbers, of which the first `row` count.
Layout with_padding(const Layout& dense, std::int64_t row, std::int64_t pitch) {
  return Layout::from_pieces(dense.shape(), dense.ranks(), [=](int rank) {
    std::vector<Piece> pieces = dense.pieces(rank);
    for (Piece& piece : pieces)
      for (std::int64_t& stride : piece.stride)
        if (stride >= row) stride = stride / row * pitch;
    return pieces;
  });
}

/// The real side of a real transform in the arrays of its plan.
enum class RealRows { padded, together };

/// Plans one transform between two layouts of FFTW and adds it to the chain.
void add_transform(Making& m, const Cut& in, const Cut& out, RealRows rows = RealRows::together) {
  const Request& r = m.request;
  Options options = options_of(r, m.in_place || (r.work == Work::r2c && rows == RealRows::together));
  options.axes.resize(r.dims.size());
  std::iota(options.axes.begin(), options.axes.end(), 0);
  for (const int kind : r.kinds) options.transforms.push_back(transform_of(kind));
  const bool fields = needs_fields(r);
  const auto layout = [&](const Cut& cut, bool transposed) {
    return cut.layout(m.ranks, fields ? 1 : r.howmany, transposed);
  };
  if (fields) options.batch = r.howmany;
  const Kind kind = r.work == Work::c2c ? Kind::c2c : r.work == Work::r2r ? Kind::r2r : Kind::r2c;
  const Transform transform{kind, r.precision};
  Layout from = layout(in, m.flags.transposed_in), to = layout(out, m.flags.transposed_out);
  if (rows == RealRows::padded) {
    Layout& real = r.work == Work::r2c ? from : to;
    real = with_padding(real, r.dims.back().n * r.howmany, 2 * (r.dims.back().n / 2 + 1) * r.howmany);
  }
  const std::size_t number_in = m.real_bytes() * (kind == Kind::c2c || r.work == Work::c2r ? 2 : 1);
  const std::size_t number_out = m.real_bytes() * (kind == Kind::c2c || r.work == Work::r2c ? 2 : 1);
  if (fields) m.chain.add(transpose(in.count(m.rank), r.howmany, number_in));
  if (r.work == Work::c2r || (r.work == Work::c2c && r.sign == FFTW_BACKWARD))
    m.chain.add(backward_of(shared_plan(r.comm, transform, to, from, options)));
  else
    m.chain.add(forward_of(shared_plan(r.comm, transform, from, to, options)));
  if (fields) m.chain.add(transpose(r.howmany, out.count(m.rank), number_out));
}

/// A line in the order of FFTW's algorithm is a matrix cut along one axis; the natural order cuts it along the other.
void add_reorder(Making& m, const Factors& f, bool into_natural) {
  const std::int64_t slow = into_natural ? f.columns : f.rows, fast = into_natural ? f.rows : f.columns;
  const std::int64_t slow_block = into_natural ? f.column_block : f.row_block;
  const std::int64_t fast_block = into_natural ? f.row_block : f.column_block;
  const Layout natural = Cut{{slow, fast}, {slow_block, fast}}.layout(m.ranks, 1, false);
  const Layout scrambled = Cut{{slow, fast}, {slow, fast_block}}.layout(m.ranks, 1, true);
  const std::size_t element = 2 * m.real_bytes() * static_cast<std::size_t>(m.request.howmany);
  m.chain.add(forward_of(into_natural ? m.redistribution(scrambled, natural, element)
                                      : m.redistribution(natural, scrambled, element)));
}

void make_line(Making& m) {
  const Request& r = m.request;
  Cuts cuts = complete(r.dims, m.ranks);
  const Scrambled scrambled = m.flags.scrambled;
  const auto factors = line_factors(r.dims[0].n, r.howmany, m.ranks, r.sign == FFTW_FORWARD, scrambled);
  if (factors) cuts = cut_line(r.dims[0].n, *factors, {});
  m.require_fitting(cuts);
  if (factors && scrambled.in) add_reorder(m, *factors, true);
  add_transform(m, cuts.in, cuts.out);
  if (factors && scrambled.out) add_reorder(m, *factors, false);
}

/// A cut that has lines along `open` axes whole: that of the output if possible, else one along another axis.
Cut next_cut(const Cut& out, const std::vector<int>& open, int ranks) {
  if (std::none_of(open.begin(), open.end(), [&](int a) { return out.is_cut(a); })) return out;
  std::size_t axis = 0;
  for (std::size_t a = out.extents.size(); a-- > 0;)
    if (std::find(open.begin(), open.end(), static_cast<int>(a)) == open.end()) axis = a;
  Cut cut{out.extents, out.extents};
  cut.blocks[axis] = default_block(cut.extents[axis], ranks);
  return cut;
}

/// Lines of any of FFTW's real kinds: whole lines are transformed, then others are made whole.
void make_lines(Making& m, Cuts cuts) {
  const Request& r = m.request;
  const bool by_lines = r.dims.size() == 1;  // a line over several ranks: in between, lines are distributed by howmany
  if (by_lines)
    for (Cut* cut : {&cuts.in, &cuts.out}) {
      cut->extents.push_back(r.howmany);
      cut->blocks.push_back(r.howmany);
    }
  LineWork work{r.precision, r.flags & serial_flags, by_lines ? 1 : r.howmany, {}, {}};
  const std::size_t element = m.real_bytes() * static_cast<std::size_t>(work.howmany);
  std::vector<int> open(r.dims.size());
  std::iota(open.begin(), open.end(), 0);
  Cut cut = cuts.in;
  bool transposed = m.flags.transposed_in;
  const auto move_to = [&](const Cut& next, bool next_transposed) {
    const Layout from = cut.layout(m.ranks, 1, transposed), to = next.layout(m.ranks, 1, next_transposed);
    if (!from.same_as(to)) m.chain.add(forward_of(m.redistribution(from, to, element)));
    cut = next;
    transposed = next_transposed;
  };
  while (!open.empty()) {
    work.axes.clear();
    work.kinds.clear();
    for (const int a : open)
      if (!cut.is_cut(a)) {
        work.axes.push_back(a);
        work.kinds.push_back(r.kinds[static_cast<std::size_t>(a)]);
      }
    if (!work.axes.empty()) on_all(r.comm, [&] { m.chain.add(serial_lines(work, cut, transposed, m.rank)); });
    std::erase_if(open, [&](int a) { return !cut.is_cut(a); });
    if (!open.empty()) move_to(next_cut(cuts.out, open, m.ranks), m.flags.transposed_out);
  }
  move_to(cuts.out, m.flags.transposed_out);
}

/// Rows keep their places if the plan supports padding. Else they are moved together before it, or apart after it.
void make_real(Making& m, const Cuts& cuts) {
  const Request& r = m.request;
  const bool to_real = r.work == Work::c2r;
  const Rows rows = padded_rows(m, to_real ? cuts.out : cuts.in);
  const Cut in = to_real ? cuts.in : real_side(cuts.in, r.dims.back().n);
  const Cut out = to_real ? real_side(cuts.out, r.dims.back().n) : cuts.out;
  try {
    if (!needs_fields(r)) return add_transform(m, in, out, RealRows::padded);
  } catch (const Error& e) {
    if (e.code() != Status::unsupported) throw;
  }
  if (!to_real) m.chain.add(close_up(rows));
  add_transform(m, in, out);
  if (to_real) m.chain.add(move_apart(rows));
}

void make_transform(Making& m) {
  const Request& r = m.request;
  const Cuts cuts = complete(m.dims_of_spectrum(), m.ranks);
  m.require_fitting(cuts);
  if (r.work == Work::r2r) {
    if (r.dims.size() == 1 && r.howmany < m.ranks && cuts.in.pieces() > 1)
      throw Error(Status::unsupported,
                  "a real line over several ranks exists in FFTW's MPI interface only with howmany of at least the "
                  "number of ranks");
    if (r.dims.size() == 1 || *std::min_element(r.kinds.begin(), r.kinds.end()) < FFTW_REDFT00)
      return make_lines(m, cuts);
  }
  if (r.work == Work::r2c || r.work == Work::c2r) return make_real(m, cuts);
  add_transform(m, cuts.in, cuts.out);
}

void make_transposition(Making& m) {
  const Request& r = m.request;
  const auto block = [&](std::int64_t asked, std::int64_t n) {
    return asked > 0 ? std::min(asked, n) : default_block(n, m.ranks);
  };
  const std::int64_t rows = r.dims[0].n, columns = r.dims[1].n;
  const Cuts cuts{{{rows, columns}, {block(r.dims[0].in_block, rows), columns}},
                  {{rows, columns}, {rows, block(r.dims[1].out_block, columns)}}};
  m.require_fitting(cuts);
  const std::size_t element = m.real_bytes() * static_cast<std::size_t>(r.howmany);
  m.chain.add(forward_of(m.redistribution(cuts.in.layout(m.ranks, 1, m.flags.transposed_in),
                                          cuts.out.layout(m.ranks, 1, !m.flags.transposed_out), element)));
}

std::string text_of(const Request& r, int ranks) {
  static constexpr const char* names[] = {"c2c", "r2c", "c2r", "r2r", "transpose"};
  std::string text = std::string("shardfft-") + names[static_cast<int>(r.work)];
  for (std::size_t a = 0; a < r.dims.size(); ++a) text.append(a == 0 ? "-" : "x").append(std::to_string(r.dims[a].n));
  if (r.howmany != 1) text.append("-howmany").append(std::to_string(r.howmany));
  return text.append("-ranks").append(std::to_string(ranks));
}

/// 5 n log2(n) for complex numbers, half of it for real ones.
double flops_of(const Request& r) {
  if (r.work == Work::transposition) return 0;
  double n = 1;
  for (const Dim& dim : r.dims) n *= static_cast<double>(dim.n);
  return (r.work == Work::c2c ? 5.0 : 2.5) * n * std::log2(n) * static_cast<double>(r.howmany);
}

void* make(const Request& r) {
  Making m{r, Flags(r.flags), check(r)};
  MPI_Comm_size(r.comm, &m.ranks);
  MPI_Comm_rank(r.comm, &m.rank);
  // Without numbers there is nothing to do.
  if (r.howmany > 0) {
    if (r.work == Work::transposition)
      make_transposition(m);
    else if (r.work == Work::c2c && r.dims.size() == 1)
      make_line(m);
    else
      make_transform(m);
  }
  return make_handle(std::move(m.chain), r.in, r.out, text_of(r, m.ranks), flops_of(r));
}

}  // namespace

void* plan(const Request& request) noexcept {
  try {
    forget_refusal();
    return make(request);
  } catch (const std::exception& e) {
    refuse(request.function, e.what(), request.comm);
  }
  return nullptr;
}

LocalSize local_size(const std::vector<Dim>& dims, std::int64_t howmany, MPI_Comm comm, int sign, unsigned flags) {
  const bool valid =
      !dims.empty() && howmany >= 0 && std::all_of(dims.begin(), dims.end(), [](const Dim& dim) { return dim.n > 0; });
  if (!valid) {
    const Shape none(dims.size());
    return {dims.empty() ? howmany : 0, none, none, none, none};
  }
  int ranks = 1, rank = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &rank);
  return local_size(dims, howmany, ranks, rank, sign != FFTW_BACKWARD, Flags(flags).scrambled);
}

}  // namespace shardfft::compat
