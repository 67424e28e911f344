#include "mpi/communicator.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <map>
#include <new>

#include "base/forks.hpp"
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
  require(
      main != 0, "MPI was initialised with ", level == MPI_THREAD_SINGLE ? "MPI_THREAD_SINGLE" : "MPI_THREAD_FUNNELED",
      ": only the thread that did so may use plans; initialise it with MPI_THREAD_MULTIPLE, or _SERIALIZED where one",
      " thread at a time uses MPI");
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
    : abandoned_(std::move(abandoned)), hosts_(std::make_shared<std::vector<int>>()) {
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  handle_ = std::shared_ptr<MPI_Comm>(new MPI_Comm(comm), [flag = abandoned_](MPI_Comm* c) {
    if (!flag->load(std::memory_order_acquire) && !mpi_finalized()) MPI_Comm_free(c);
    delete c;
  });
  check_mpi(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm, &size_), "MPI_Comm_size");
}

Communicator Communicator::duplicate(MPI_Comm comm) {
  require(mpi_initialized(), "MPI is not initialized: call MPI_Init before making a plan");
  require(!mpi_finalized(), "MPI is finalized already: plans must be made before MPI_Finalize");
  require_mpi_thread();
  require(comm != MPI_COMM_NULL, "the communicator is MPI_COMM_NULL");
  int between_groups = 0;
  check_mpi(MPI_Comm_test_inter(comm, &between_groups), "MPI_Comm_test_inter");
  require(between_groups == 0, "the communicator is an intercommunicator; merge its groups first");
  MPI_Comm copy = MPI_COMM_NULL;
  check_mpi(MPI_Comm_dup(comm, &copy), "MPI_Comm_dup");
  Communicator made(copy, std::make_shared<std::atomic<bool>>(false));
  made.hosts_ = kept_with(comm, true)->hosts;
  return made;
}

Communicator Communicator::split(int color, int key) const {
  MPI_Comm part = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split(get(), color < 0 ? MPI_UNDEFINED : color, key, &part), "MPI_Comm_split");
  if (part == MPI_COMM_NULL) return {};
  return Communicator(part, abandoned_);
}

std::vector<int> Communicator::hosts(int fake_ranks_per_host) const {
  if (hosts_->empty()) {
    MPI_Comm part = MPI_COMM_NULL;
    check_mpi(MPI_Comm_split_type(get(), MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &part), "MPI_Comm_split_type");
    const Communicator host(part, abandoned_);
    const std::vector<std::int64_t> first = all_gather(host.ranks_in(*this).front());
    hosts_->assign(first.begin(), first.end());
  }
  std::vector<int> hosts = *hosts_;
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
  return split(hosts(fake_ranks_per_host)[static_cast<std::size_t>(rank_)], rank_);
}

void Communicator::abandon() const {
  if (abandoned_) abandoned_->store(true, std::memory_order_release);  // pairs with the load of who frees one
}

void Communicator::barrier() const {
  if (valid()) check_mpi(MPI_Barrier(get()), "MPI_Barrier");
}

namespace {

template <class Number>
Number reduced(const Communicator& comm, Number value, MPI_Datatype type, MPI_Op op) {
  if (comm.valid()) check_mpi(MPI_Allreduce(MPI_IN_PLACE, &value, 1, type, op, comm.get()), "MPI_Allreduce");
  return value;
}

}  // namespace

std::int64_t Communicator::max(std::int64_t value) const { return reduced(*this, value, MPI_INT64_T, MPI_MAX); }
std::int64_t Communicator::min(std::int64_t value) const { return reduced(*this, value, MPI_INT64_T, MPI_MIN); }
std::int64_t Communicator::either(std::int64_t bits) const { return reduced(*this, bits, MPI_INT64_T, MPI_BOR); }
double Communicator::max(double value) const { return reduced(*this, value, MPI_DOUBLE, MPI_MAX); }

std::vector<double> Communicator::max(std::vector<double> values) const {
  if (!valid()) return values;
  const int count = narrow(static_cast<std::int64_t>(values.size()), "number of values");
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, values.data(), count, MPI_DOUBLE, MPI_MAX, get()), "MPI_Allreduce");
  return values;
}

std::vector<std::int64_t> Communicator::all_gather(std::int64_t value) const {
  std::vector<std::int64_t> all(static_cast<std::size_t>(size_));
  check_mpi(MPI_Allgather(&value, 1, MPI_INT64_T, all.data(), 1, MPI_INT64_T, get()), "MPI_Allgather");
  return all;
}

Communicator::Extremes Communicator::extremes(const std::vector<std::uint64_t>& numbers) const {
  // The largest of a number's complement tells its smallest value.
  std::vector<std::uint64_t> most = numbers;
  for (const std::uint64_t n : numbers) most.push_back(~n);
  if (valid())
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, most.data(), narrow(static_cast<std::int64_t>(most.size()), "a count"),
                            MPI_UINT64_T, MPI_MAX, get()),
              "MPI_Allreduce");
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

/// What an agreed failure ends with; agreed by a larger group, it keeps the first one.
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
  check_mpi(MPI_Bcast(&number, 1, MPI_INT32_T, rank, comm.get()), "MPI_Bcast");
  check_mpi(MPI_Bcast(message.data(), static_cast<int>(message.size()), MPI_CHAR, rank, comm.get()), "MPI_Bcast");
  const Failure failure = failure_of_rank({static_cast<Status>(number), message.data()}, rank);
  throw Error(failure.code, failure.text);
}

std::int64_t agreed_least(const Communicator& comm, const std::function<std::int64_t()>& work) {
  if (!comm.valid()) return work();
  std::int64_t words[] = {comm.size(), std::numeric_limits<std::int64_t>::max()};  // the first that failed, the number
  const Failure mine = failure_of([&] { words[1] = work(); });
  if (mine.failed()) words[0] = comm.rank();
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, words, 2, MPI_INT64_T, MPI_MIN, comm.get()), "MPI_Allreduce");
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
