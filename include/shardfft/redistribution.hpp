#pragma once
// Arrays change their layout without a transform.
#include <mpi.h>

#include <memory>
#include <vector>

#include "shardfft/layout.hpp"
#include "shardfft/options.hpp"
#include "shardfft/typed_array.hpp"

namespace shardfft {

/// Moves arrays of any elements from one layout of the ranks of a communicator to another, planned once. On CPUs.
/// Construction, destruction, forward and backward are collective, and errors of construction are thrown on every rank.
/// Movable, not copyable; not to be run on two threads at once.
class Redistribution {
 public:
  /// Elements of `element_bytes` each (the size of a number, a struct, ...). Both layouts are of one shape. Of the
  /// options those count that say how data moves: exchange, batch, threads, check_calls, call_timeout, trace; others
  /// must have their defaults.
  Redistribution(MPI_Comm comm, const Layout& from, const Layout& to, std::size_t element_bytes,
                 const Options& options = {});
  ~Redistribution();
  Redistribution(Redistribution&&) noexcept;
  Redistribution& operator=(Redistribution&&) noexcept;

  /// `in` as `from` has it into `out` as `to` has it; the arrays lie apart, or are one that holds both. Throws
  /// Error(invalid_argument) on all ranks where a pointer is null on one.
  void forward(const void* in, void* out);
  /// From `to` to `from`.
  void backward(const void* in, void* out);

  /// As above, for vectors and spans: throws Error where their elements have another size, or are too few.
  template <class In, detail::WritableElementRange Out>
  requires detail::ElementRange<const In>
  void forward(const In& in, Out&& out) { run_spans(true, std::span(in), std::span(out)); }
  template <class In, detail::WritableElementRange Out>
  requires detail::ElementRange<const In>
  void backward(const In& in, Out&& out) { run_spans(false, std::span(in), std::span(out)); }

  /// Elements of this rank's array before and after `forward`, all fields together.
  std::int64_t input_count() const;
  std::int64_t output_count() const;
  /// Bytes that this rank sends to others in one `forward`.
  std::int64_t bytes_sent() const;
  /// By which exchange data moves.
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

/// The same once. Collective.
void redistribute(MPI_Comm comm, const Layout& from, const Layout& to, std::size_t element_bytes, const void* in,
                  void* out, const Options& options = {});

/// This rank's part of an array in layout `to`, of its part in layout `from`. Collective.
template <detail::ElementRange Range>
auto redistribute(MPI_Comm comm, const Layout& from, const Layout& to, const Range& in, const Options& options = {}) {
  std::vector<typename detail::SpanOf<const Range>::value_type> out;
  Redistribution planned(comm, from, to, sizeof out[0], options);
  out.resize(static_cast<std::size_t>(planned.output_count()));
  planned.forward(in, out);
  return out;
}

}  // namespace shardfft
