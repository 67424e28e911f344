#include "mpi/host_window.hpp"

#include <unistd.h>

#include <algorithm>
#include <optional>

#include "base/aligned.hpp"
#include "base/allocations.hpp"
#include "base/page_size.hpp"
#include "base/simulated_ranks.hpp"
#include "base/succeeds.hpp"
#include "base/text.hpp"
#include "mpi/offers.hpp"

namespace shardfft {

namespace {

/// Windows of a host up to this size are made without a look at files of the kernel: if there is no room, making them
/// fails as well.
constexpr double not_worth_asking = 1 << 20;

/// Bytes of each rank for turn counters and their like: of all plans of one communicator, and of one plan.
constexpr std::size_t bytes_of_plans = 1 << 16, bytes_of_plan = 1 << 10;

/// Whole small pages, one at least.
std::size_t mapped_bytes(std::size_t bytes) { return round_up(std::max<std::size_t>(bytes, 1), page_size()); }

/// The distance from one segment to the next: whole huge pages of one rank.
std::size_t stride_of(std::size_t mapped) {
  const std::size_t huge = page_sizes().huge;
  return huge == 0 || mapped < huge ? mapped : round_up(mapped, huge);
}

}  // namespace

HostWindow::Grant::Grant(std::size_t bytes)
    : source_(installed<MemorySource>()), bytes_(bytes), given_(source_ == nullptr || source_->grant_window(bytes)) {
  if (given_) count_allocation(static_cast<std::int64_t>(bytes_));
}

HostWindow::Grant::~Grant() {
  if (given_) count_allocation(-static_cast<std::int64_t>(bytes_));
  if (source_ != nullptr && given_) source_->end_window(bytes_);
}

void require_window_room(double bytes, double largest, int ranks) {
  const auto check = [](double wanted, const Room& room) {
    if (wanted > static_cast<double>(room.bytes)) fail(Status::out_of_memory, "there is no room: ", room.limit);
  };
  check(largest * ranks, file_room());
  if (bytes * ranks <= not_worth_asking) return;
  if (const std::string many = no_more_mappings(); !many.empty())
    fail(Status::out_of_memory, "there is no room: ", many);
  check(bytes * ranks, address_room());
  check(bytes * ranks, memory_room());
}

std::size_t window_room() {
  const bool opens = succeeds([] { ::close(make_file("shardfft")); });
  return opens && no_more_mappings().empty() ? std::min({file_room().bytes, address_room().bytes, memory_room().bytes})
                                             : 0;
}

/// Each rank reserves its own segment, so that every rank's memory is near it.
HostWindow::HostWindow(const Communicator& host, std::size_t bytes, InChildren in_children,
                       const std::vector<int>& names)
    : rank_(host.rank()),
      ranks_(host.size()),
      bytes_(bytes),
      stride_(stride_of(mapped_bytes(bytes))),
      grant_(mapped_bytes(bytes)) {
  const std::size_t all = stride_ * static_cast<std::size_t>(host.size());
  std::optional<MemoryFile> made;
  Failure failure = failure_of([&] {
    const auto wanted = static_cast<double>(stride_);
    require_window_room(wanted, wanted, host.size());
    if (!grant_.given()) fail(Status::out_of_memory, "there is no memory for them");
  });
  // All look at the room before one of them takes some.
  if (static_cast<double>(all) > not_worth_asking) host.barrier();
  if (!failure.failed() && rank_ == 0) failure = failure_of([&] { made.emplace(all, draw_proof(rank_)); });
  const FileTicket ticket = gather_bytes(host, made ? made->ticket() : FileTicket{}).front();
  if (ticket.process >= 0 && !failure.failed()) {  // else its owner has the failure
    const OfferedFile file(ticket, rank_ == 0);
    failure = file.found() == Found::itself ? failure_of([&] { map(file, host, in_children); })
                                            : Failure{Status::unsupported, file.text()};
  }
  if (failure.failed()) {
    Text text;
    text << "cannot share " << in_mebibytes(static_cast<double>(mapped_bytes(bytes))) << " of each of the "
         << host.size() << " ranks of this host: " << failure.text
         << "; other exchanges than shared_window need no shared memory";
    failure =
        failure_of_rank({failure.code, text.str()}, names.empty() ? rank_ : names[static_cast<std::size_t>(rank_)]);
  }
  // No file goes away before all have mapped it.
  agree(host, [&] { throw_failure(failure); });
}

void HostWindow::map(const OfferedFile& file, const Communicator& host, InChildren in_children) {
  const std::size_t first = static_cast<std::size_t>(rank_) * stride_, behind = first + stride_,
                    all = static_cast<std::size_t>(host.size()) * stride_;
  all_ = MemoryFile::map(file, all);
  if (!all_) {
    const std::string many = no_more_mappings();
    fail(Status::out_of_memory, "there are no addresses left for them; ", many.empty() ? address_room().limit : many);
  }
  MemoryFile::reserve(file, mine(), first, mapped_bytes(bytes_));
  const bool copies = in_children == InChildren::copy;
  if (copies) kept_.emplace_back(mine(), stride_, file.descriptor(), first);
  if (!copies || first > 0) kept_.emplace_back(all_.get(), copies ? first : all, -1);
  if (copies && behind < all) kept_.emplace_back(all_.get() + behind, all - behind, -1);
}

HostMemory::HostMemory(const Communicator& comm, int fake_ranks_per_host)
    : host_(comm.has_one_host(fake_ranks_per_host) ? comm : comm.split_host(fake_ranks_per_host)),
      host_rank_(static_cast<std::size_t>(comm.size()), -1) {
  bool all = host_.size() == 1 || host_.imagined() ||
             (!ranks_are_simulated() && !failure_of([&] { find_small(comm); }).failed());
  if (host_.size() < comm.size()) all = comm.min(std::int64_t{all ? 1 : 0}) == 1;
  if (!all) find_apart(comm);
  members_ = host_.ranks_in(comm);
  for (int r = 0; r < host_.size(); ++r)
    host_rank_[static_cast<std::size_t>(members_[static_cast<std::size_t>(r)])] = r;
}

/// Takes a part of the memory that plans of one communicator share: they are made one after the other, so all ranks
/// find the same part. With a MemorySource, which may end before the communicator, a plan makes its own.
void HostMemory::find_small(const Communicator& comm) {
  if (host_.size() < comm.size() || installed<MemorySource>() != nullptr) return make_small(0);
  std::shared_ptr<HostPart>& kept = comm.known_hosts().small;
  if (!kept || kept->offset + bytes_of_plan > kept->window->bytes())
    kept = std::make_shared<HostPart>(HostPart{std::make_shared<HostWindow>(host_, mapped_bytes(bytes_of_plans))});
  small_ = *kept;
  small_end_ = kept->offset += bytes_of_plan;
}

/// If ranks cannot share a little memory, they find out which of them can.
void HostMemory::find_apart(const Communicator& comm) {
  small_ = {};
  small_end_ = 0;
  std::string mine;
  const std::vector<Found> found = find_sharers(comm, mine);
  const bool all = std::all_of(found.begin(), found.end(), [](Found f) { return f == Found::itself; });
  if (comm.min(std::int64_t{all ? 1 : 0}) == 0) {
    if (!cut(found)) mine.clear();
    apart_ = failure_of([&] {
               agree(comm, [&] {
                 if (!mine.empty()) fail(Status::unsupported, "the ranks of this host cannot share memory: ", mine);
               });
             }).text;
  }
}

namespace {

/// For each rank the first rank of its group; in a group all have found each other. `all`: row by row, the findings of
/// each rank.
std::vector<int> groups_of(const std::vector<Found>& all, int ranks) {
  const auto mutual = [&](int a, int b) {
    return all[static_cast<std::size_t>(a) * static_cast<std::size_t>(ranks) + static_cast<std::size_t>(b)] ==
           Found::itself;
  };
  std::vector<int> first;
  for (int rank = 0; rank < ranks; ++rank) {
    int joined = rank;
    for (int group = rank - 1; group >= 0; --group) {
      bool knows_all = first[static_cast<std::size_t>(group)] == group;
      for (int member = group; member < rank && knows_all; ++member)
        knows_all = first[static_cast<std::size_t>(member)] != group || mutual(rank, member);
      if (knows_all) joined = group;
    }
    first.push_back(joined);
  }
  return first;
}

}  // namespace

/// This rank's findings of the others' files. `why`: the reason why it cannot share with others, in words.
std::vector<Found> HostMemory::find_sharers(const Communicator& comm, std::string& why) const {
  if (host_.size() == 1) return {Found::itself};
  if (ranks_are_simulated()) {
    why = "they are simulated";
    std::vector<Found> found(static_cast<std::size_t>(host_.size()), Found::nothing);
    found[static_cast<std::size_t>(host_.rank())] = Found::itself;
    return found;
  }
  const std::vector<int> members = host_.ranks_in(comm);
  std::optional<MemoryFile> probe;
  why = failure_of([&] { probe.emplace(1, draw_proof(host_.rank())); }).text;
  return look_at_offers(host_, probe ? probe->ticket() : FileTicket{}, [&](int rank, const FileTicket& ticket) {
    const OfferedFile file(ticket, rank == host_.rank());
    if (file.found() != Found::itself && ticket.process >= 0 && why.empty())
      why = "for the memory of rank " + std::to_string(members[static_cast<std::size_t>(rank)]) + ", " + file.text();
    return file.found();
  });
}

/// Cuts the host in groups of ranks that find each other's files. False if all of its ranks do.
bool HostMemory::cut(const std::vector<Found>& found) {
  const bool all = std::all_of(found.begin(), found.end(), [](Found f) { return f == Found::itself; });
  if (host_.min(std::int64_t{all ? 1 : 0}) == 1) return false;
  std::vector<Found> everything(found.size() * found.size());
  host_.gather(found.data(), everything.data(), found.size() * sizeof(Found));
  const std::vector<int> groups = groups_of(everything, host_.size());
  host_ = host_.split(groups[static_cast<std::size_t>(host_.rank())], host_.rank());
  return true;
}

bool HostMemory::holds(const std::vector<int>& ranks) const {
  for (const int r : ranks)
    if (host_rank(r) < 0) return false;
  return true;
}

void HostMemory::forget_unused() {
  std::vector<double> used;
  for (const auto& window : windows_) used.push_back(window.use_count() > 1 ? 1 : 0);
  if (!used.empty()) used = host_.max(std::move(used));
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i] == 0) windows_[i].reset();
}

void HostMemory::make_small(std::size_t bytes) {
  small_ = {std::make_shared<HostWindow>(host_, mapped_bytes(bytes), HostWindow::InChildren::nothing, members_)};
  small_end_ = small_.window->bytes();
}

HostPart HostMemory::take(std::size_t bytes) {
  if (host_.imagined()) return {};
  if (small_.offset + bytes > small_end_) make_small(bytes);
  const HostPart part = small_;
  small_.offset += round_up(bytes, cache_line);
  return part;
}

std::shared_ptr<HostWindow> HostMemory::allocate(std::size_t bytes, HostWindow::InChildren in_children) {
  forget_unused();
  auto window = std::make_shared<HostWindow>(host_, bytes, in_children, members_);
  const auto free = std::find(windows_.begin(), windows_.end(), nullptr);
  if (free == windows_.end())
    windows_.push_back(window);
  else
    *free = window;
  return window;
}

HostAddress HostMemory::locate(const void* p) const {
  for (std::size_t i = 0; i < windows_.size(); ++i)
    if (windows_[i] && windows_[i]->contains(p))
      return {static_cast<std::int64_t>(i), static_cast<const std::byte*>(p) - windows_[i]->mine()};
  return {};
}

std::byte* HostMemory::resolve(int rank, const HostAddress& address) const {
  return windows_[static_cast<std::size_t>(address.window)]->segment(host_rank(rank)) + address.offset;
}

namespace {

std::vector<std::byte*> counters_of(const HostMemory& host, const HostPart& control, const std::vector<int>& members) {
  std::vector<std::byte*> counters;
  for (const int m : members) counters.push_back(control.of(host.host_rank(m)));
  return counters;
}

}  // namespace

TurnCounter::TurnCounter(const HostMemory& host, const HostPart& control, const std::vector<int>& members, Watch* watch)
    : TurnCounter(control.window, control.of(host.host().rank()), counters_of(host, control, members), watch) {}

TurnCounter::TurnCounter(std::shared_ptr<const void> memory, std::byte* mine, const std::vector<std::byte*>& members,
                         Watch* watch)
    : memory_(std::move(memory)), mine_(reinterpret_cast<Counters*>(mine)), watch_(watch) {
  for (std::byte* const m : members) members_.push_back(reinterpret_cast<Counters*>(m));
}

/// Pairs with the load in wait_published(): a rank that has seen the turn sees the address, and the array as it is now.
void TurnCounter::publish(const HostAddress& address) {
  mine_->published.address = address;
  mine_->published.turn.store(++turn_, std::memory_order_release);
}

HostAddress TurnCounter::address(std::size_t member) const { return members_[member]->published.address; }

/// Pairs with the store in publish().
void TurnCounter::wait_published() const {
  for (const Counters* m : members_)
    wait_until(watch_, [&] { return m->published.turn.load(std::memory_order_acquire) >= turn_; });
}

/// Pairs with the load in wait_finished(): the data that this rank read may be overwritten, its own writes are there.
void TurnCounter::finish() { mine_->finished.turn.store(turn_, std::memory_order_release); }

/// Pairs with the store in finish().
void TurnCounter::wait_finished() const {
  for (const Counters* m : members_)
    wait_until(watch_, [&] { return m->finished.turn.load(std::memory_order_acquire) >= turn_; });
}

}  // namespace shardfft
