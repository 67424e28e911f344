#pragma once
// Arrays change their layout without a transform.
#include <mpi.h>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "shardfft/buffer.hpp"
#include "shardfft/layout.hpp"
#include "shardfft/options.hpp"
#include "shardfft/ranks.hpp"
#include "shardfft/typed_array.hpp"

namespace shardfft {

/// Moves arrays of any elements from one layout to another, planned once: arrays of the processes of a communicator, on
/// CPUs or with a GPU each, or of several GPUs of this process, which needs no MPI. This process has some of the ranks,
/// its members: one of a communicator, or all of a list of devices. Over a communicator construction, destruction,
/// forward, backward, set_streams and allocate_* are collective, and errors of construction are thrown on every rank.
/// Movable, not copyable; not to be run on two threads at once.
class Redistribution {
 public:
  /// Elements of `element_bytes` each (the size of a number, a struct, ...). Both layouts have the same shape. These
  /// options may be given: processor, device, memory, stream, exchange, batch, threads (on CPUs), check_calls,
  /// call_timeout, trace; all others must have their defaults.
  Redistribution(Ranks ranks, const Layout& from, const Layout& to, std::size_t element_bytes,
                 const Options& options = {});
  ~Redistribution();
  Redistribution(Redistribution&&) noexcept;
  Redistribution& operator=(Redistribution&&) noexcept;

  /// Moves `in` in layout `from` to `out` in layout `to`. The arrays must not overlap, unless they are one that holds
  /// both (on GPUs the input is then copied). Throws Error(invalid_argument) on all ranks if a pointer is null on one.
  void forward(const void* in, void* out);
  /// The way back, from `to` to `from`.
  void backward(const void* in, void* out);

  /// As above, for any number of members: in[m] into out[m].
  void forward(std::span<const void* const> in, std::span<void* const> out);
  void backward(std::span<const void* const> in, std::span<void* const> out);

  /// As above, for vectors and spans; throws Error if their elements have another size, or are too few.
  template <class In, detail::WritableElementRange Out>
  requires detail::ElementRange<const In>
  void forward(const In& in, Out&& out) { run_spans(true, std::span(in), std::span(out)); }
  template <class In, detail::WritableElementRange Out>
  requires detail::ElementRange<const In>
  void backward(const In& in, Out&& out) { run_spans(false, std::span(in), std::span(out)); }

  /// How many of the ranks this process has.
  int members() const;
  /// Elements of a member's array before and after `forward`, all fields together.
  std::int64_t input_count(int member = 0) const;
  std::int64_t output_count(int member = 0) const;
  /// The GPU of a member, -1 on CPUs, and the stream that its calls are enqueued on, null on CPUs.
  int device(int member = 0) const;
  void* stream(int member = 0) const;
  /// The same as Plan::set_streams().
  void set_streams(std::span<void* const> streams);
  /// Bytes that runs take beside the arrays, of the member that needs most, as Plan::workspace_bytes.
  std::size_t workspace_bytes() const;
  /// Bytes that a member sends to others in one `forward`; the largest of this process's members.
  std::int64_t bytes_sent() const;
  /// As Plan::failed_half_way: whether a call failed in its middle on this rank. MPI may still read and write the
  /// arrays of that call, which must live until MPI ends; later calls are refused.
  bool failed_half_way() const;
  /// A member's array, as Plan::allocate_input and Plan::allocate_output.
  Buffer allocate_input(int member = 0);
  Buffer allocate_output(int member = 0);
  /// The name of the exchange that moves the data.
  const std::string& exchange() const;

 private:
  struct Impl;
  Impl& impl() const;
  void run(bool forward, const void* in, void* out, const detail::ArrayFacts& about_in,
           const detail::ArrayFacts& about_out);
  template <class In, class Out>
  void run_spans(bool forward, In in, Out out) {
    run(forward, in.data(), out.data(), detail::facts_of_span(in), detail::facts_of_span(out));
  }

  std::unique_ptr<Impl> impl_;
};

/// The same for one array: `in` has from.count(rank) elements, `out` to.count(rank). Collective.
void redistribute(MPI_Comm comm, const Layout& from, const Layout& to, std::size_t element_bytes, const void* in,
                  void* out, const Options& options = {});

/// Takes this rank's part of an array in layout `from`, and returns its part in layout `to`. Collective.
template <detail::ElementRange Range>
auto redistribute(MPI_Comm comm, const Layout& from, const Layout& to, const Range& in, const Options& options = {}) {
  std::vector<typename detail::SpanOf<const Range>::value_type> out;
  Redistribution planned(comm, from, to, sizeof out[0], options);
  out.resize(static_cast<std::size_t>(planned.output_count()));
  try {
    planned.forward(in, out);
  } catch (...) {
    if (planned.failed_half_way()) static_cast<void>(new auto(std::move(out)));  // never deleted: MPI may write into it
    throw;
  }
  return out;
}

}  // namespace shardfft
