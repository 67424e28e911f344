#include "mpi/communicator.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>
#include <limits>
#include <map>
#include <new>

#include "base/forks.hpp"
#include "mpi/imagined.hpp"
#include "shardfft/forks.hpp"

namespace shardfft {

namespace {

bool is_inherited = false;
const InEachChild ask_mpi([] { is_inherited = mpi_initialized() && !mpi_finalized(); });

}  // namespace

bool mpi_is_inherited() { return is_inherited; }

void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  fail(Status::mpi_failure, call, " failed: ", std::string(text.data(), static_cast<std::size_t>(length)));
}

bool mpi_initialized() {
  int initialized = 0;
  MPI_Initialized(&initialized);
  return initialized != 0;
}

void require_mpi_thread() {
  int level = MPI_THREAD_SINGLE;
  int main = 1;
  check_mpi(MPI_Query_thread(&level), "MPI_Query_thread");
  if (level >= MPI_THREAD_SERIALIZED) return;
  check_mpi(MPI_Is_thread_main(&main), "MPI_Is_thread_main");
  require(main != 0, "MPI was initialised with ",
          level == MPI_THREAD_SINGLE ? "MPI_THREAD_SINGLE" : "MPI_THREAD_FUNNELED",
          ": only the thread that did so may use plans; initialise it with MPI_THREAD_MULTIPLE, or with _SERIALIZED if",
          " one thread at a time uses MPI");
}

bool mpi_finalized() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  return finalized != 0;
}

KeptWithComm* kept_with(MPI_Comm users, bool make) {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    const auto forget = [](MPI_Comm, int, void* kept, void*) -> int {
      delete static_cast<KeptWithComm*>(kept);
      return MPI_SUCCESS;
    };
    check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &made, nullptr), "MPI_Comm_create_keyval");
    return made;
  }();
  void* found = nullptr;
  int exists = 0;
  check_mpi(MPI_Comm_get_attr(users, key, static_cast<void*>(&found), &exists), "MPI_Comm_get_attr");
  if (exists != 0 || !make) return exists != 0 ? static_cast<KeptWithComm*>(found) : nullptr;
  auto kept = std::make_unique<KeptWithComm>();
  check_mpi(MPI_Comm_set_attr(users, key, kept.get()), "MPI_Comm_set_attr");
  return kept.release();
}

Communicator::Communicator(MPI_Comm comm, Flag abandoned)
    : abandoned_(std::move(abandoned)), hosts_(std::make_shared<KnownHosts>()) {
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  handle_ = std::shared_ptr<MPI_Comm>(new MPI_Comm(comm), [flag = abandoned_](MPI_Comm* c) {
    if (!flag->load(std::memory_order_acquire) && !mpi_finalized()) MPI_Comm_free(c);
    delete c;
  });
  check_mpi(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm, &size_), "MPI_Comm_size");
}

namespace {

/// Throws Error unless a plan can be made over it.
void require_usable(MPI_Comm comm) {
  require(mpi_initialized(), "MPI is not initialized: call MPI_Init before making a plan");
  require(!mpi_finalized(), "MPI is finalized already: plans must be made before MPI_Finalize");
  require_mpi_thread();
  require(comm != MPI_COMM_NULL, "the communicator is MPI_COMM_NULL");
  require(!is_no_handle(comm), "the communicator is no handle of MPI's: it is 0, or Fortran's number of none");
  int between_groups = 0;
  check_mpi(MPI_Comm_test_inter(comm, &between_groups), "MPI_Comm_test_inter");
  require(between_groups == 0, "the communicator is an intercommunicator; merge its groups first");
}

}  // namespace

/// Takes a copy of the user's communicator.
Communicator Communicator::own(MPI_Comm copy, MPI_Comm users) {
  Communicator made(copy, std::make_shared<std::atomic<bool>>(false));
  made.hosts_ = kept_with(users, true)->hosts;
  return made;
}

Communicator Communicator::duplicate(MPI_Comm comm) {
  require_usable(comm);
  MPI_Comm copy = MPI_COMM_NULL;
  check_mpi(MPI_Comm_dup(comm, &copy), "MPI_Comm_dup");
  return own(copy, comm);
}

/// Ranks with different marks land in different parts.
Communicator Communicator::duplicate(MPI_Comm comm, const Mark& mark, bool& alike) {
  require_usable(comm);
  int ranks = 0, ranks_alike = 0;
  check_mpi(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  const std::uint64_t mine = mark ? mark(ranks) : 0;
  const int color = mine == 0 ? 0 : static_cast<int>(1 + mine % (INT_MAX - 1));
  MPI_Comm part = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split(comm, color, 0, &part), "MPI_Comm_split");
  check_mpi(MPI_Comm_size(part, &ranks_alike), "MPI_Comm_size");
  alike = mine != 0 && ranks_alike == ranks;
  if (ranks_alike == ranks) return own(part, comm);
  MPI_Comm_free(&part);
  return duplicate(comm);
}

Communicator::Communicator(std::shared_ptr<const ImaginedGroup> group, int world_rank)
    : group_(std::move(group)),
      abandoned_(std::make_shared<std::atomic<bool>>(false)),
      hosts_(std::make_shared<KnownHosts>()) {
  const std::vector<int>& members = group_->members;
  size_ = static_cast<int>(members.size());
  std::map<int, int> first;
  for (int r = 0; r < size_; ++r) {
    const int member = members[static_cast<std::size_t>(r)];
    if (member == world_rank) rank_ = r;
    hosts_->first.push_back(first.try_emplace(member / group_->ranks->ranks_per_host_, r).first->second);
  }
}

Communicator Communicator::part(const std::vector<int>& members) const {
  if (!imagined()) return split(members.front(), rank_);
  std::vector<int> named;
  for (const int m : members) named.push_back(group_->members[static_cast<std::size_t>(m)]);
  const int mine = group_->members[static_cast<std::size_t>(rank_)];
  return {std::make_shared<const ImaginedGroup>(ImaginedGroup{group_->ranks, std::move(named)}), mine};
}

Communicator Communicator::split(int color, int key) const {
  MPI_Comm part = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split(get(), color < 0 ? MPI_UNDEFINED : color, key, &part), "MPI_Comm_split");
  if (part == MPI_COMM_NULL) return {};
  return Communicator(part, abandoned_);
}

std::vector<int> Communicator::hosts(int fake_ranks_per_host) const {
  if (hosts_->first.empty()) {
    MPI_Comm part = MPI_COMM_NULL;
    check_mpi(MPI_Comm_split_type(get(), MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &part), "MPI_Comm_split_type");
    const Communicator host(part, abandoned_);
    const std::vector<std::int64_t> first = all_gather(host.ranks_in(*this).front());
    hosts_->first.assign(first.begin(), first.end());
  }
  std::vector<int> hosts = hosts_->first;
  if (fake_ranks_per_host <= 0) return hosts;
  std::map<std::pair<int, int>, int> first;
  for (int r = 0; r < size_; ++r) {
    int& host = hosts[static_cast<std::size_t>(r)];
    host = first.try_emplace({host, r / fake_ranks_per_host}, r).first->second;
  }
  return hosts;
}

bool Communicator::has_one_host(int fake_ranks_per_host) const {
  const std::vector<int> first = hosts(fake_ranks_per_host);
  return std::count(first.begin(), first.end(), 0) == size_;
}

Communicator Communicator::split_host(int fake_ranks_per_host) const {
  const std::vector<int> first = hosts(fake_ranks_per_host);
  std::vector<int> members;
  for (int r = 0; r < size_; ++r)
    if (first[static_cast<std::size_t>(r)] == first[static_cast<std::size_t>(rank_)]) members.push_back(r);
  return part(members);
}

void Communicator::abandon() const {
  if (abandoned_) abandoned_->store(true, std::memory_order_release);  // pairs with the load before one is freed
}

void Communicator::barrier() const {
  if (valid() && !imagined()) check_mpi(MPI_Barrier(get()), "MPI_Barrier");
}

void Communicator::gather(const void* mine, void* all, std::size_t bytes) const {
  const int count = narrow(static_cast<std::int64_t>(bytes), "number of bytes");
  if (imagined())
    group_->ranks->gather(*group_, group_->members[static_cast<std::size_t>(rank_)], mine, all, bytes);
  else
    check_mpi(MPI_Allgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, get()), "MPI_Allgather");
}

void Communicator::broadcast(void* data, std::size_t bytes, int root) const {
  if (imagined()) {
    std::vector<std::byte> all(bytes * static_cast<std::size_t>(size_));
    gather(data, all.data(), bytes);
    std::memcpy(data, all.data() + bytes * static_cast<std::size_t>(root), bytes);
    return;
  }
  check_mpi(MPI_Bcast(data, narrow(static_cast<std::int64_t>(bytes), "number of bytes"), MPI_BYTE, root, get()),
            "MPI_Bcast");
}

template <class Number>
void Communicator::fold_numbers(std::span<Number> numbers, Fold how, MPI_Datatype type) const {
  if (!valid() || numbers.empty()) return;
  if (!imagined()) {
    const MPI_Op op = how == Fold::max ? MPI_MAX : how == Fold::min ? MPI_MIN : how == Fold::sum ? MPI_SUM : MPI_BOR;
    check_mpi(
        MPI_Allreduce(MPI_IN_PLACE, numbers.data(), narrow(std::ssize(numbers), "number of values"), type, op, get()),
        "MPI_Allreduce");
    return;
  }
  std::vector<Number> all(numbers.size() * static_cast<std::size_t>(size_));
  gather(numbers.data(), all.data(), numbers.size_bytes());
  std::copy_n(all.begin(), numbers.size(), numbers.begin());
  for (std::size_t i = numbers.size(); i < all.size(); ++i) {
    Number& mine = numbers[i % numbers.size()];
    if (how == Fold::max) mine = std::max(mine, all[i]);
    if (how == Fold::min) mine = std::min(mine, all[i]);
    if (how == Fold::sum) mine += all[i];
    if constexpr (std::is_integral_v<Number>)
      if (how == Fold::either) mine |= all[i];
  }
}

void Communicator::fold(std::span<double> n, Fold how) const { fold_numbers(n, how, MPI_DOUBLE); }
void Communicator::fold(std::span<std::int64_t> n, Fold how) const { fold_numbers(n, how, MPI_INT64_T); }
void Communicator::fold(std::span<std::uint64_t> n, Fold how) const { fold_numbers(n, how, MPI_UINT64_T); }

namespace {

template <class Number>
Number folded(const Communicator& comm, Number value, Communicator::Fold how) {
  comm.fold({&value, 1}, how);
  return value;
}

}  // namespace

std::int64_t Communicator::max(std::int64_t value) const { return folded(*this, value, Fold::max); }
std::int64_t Communicator::min(std::int64_t value) const { return folded(*this, value, Fold::min); }
std::int64_t Communicator::either(std::int64_t bits) const { return folded(*this, bits, Fold::either); }
double Communicator::max(double value) const { return folded(*this, value, Fold::max); }

std::vector<double> Communicator::max(std::vector<double> values) const {
  fold(values, Fold::max);
  return values;
}

std::vector<std::int64_t> Communicator::all_gather(std::int64_t value) const {
  std::vector<std::int64_t> all(static_cast<std::size_t>(size_));
  gather(&value, all.data(), sizeof value);
  return all;
}

Communicator::Extremes Communicator::extremes(const std::vector<std::uint64_t>& numbers) const {
  // The largest complement of a number gives its smallest value.
  std::vector<std::uint64_t> most = numbers;
  for (const std::uint64_t n : numbers) most.push_back(~n);
  fold(most, Fold::max);
  Extremes all;
  for (auto n = most.begin() + static_cast<std::ptrdiff_t>(numbers.size()); n != most.end(); ++n)
    all.least.push_back(~*n);
  most.resize(numbers.size());
  all.most = std::move(most);
  return all;
}

std::vector<bool> Communicator::differ(const std::vector<std::uint64_t>& numbers) const {
  const Extremes all = extremes(numbers);
  std::vector<bool> result;
  for (std::size_t i = 0; i < numbers.size(); ++i) result.push_back(all.least[i] != all.most[i]);
  return result;
}

std::vector<int> Communicator::ranks_in(const Communicator& parent) const {
  if (imagined()) {
    std::vector<int> there;
    const std::vector<int>& theirs = parent.group_->members;
    for (const int member : group_->members)
      there.push_back(static_cast<int>(std::lower_bound(theirs.begin(), theirs.end(), member) - theirs.begin()));
    return there;
  }
  MPI_Group mine = MPI_GROUP_NULL;
  MPI_Group theirs = MPI_GROUP_NULL;
  check_mpi(MPI_Comm_group(get(), &mine), "MPI_Comm_group");
  check_mpi(MPI_Comm_group(parent.get(), &theirs), "MPI_Comm_group");
  std::vector<int> here(static_cast<std::size_t>(size_));
  std::vector<int> there(static_cast<std::size_t>(size_));
  for (int i = 0; i < size_; ++i) here[static_cast<std::size_t>(i)] = i;
  check_mpi(MPI_Group_translate_ranks(mine, size_, here.data(), theirs, there.data()), "MPI_Group_translate_ranks");
  MPI_Group_free(&mine);
  MPI_Group_free(&theirs);
  return there;
}

namespace {

/// The end of an agreed failure's text; if a larger group agrees on it again, it keeps the first end.
constexpr const char* rank_mark = " [rank ";

}  // namespace

Failure present_failure() {
  try {
    throw;
  } catch (const Error& e) {
    return {e.code(), e.what()};
  } catch (const std::bad_alloc&) {
    return {Status::out_of_memory, "out of memory"};
  } catch (const std::exception& e) {
    return {Status::internal, e.what()};
  } catch (...) {
    return {Status::internal, "something was thrown that is no std::exception"};
  }
}

Failure failure_of_rank(Failure failure, int rank) {
  if (failure.text.find(rank_mark) == std::string::npos)
    failure.text.append(rank_mark).append(std::to_string(rank)).append("]");
  return failure;
}

void throw_failure_of(const Communicator& comm, int rank, const Failure& mine) {
  std::array<char, 1024> message{};
  std::int32_t number = static_cast<std::int32_t>(mine.code);
  std::strncpy(message.data(), mine.text.c_str(), message.size() - 1);
  comm.broadcast(&number, sizeof number, rank);
  comm.broadcast(message.data(), message.size(), rank);
  const Failure failure = failure_of_rank({static_cast<Status>(number), message.data()}, rank);
  throw Error(failure.code, failure.text);
}

std::int64_t agreed_least(const Communicator& comm, const std::function<std::int64_t()>& work) {
  if (!comm.valid()) return work();
  std::int64_t words[] = {comm.size(), std::numeric_limits<std::int64_t>::max()};  // the first that failed, the number
  const Failure mine = failure_of([&] { words[1] = work(); });
  if (mine.failed()) words[0] = comm.rank();
  comm.fold(words, Communicator::Fold::min);
  if (words[0] < comm.size()) throw_failure_of(comm, static_cast<int>(words[0]), mine);
  return words[1];
}

void agree(const Communicator& comm, const std::function<void()>& work) {
  agreed_least(comm, [&work] {
    work();
    return std::int64_t{0};
  });
}

}  // namespace shardfft
