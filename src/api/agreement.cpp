// Agreement of all ranks on their arguments.
#include <unistd.h>

#include <algorithm>
#include <array>

#include "api/problem.hpp"
#include "base/words.hpp"
#include "mpi/host_window.hpp"
#include "tune/own_cache.hpp"

namespace shardfft {

std::vector<Agreed> agreed_arguments(const ProblemSpec& spec) {
  std::vector<Agreed> agreed = agreed_options(spec.options);
  agreed.push_back(agreed_layout("input layouts", spec.input));
  agreed.push_back(agreed_layout("output layouts", spec.output.value_or(Layout())));
  agreed.push_back(agreed_layout("gaps of the real array", spec.with_gaps.value_or(Layout())));
  const auto add = [&agreed](const char* what, auto value, const std::string& text) {
    agreed.push_back({what, static_cast<std::uint64_t>(value), text});
  };
  add("kinds of output layouts", spec.output_kind, spec.output_kind == OutputLayout::natural ? "natural" : "default");
  add("kinds of transform", spec.transform.kind, to_text(spec.transform.kind));
  add("precisions", spec.transform.precision, spec.transform.precision == Precision::f64 ? "double" : "single");
  return agreed;
}

RankFacts agree_same(const Communicator& comm, const ProblemSpec& spec, const Failure& mine, bool knows_ways) {
  static const ProblemSpec nothing{};  // in place of arguments that may have no words
  return agree_same(comm, "a plan", agreed_arguments(mine.failed() ? nothing : spec), spec.options.effort, mine,
                    knows_ways);
}

namespace {

/// The values of rank 0 and of the first rank with another one, if their words differ. Collective.
std::string compared(const Communicator& comm, const Agreed& mine) {
  const std::vector<std::int64_t> numbers = comm.all_gather(static_cast<std::int64_t>(mine.number));
  const auto other = std::find_if(numbers.begin(), numbers.end(), [&](auto n) { return n != numbers.front(); });
  const auto text_of = [&](int rank) {
    std::array<char, 256> text{};
    mine.text.copy(text.data(), text.size() - 1);
    comm.broadcast(text.data(), text.size(), rank);
    return text.front() == 0 ? std::string("nothing") : std::string(text.data());
  };
  const int rank = static_cast<int>(other - numbers.begin());
  const std::string first = text_of(0), second = text_of(rank);
  return first == second ? "" : " (rank 0: " + first + "; rank " + std::to_string(rank) + ": " + second + ")";
}

}  // namespace

Agreed agreed_layout(const char* what, const Layout& layout) {
  if (layout.axes() == 0) return {what, 0, "none"};
  return {what, layout.fingerprint(), layout.describe()};
}

RankFacts agree_same(const Communicator& comm, const char* call, std::vector<Agreed> agreed, Effort effort,
                     const Failure& mine, bool knows_ways) {
  if (!comm.valid()) throw_failure(mine);
  constexpr std::size_t facts = 80;  // more than there are options and arguments
  agreed.insert(agreed.begin(), {"calls", std::hash<std::string>()(call), call});
  if (agreed.size() > facts) fail(Status::internal, "a call has ", agreed.size(), " facts, more than ", facts);
  std::vector<std::uint64_t> numbers;
  for (const Agreed& a : agreed) numbers.push_back(a.number);
  numbers.resize(facts);
  numbers.push_back(static_cast<std::uint64_t>(mine.failed() ? comm.rank() : comm.size()));
  numbers.push_back(static_cast<std::uint64_t>(effort));
  numbers.push_back(static_cast<std::uint64_t>(own_cache_bytes()));
  numbers.push_back(comm.size() >= sysconf(_SC_NPROCESSORS_ONLN) ? 1 : 0);
  numbers.push_back(comm.imagined() ? ~std::uint64_t{0} : comm.size() > 1 ? window_room() : 0);
  numbers.push_back(knows_ways && comm.rank() == 0 ? 1 : 0);
  const auto [least, most] = comm.extremes(numbers);
  const auto failed = static_cast<int>(least[facts]);
  if (comm.valid() && failed < comm.size()) throw_failure_of(comm, failed, mine);
  if (least[0] != most[0]) agreed.resize(1);  // others have other facts
  std::string what;
  for (std::size_t i = 0; i < agreed.size(); ++i)
    if (least[i] != most[i]) what += (what.empty() ? "" : " and ") + agreed[i].what + compared(comm, agreed[i]);
  if (!what.empty()) fail(Status::mismatch, "the ranks were given different ", what, "; all must be given the same");
  // A limit was met since memory was shared: the plan asks again what there is room for.
  if (comm.valid() && least[facts + 4] == 0) comm.known_hosts().small.reset();
  const auto all = static_cast<Effort>(least[facts + 1]);
  return {all != Effort::estimate, all == Effort::patient, most[facts + 2],
          least[facts + 3] == 1,   least[facts + 4],       most[facts + 5] == 1};
}

}  // namespace shardfft
