// Errors, texts and buffers of the C interface.
#include "c/wall.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

#include "mpi/communicator.hpp"

namespace shardfft::c {

namespace {

std::string& last_error() {
  thread_local std::string text;
  return text;
}

static_assert(SHARDFFT_CORRUPTED == static_cast<int>(Status::corrupted));
static_assert(SHARDFFT_R2R == static_cast<int>(Kind::r2r));
static_assert(SHARDFFT_F64 == static_cast<int>(Precision::f64));
static_assert(SHARDFFT_DST4 == static_cast<int>(AxisTransform::dst4));
static_assert(SHARDFFT_MAX_AXES == max_axes && SHARDFFT_MAX_USER_AXES == max_user_axes);

}  // namespace

std::uintptr_t new_number() {
  // Below are the constants that stand for layouts.
  static std::atomic<std::uintptr_t> last{15};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;  // a number, which orders nothing
}

shardfft_status keep_failure() noexcept {
  try {
    const Failure failure = present_failure();
    last_error() = failure.text;
    return static_cast<shardfft_status>(failure.code);
  } catch (...) {
    last_error().clear();
    return SHARDFFT_OUT_OF_MEMORY;
  }
}

void agreed(MPI_Comm comm, const std::function<void()>& work) { agree(Communicator::duplicate_or_none(comm), work); }

void give_text(char** result, const std::string& text) {
  char*& made = place(result, "text");
  auto* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  made = copy;
}

void give_names(char** result, const std::vector<std::string>& names, char separator) {
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += separator;
    text += name;
  }
  give_text(result, text);
}

void give_numbers(const std::vector<double>& all, std::int64_t room, double* numbers) {
  const auto places = given(numbers, room, "numbers");
  std::copy_n(all.begin(), std::min(all.size(), places.size()), places.begin());
}

std::vector<double> lengths_of(int axes, const double* lengths) {
  if (lengths == nullptr) return {};
  const auto each = given_axes(lengths, axes, "lengths");
  return {each.begin(), each.end()};
}

ElementType element_of(shardfft_precision precision, int is_complex) {
  require(precision == SHARDFFT_F32 || precision == SHARDFFT_F64, "the precision has the value ", precision,
          ", which stands for none of: SHARDFFT_F32, SHARDFFT_F64");
  return {static_cast<Precision>(precision), is_complex != 0};
}

std::vector<int> devices_of(int count, const int* devices) {
  const std::span<const int> list = given(devices, count, "devices");
  return {list.begin(), list.end()};
}

IndexSet index_set(std::span<const shardfft_progression> axes) {
  require(axes.size() <= max_axes, "an index set has at most ", max_axes, " axes, not ", axes.size());
  IndexSet set;
  set.axes = static_cast<int>(axes.size());
  for (std::size_t a = 0; a < axes.size(); ++a) set.axis[a] = progression(axes[a]);
  return set;
}

}  // namespace shardfft::c

using namespace shardfft::c;

const char* shardfft_version(void) { return SHARDFFT_VERSION; }

const char* shardfft_status_name(shardfft_status status) {
  static constexpr const char* names[] = {"ok",          "invalid_argument", "mismatch", "unsupported", "out_of_memory",
                                          "mpi_failure", "backend_failure",  "internal", "timed_out",   "corrupted"};
  return status >= SHARDFFT_OK && status <= SHARDFFT_CORRUPTED ? names[status] : "unknown";
}

const char* shardfft_last_error(void) { return last_error().c_str(); }

void shardfft_text_free(char* text) { std::free(text); }

shardfft_status shardfft_buffer_data(shardfft_buffer buffer, void** data) {
  return guarded([&] { place(data, "data") = get(buffer)->data(); });
}
shardfft_status shardfft_buffer_bytes(shardfft_buffer buffer, size_t* bytes) {
  return guarded([&] { place(bytes, "bytes") = get(buffer)->bytes(); });
}
shardfft_status shardfft_buffer_free(shardfft_buffer* buffer) { return end(buffer); }
