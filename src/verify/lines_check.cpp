#include "verify/lines_check.hpp"

#include <algorithm>

#include "lower/fft_spec.hpp"

namespace shardfft {

namespace {

std::vector<std::int64_t> key_of(const FftSpec& spec) {
  std::vector<std::int64_t> key;
  for (const auto* loops : {&spec.transform, &spec.batch})
    for (const Loop& d : *loops) key.insert(key.end(), {d.count, d.from, d.to});
  return key;
}

}  // namespace

LinesCheck::LinesCheck(const LinesCheckSetup& setup) : setup_(setup) {
  const std::size_t in = setup_.from ? setup_.from->received().size() : 1;
  const std::size_t out = setup_.to ? setup_.to->sent().size() : 1;
  for (int i = 0; i < setup_.threads; ++i) {
    Worker& worker = workers_.emplace_back();
    worker.received.resize(in);
    worker.sent.resize(out);
  }
}

bool LinesCheck::alike_along(int axis) const {
  return (!setup_.from || setup_.from->from().axis_is_local(axis)) &&
         (!setup_.to || setup_.to->to().axis_is_local(axis));
}

const TransformCheck& LinesCheck::check_of(const FftSpec& spec) {
  auto& check = checks_[key_of(spec)];
  // Libraries may take real lines in pairs, as the parts of complex ones.
  const Rounding rounding = spec.kind == Kind::c2c ? Rounding::alone : Rounding::with_any;
  if (!check) check = std::make_unique<TransformCheck>(spec, rounding);
  for (Worker& worker : workers_)
    if (worker.in.size() < check->lines()) worker.in = worker.out = CheckSums(check->lines());
  return *check;
}

std::size_t LinesCheck::add(const Piece& lines, const Piece& results) {
  FftSpec spec = fft_spec_between(setup_.step, lines, results, setup_.precision, setup_.is_complex);
  spec.scale = setup_.scale;
  Lines all{&check_of(spec), {}, {}};
  Key key = key_of(spec);
  all.in = parts(all.check->input(), lines, setup_.from ? &setup_.from->from() : nullptr, key);
  all.out = parts(all.check->output(), results, setup_.to ? &setup_.to->to() : nullptr, key);
  const auto [number, is_new] = numbers_.emplace(std::move(key), lines_.size());
  if (is_new) lines_.push_back(std::move(all));
  return number->second;
}

void LinesCheck::add_whole(const Piece& lines, const Piece& results) {
  whole_ = true;
  add(lines, results);
}

std::vector<LinesCheck::OwnerSums> LinesCheck::parts(const CheckSide& side, const Piece& piece, const Layout* owners,
                                                     Key& key) const {
  std::vector<OwnerSums> list;
  if (piece.set.empty()) return list;
  if (owners == nullptr) {
    list.push_back({0, CheckPart(side, {})});
    return list;
  }
  owners->for_overlaps(piece.set, [&](int rank, const IndexSet& part) {
    const std::vector<CheckCut> taken = cuts(piece, part, side);
    list.push_back({static_cast<std::size_t>(rank), CheckPart(side, taken)});
    key.push_back(rank);
    for (const CheckCut& cut : taken) key.insert(key.end(), {cut.begin, cut.count, cut.step});
  });
  return list;
}

/// Cuts in the order of the loops that fft_spec_between() makes.
std::vector<CheckCut> LinesCheck::cuts(const Piece& piece, const IndexSet& part, const CheckSide& side) const {
  std::vector<CheckCut> list;
  const auto add = [&](std::size_t axis) {
    const Progression &all = piece.set.axis[axis], &some = part.axis[axis];
    const std::int64_t step = some.count > 1 ? some.stride / all.stride : 1;
    list.push_back({all.position(some.first), some.count, step});
  };
  for (const AxisStep& axis : setup_.step.axes) add(static_cast<std::size_t>(axis.axis));
  for (int axis = 0; axis < piece.set.axes; ++axis)
    if (!setup_.step.has(axis) && piece.set.axis[static_cast<std::size_t>(axis)].count > 1)
      add(static_cast<std::size_t>(axis));
  // The parts of complex numbers that are transformed one by one.
  if (list.size() < side.loops.size()) list.push_back({0, 2, 1});
  return list;
}

void LinesCheck::lines(int thread, std::size_t number, const std::byte* array) {
  Worker& worker = workers_[static_cast<std::size_t>(thread)];
  const Lines& all = lines_[number];
  worker.in.clear(all.check->lines());
  for (const OwnerSums& part : all.in)
    worker.received[part.rank] += part.sums.add(array, worker.in, true, adds_input_bits_);
}

void LinesCheck::results(int thread, std::size_t number, const std::byte* array) {
  Worker& worker = workers_[static_cast<std::size_t>(thread)];
  const Lines& all = lines_[number];
  worker.out.clear(all.check->lines());
  for (const OwnerSums& part : all.out) worker.sent[part.rank] += part.sums.add(array, worker.out, false, !setup_.last);
  compare(worker, all, array);
}

/// Puts the parts in the order of the copies (one for each, of the same owner if `owners`), and joins them.
bool LinesCheck::join_each(std::vector<OwnerSums>& parts, const std::vector<PeerCopy>& copies, bool owners,
                           CopySide side) {
  if (parts.size() != copies.size()) return false;
  for (auto part = parts.begin(); const PeerCopy& copy : copies) {
    if (owners) {
      const auto of_owner = std::find_if(
          part, parts.end(), [&](const OwnerSums& p) { return p.rank == static_cast<std::size_t>(copy.peer); });
      if (of_owner == parts.end()) return false;
      std::iter_swap(part, of_owner);
    }
    const LoopNest nest = common_refinement(copy.boxes.from, copy.boxes.to);
    if (!part->sums.join(nest, side, CopyOf::cut, element_bytes(side == CopySide::to))) return false;
    ++part;
  }
  return true;
}

bool LinesCheck::joins_gather(std::size_t number, const std::vector<PeerCopy>& gather) {
  return join_each(lines_[number].in, gather, setup_.from != nullptr, CopySide::to);
}

bool LinesCheck::joins_store(std::size_t number, const std::vector<PeerCopy>& store) {
  std::vector<OwnerSums>& parts = lines_[number].out;
  if (setup_.scatters) return join_each(parts, store, true, CopySide::from);
  const LoopNest nest = common_refinement(store.front().boxes.from, store.front().boxes.to);
  return (!setup_.to || setup_.to->sends_all()) && std::all_of(parts.begin(), parts.end(), [&](OwnerSums& part) {
           return part.sums.join(nest, CopySide::from, CopyOf::array, element_bytes(false));
         });
}

std::size_t LinesCheck::element_bytes(bool of_input) const {
  const Kind kind = setup_.step.kind();
  const bool is_complex = kind == Kind::r2r   ? setup_.is_complex
                          : kind == Kind::r2c ? !of_input
                          : kind == Kind::c2r ? of_input
                                              : true;
  return (setup_.precision == Precision::f64 ? 8U : 4U) * (is_complex ? 2U : 1U);
}

void LinesCheck::fetch(int thread, std::size_t number, std::size_t copy, const std::byte* source, std::byte* array) {
  Worker& worker = workers_[static_cast<std::size_t>(thread)];
  const Lines& all = lines_[number];
  if (copy == 0) worker.in.clear(all.check->lines());
  const OwnerSums& part = all.in[copy];
  worker.received[part.rank] +=
      part.sums.add_copied(array, const_cast<std::byte*>(source), RowCopy::from, worker.in, true, adds_input_bits_);
}

void LinesCheck::store(int thread, std::size_t number, std::size_t copy, const std::byte* array, std::byte* out,
                       bool past_cache) {
  Worker& worker = workers_[static_cast<std::size_t>(thread)];
  const Lines& all = lines_[number];
  const auto add = [&](const OwnerSums& part) {
    worker.sent[part.rank] += part.sums.add_copied(array, out, past_cache ? RowCopy::past_cache : RowCopy::to,
                                                   worker.out, false, !setup_.last);
  };
  if (copy == 0) worker.out.clear(all.check->lines());
  if (setup_.scatters)
    add(all.out[copy]);
  else
    std::for_each(all.out.begin(), all.out.end(), add);
  if (!setup_.scatters || copy + 1 == all.out.size()) compare(worker, all, array);
}

void LinesCheck::compare(Worker& worker, const Lines& all, const std::byte* array) {
  Finding found = all.check->finding(worker.in, worker.out);
  if (!found.what.empty()) {
    // The input's sums underestimate its squares: take those that follow from the output's squares.
    auto& squares = worker.in.squares;
    std::fill(squares.begin(), squares.end(), 0.0);
    for (const OwnerSums& part : all.out) part.sums.add_squares(array, worker.in);
    for (double& sum : squares) sum = all.check->input_squares(sum);
    found = all.check->finding(worker.in, worker.out);
  }
  worker.checks += found.checks;
  worker.residual = std::max(worker.residual, found.residual);
  if (!found.what.empty()) worker.what = found.what;
}

void LinesCheck::before(const std::byte* in, bool compares_bits) {
  finding_ = {};
  bits_ = {};
  adds_input_bits_ = compares_bits || setup_.from;
  for (Worker& worker : workers_) {
    std::fill(worker.received.begin(), worker.received.end(), 0);
    std::fill(worker.sent.begin(), worker.sent.end(), 0);
    worker.checks = 0;
    worker.residual = 0;
    worker.what.clear();
  }
  if (setup_.walks_input) bits_.read = setup_.from->add_sent(in);
  if (whole_) lines(0, 0, in);
}

void LinesCheck::after(const std::byte* out) {
  if (whole_) results(0, 0, out);
  finding_.checks = setup_.gathers ? setup_.from->pairs() : 0;
  for (const Worker& worker : workers_) {
    finding_.checks += worker.checks;
    finding_.residual = std::max(finding_.residual, worker.residual);
    if (!worker.what.empty()) finding_.what = worker.what;
  }
  const auto received = total(&Worker::received), sent = total(&Worker::sent);
  if (setup_.from)
    setup_.from->received() = received;
  else if (adds_input_bits_)
    bits_.read = received.front();
  if (setup_.to)
    setup_.to->sent() = sent;
  else if (!setup_.last)
    bits_.written = sent.front();
}

std::vector<std::uint64_t> LinesCheck::total(std::vector<std::uint64_t> Worker::*sums) const {
  std::vector<std::uint64_t> all((workers_.front().*sums).size());
  for (const Worker& worker : workers_)
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint32_t>(all[i] + (worker.*sums)[i]);
  return all;
}

std::span<const std::uint64_t> LinesCheck::sent() const {
  if (!setup_.gathers) return {};
  return setup_.from->sent();
}

std::span<const std::uint64_t> LinesCheck::received() const {
  if (!setup_.gathers) return {};
  return setup_.from->received();
}

std::size_t LinesCheck::table_bytes() const {
  std::size_t bytes = setup_.gathers ? setup_.from->table_bytes() : 0;
  for (const auto& [key, check] : checks_) bytes += check->table_bytes();
  for (const Lines& all : lines_)
    for (const auto* list : {&all.in, &all.out})
      for (const OwnerSums& part : *list) bytes += part.sums.table_bytes();
  for (const Worker& worker : workers_)
    bytes +=
        4 * worker.in.size() * sizeof(double) + (worker.received.size() + worker.sent.size()) * sizeof(std::uint64_t);
  return bytes;
}

}  // namespace shardfft
