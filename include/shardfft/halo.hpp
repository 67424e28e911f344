#pragma once
// Halos: copies of the neighbours' elements around each rank's part of an array.
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "shardfft/layout.hpp"
#include "shardfft/options.hpp"
#include "shardfft/ranks.hpp"
#include "shardfft/typed_array.hpp"

namespace shardfft {

/// The number of elements below and above each rank's part of an axis, and whether elements beyond the array's ends are
/// those of its other end. If an axis is not periodic, halos beyond its ends belong to the caller: no function touches
/// them.
struct HaloWidth {
  std::int64_t below = 0, above = 0;
  bool periodic = true;
};

/// The elements in halos: all around a part, or those beside its faces alone, which sends less.
enum class Corners { filled, left_out };

/// Fills halos and adds them back, planned once, for arrays of the processes of a communicator, on CPUs or with a GPU
/// each, or of several GPUs of this process. A rank's padded array holds, for each field, its part with the halos
/// around it, dense and in the axis order of the layout; a rank without elements has an array of none. Halos may be
/// wider than the part of a neighbour, and than the array. Over a communicator construction, update, begin, end and
/// add_back are collective, and errors are thrown on every rank. Movable, not copyable; not to be used on two threads
/// at once.
class HaloExchange {
 public:
  /// One width for each axis of `layout`, in which each rank has a box. These options may be given: processor, device,
  /// memory (device), stream, exchange, batch (fields), threads, check_calls, call_timeout; all others must have their
  /// defaults. On CPUs the exchange is p2p.
  HaloExchange(Ranks ranks, const Layout& layout, const std::vector<HaloWidth>& widths, ElementType element,
               const Options& options = {}, Corners corners = Corners::filled);
  ~HaloExchange();
  HaloExchange(HaloExchange&&) noexcept;
  HaloExchange& operator=(HaloExchange&&) noexcept;

  /// Fills the halos of the padded array `x` from the parts of their owners. GPU arrays lie in device memory; with a
  /// stream of the caller's the call returns when its work is enqueued.
  void update(void* x) { update(std::span<void* const>(&x, 1)); }
  /// The same for any number of members: an array for each.
  void update(std::span<void* const> x);
  /// update() in two halves. Until end() a rank may read its part, and write it farther from its faces than the widths
  /// of its neighbours. On GPUs begin() enqueues all of it. Throws Error(invalid_argument) on all ranks if a begin()
  /// has no end() yet; end() without a begin() throws on the rank that calls it.
  void begin(void* x);
  void end();
  /// The adjoint of update(): adds each halo to the parts that it was filled from, and makes it 0. Elements beyond the
  /// ends of axes that are not periodic stay unchanged. The sums have the same order in every run. On GPUs the call
  /// waits for its end.
  void add_back(void* x) { add_back(std::span<void* const>(&x, 1)); }
  /// The same for any number of members: an array for each.
  void add_back(std::span<void* const> x);

  /// As above, for vectors and spans; throws Error if they have other elements, or too few.
  template <detail::WritableElementRange Range>
  void update(Range&& x) {
    checked(Call::update, std::span(x));
  }
  template <detail::WritableElementRange Range>
  void begin(Range&& x) {
    checked(Call::begin, std::span(x));
  }
  template <detail::WritableElementRange Range>
  void add_back(Range&& x) {
    checked(Call::add_back, std::span(x));
  }

  /// How many of the ranks this process has.
  int members() const;
  /// The GPU of a member, -1 on CPUs, and the stream that its calls are enqueued on, null on CPUs.
  int device(int member = 0) const;
  void* stream(int member = 0) const;
  /// Elements of a member's padded array, all fields together.
  std::int64_t count(int member = 0) const;
  /// Extents of a member's padded array, of one field, an entry an axis; 0 along all axes if it has no elements.
  Shape extents(int member = 0) const;
  /// A member's part in a field of its padded array; without indices if it has none.
  Piece owned(int member = 0) const;
  /// Bytes that a member sends to others in one update(); the largest of this process's members.
  std::int64_t bytes_sent() const;
  /// The same as Plan::failed_half_way().
  bool failed_half_way() const;

 private:
  enum class Call { update, begin, add_back };
  struct Impl;
  Impl& impl() const;
  void run(Call call, void* x, const detail::ArrayFacts& facts);
  template <class T>
  void checked(Call call, std::span<T> x) {
    run(call, x.data(), detail::facts_of_span(x));
  }
  std::unique_ptr<Impl> impl_;
};

}  // namespace shardfft
