#include "reshape/in_place_reshape.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "base/aligned.hpp"
#include "exchange/blocks.hpp"
#include "exchange/partners.hpp"
#include "exchange/traced.hpp"
#include "pack/pack.hpp"
#include "pack/permute.hpp"
#include "tune/defaults.hpp"

namespace shardfft {

namespace {

/// Messages of one side by ascending peer, with the part that stays on the rank; peers are ranks of the group.
std::vector<Message> with_self(std::vector<Message> messages, const std::vector<LocalCopy>& self, Box LocalCopy::*side,
                               int rank, const std::vector<int>& group) {
  Message own;
  own.peer = rank;
  for (const LocalCopy& copy : self) {
    own.boxes.push_back(copy.*side);
    own.count += own.boxes.back().elements();
  }
  if (own.count > 0) messages.push_back(own);
  std::erase_if(messages, [](const Message& m) { return m.count == 0; });
  std::sort(messages.begin(), messages.end(), [](const Message& a, const Message& b) { return a.peer < b.peer; });
  renumber(messages, group);
  return messages;
}

std::int64_t elements_of(const std::vector<Message>& messages) {
  std::int64_t sum = 0;
  for (const Message& m : messages) sum += m.count;
  return sum;
}

/// The largest divisor of `run` elements that has at most a few kilobytes, and is small beside the staging even if each
/// of many peers has one.
std::int64_t unit_of(std::int64_t run, std::size_t element_bytes, int peers) {
  const std::size_t bytes =
      std::min(std::size_t{16384}, InPlaceReshape::least_staging / 4 / static_cast<std::size_t>(peers));
  const auto most = static_cast<std::int64_t>(std::max(bytes / element_bytes, std::size_t{1}));
  std::int64_t unit = std::min(run, most);
  while (run % unit != 0) --unit;
  return unit;
}

}  // namespace

InPlaceReshape::InPlaceReshape(const Layout& from, const Layout& to, const ReshapeSetup& setup)
    : requests_(setup.watch), trace_(setup.trace) {
  const int rank = setup.comm.rank();
  const std::vector<int> group = exchange_group(from, to, rank);
  group_size_ = static_cast<int>(group.size());
  const Communicator comm = setup.groups != nullptr ? setup.groups->of(group) : Groups(setup.comm, {group}).of(group);
  rank_ = comm.rank();
  const Schedule schedule = make_schedule(from, to, rank);
  sent_ = schedule.send_count;
  const auto out = with_self(schedule.send, schedule.self, &LocalCopy::from, rank, group);
  const auto in = with_self(schedule.recv, schedule.self, &LocalCopy::to, rank, group);
  std::int64_t run = 0;
  for (const std::int64_t each : comm.all_gather(std::gcd(common_run(out), common_run(in)))) run = std::gcd(run, each);
  unit_ = unit_of(std::max<std::int64_t>(run, 1), setup.element_bytes, group_size_);
  unit_bytes_ = static_cast<std::size_t>(unit_) * setup.element_bytes;

  const bool symmetric =
      std::equal(out.begin(), out.end(), in.begin(), in.end(),
                 [](const Message& a, const Message& b) { return a.peer == b.peer && a.count == b.count; });
  swaps_ = setup.exchange == "pairwise_xor" && comm.min(std::int64_t{symmetric ? 1 : 0}) == 1;
  // Both stagings of a round together are `staging_share` of the larger side, but at least `least_staging`.
  const auto both = static_cast<double>(elements_of(out) + elements_of(in)) * static_cast<double>(setup.element_bytes);
  const double most = comm.max(both);
  if (group_size_ > 1 && !swaps_)
    rounds_ = static_cast<int>(
        std::clamp(std::ceil(most / static_cast<double>(least_staging)), 1.0, std::ceil(2 / staging_share)));
  out_ = RoundOrder(out, unit_, rounds_);
  in_ = RoundOrder(in, unit_, rounds_);
  if (group_size_ == 1) return;
  ExchangeSetup link;
  link.comm = comm;
  link.element_bytes = setup.element_bytes;
  link_.emplace(link);
}

std::size_t InPlaceReshape::permute_bytes() const {
  return shardfft::permute_bytes(std::max(out_.units(), in_.units()), unit_bytes_);
}

std::size_t InPlaceReshape::workspace_bytes() const {
  std::size_t staging = 0;
  if (swaps_)
    staging = static_cast<std::size_t>(host_defaults().swap_buffer_bytes);
  else if (group_size_ > 1)
    staging = round_up(bytes(std::min(out_.most_in_a_round() + ahead(), out_.units())), cache_line) +
              round_up(bytes(in_.most_in_a_round()), cache_line);
  return std::max(permute_bytes(), staging);
}

void InPlaceReshape::run(std::byte* array, std::byte* workspace) {
  {
    const Scope scope(trace_, Activity::pack);
    gather_in_place(array, {out_.units(), unit_bytes_, [this](std::int64_t i) { return out_.place(i); }}, workspace);
  }
  if (swaps_)
    run_swaps(array, workspace);
  else if (group_size_ > 1)
    run_rounds(array, workspace);
  const Scope scope(trace_, Activity::unpack);
  scatter_in_place(array, {in_.units(), unit_bytes_, [this](std::int64_t i) { return in_.place(i); }}, workspace);
}

/// Elements not yet sent are at the end of the array, received ones at its beginning. Both fit after every round,
/// because the same share of each block has moved.
void InPlaceReshape::run_rounds(std::byte* array, std::byte* workspace) {
  const std::int64_t all = std::max(out_.units(), in_.units());
  std::byte* const leaving = workspace;
  std::byte* const coming =
      workspace + round_up(bytes(std::min(out_.most_in_a_round() + ahead(), out_.units())), cache_line);
  std::byte* const rest = array + bytes(all - out_.units());
  if (rest != array) std::memmove(rest, array, bytes(out_.units()));
  std::int64_t taken = 0;
  for (int k = 0; k < rounds_; ++k) {
    const std::int64_t gone = out_.round_begin(k), goes = out_.round_begin(k + 1);
    const std::int64_t wanted = std::min(goes + ahead(), out_.units());
    copy_bytes(rest + bytes(taken), leaving + bytes(taken - gone), bytes(wanted - taken));
    taken = wanted;
    run_round(k, leaving, coming);
    copy_bytes(coming, array + bytes(in_.round_begin(k)), bytes(in_.round_begin(k + 1) - in_.round_begin(k)));
    if (goes > gone) std::memmove(leaving, leaving + bytes(goes - gone), bytes(taken - goes));
  }
}

void InPlaceReshape::run_round(int k, const std::byte* leaving, std::byte* coming) {
  {
    const Scope scope(trace_, Activity::exchange);
    const std::byte* own = nullptr;
    for (std::size_t p = 0; p < out_.peers(); ++p)
      if (out_.peer(p) == rank_) own = leaving + bytes(out_.share_begin(k, p) - out_.round_begin(k));
    for (std::size_t p = 0; p < in_.peers(); ++p) {
      std::byte* const to = coming + bytes(in_.share_begin(k, p) - in_.round_begin(k));
      if (in_.peer(p) == rank_)
        copy_bytes(own, to, bytes(in_.share_units(k, p)));
      else
        link_->receive(to, in_.share_units(k, p) * unit_, in_.peer(p), requests_);
    }
    for (std::size_t p = 0; p < out_.peers(); ++p)
      if (out_.peer(p) != rank_)
        link_->send(leaving + bytes(out_.share_begin(k, p) - out_.round_begin(k)), out_.share_units(k, p) * unit_,
                    out_.peer(p), requests_);
  }
  wait_traced(requests_, trace_);
}

/// Sends each part of a block from the buffer, and receives its replacement in the same place.
void InPlaceReshape::run_swaps(std::byte* array, std::byte* buffer) {
  const std::int64_t most =
      std::max<std::int64_t>(host_defaults().swap_buffer_bytes / static_cast<std::int64_t>(unit_bytes_), 1);
  for (const int partner : partners_by_round(rank_, group_size_))
    for (std::size_t p = 0; p < out_.peers(); ++p) {
      if (out_.peer(p) != partner) continue;
      const std::int64_t units = out_.share_units(0, p);
      for (std::int64_t done = 0; done < units; done += most) {
        const std::int64_t count = std::min(units - done, most);
        std::byte* const part = array + bytes(out_.share_begin(0, p) + done);
        copy_bytes(part, buffer, bytes(count));
        const Scope scope(trace_, Activity::exchange);
        link_->receive(part, count * unit_, partner, requests_);
        link_->send(buffer, count * unit_, partner, requests_);
        requests_.wait_all();
      }
    }
}

}  // namespace shardfft
