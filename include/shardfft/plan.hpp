#pragma once
// The plan, the object that users hold.
#include <mpi.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "shardfft/buffer.hpp"
#include "shardfft/error.hpp"
#include "shardfft/layout.hpp"
#include "shardfft/operator.hpp"
#include "shardfft/options.hpp"
#include "shardfft/ranks.hpp"
#include "shardfft/report.hpp"
#include "shardfft/side.hpp"
#include "shardfft/typed_array.hpp"
#include "shardfft/types.hpp"

namespace shardfft {

/// The layout whose rank r owns the index set that rank r passes as `mine` (a box or any other; empty is allowed).
/// Collective; throws Error on every rank if the sets do not tile the array.
Layout gather_layout(MPI_Comm comm, const Shape& shape, const IndexSet& mine, const AxisOrder& order = {});

/// A distributed transform, planned once and run many times. This process has some of its ranks, the plan's members:
/// one of a communicator, or all of a list of devices. Over a communicator construction, destruction, forward, backward
/// and functions marked "Collective" are collective, and planning errors are thrown on every rank. Plans are movable,
/// not copyable. One plan must not run on two threads at once, nor may two graphs that captured its calls. After a plan
/// was moved from, all its functions throw Error; after MPI ended, all except the destructor do.
class Plan {
 public:
  /// Transforms arrays in `input` layout; the output layout is that of the algorithm's last stage, or has the input's
  /// own cuts with `natural_output`. For r2c `input` is the real array; for c2r it is the half spectrum. Plans over
  /// devices run on GPUs for any options.processor.
  Plan(Ranks ranks, Transform transform, const Layout& input, OutputLayout output = default_output,
       const Options& options = {});
  /// Any input layout to any output layout. For r2c, the output's shape is the input's with the halved axis n -> n/2+1.
  Plan(Ranks ranks, Transform transform, const Layout& input, const Layout& output, const Options& options = {});
  ~Plan();
  Plan(Plan&&) noexcept;
  Plan& operator=(Plan&&) noexcept;

  /// Transform `in` (input().bytes()) into `out` (output().bytes()). Equal pointers are allowed if the buffer holds
  /// in_place_bytes(); if that is more than the input has, they are refused unless Options::in_place is set. Other
  /// overlaps are refused. `in` is otherwise unchanged, except by c2r with Options::overwrite_input.
  void forward(const void* in, void* out);
  /// The inverse, from the output's layout to the input's.
  void backward(const void* in, void* out);

  /// As above, for plans of any number of members: in[m] (input(m).bytes()) into out[m].
  void forward(std::span<const void* const> in, std::span<void* const> out);
  void backward(std::span<const void* const> in, std::span<void* const> out);

  /// As above, for pointers to float, double or std::complex: throws Error(invalid_argument) unless they are of the
  /// plan's element types. Pointers to other types do not compile; cast them to void*.
  template <detail::Pointee In, detail::Pointee Out>
  void forward(const In* in, Out* out) {
    run(Direction::forward, in, out, detail::facts_of_pointer<In>(), detail::facts_of_pointer<Out>());
  }
  template <detail::Pointee In, detail::Pointee Out>
  void backward(const In* in, Out* out) {
    run(Direction::backward, in, out, detail::facts_of_pointer<In>(), detail::facts_of_pointer<Out>());
  }
  template <class In, class Out>
  void forward(const In* in, Out* out) = delete;
  template <class In, class Out>
  void backward(const In* in, Out* out) = delete;

  /// As above, for vectors, spans and other contiguous ranges; throws Error also if an array has fewer elements than
  /// input().count() or output().count().
  template <class In, detail::WritableElementRange Out>
  requires detail::ElementRange<const In>
  void forward(const In& in, Out&& out) { run_spans(Direction::forward, std::span(in), std::span(out)); }
  template <class In, detail::WritableElementRange Out>
  requires detail::ElementRange<const In>
  void backward(const In& in, Out&& out) { run_spans(Direction::backward, std::span(in), std::span(out)); }

  /// `in` transformed forward, multiplied by the operator's factors in place, and transformed backward into `out`: one
  /// program, without an exchange between the transforms. Both arrays are like input(); they may be one. With every
  /// norm the factor 1 gives `in` back. For c2c, r2c and r2r plans; the first call makes the program, which may need
  /// more workspace than forward and backward. Throws Error(invalid_argument) if the operator does not fit the plan.
  /// Collective: every rank gives an operator with the factors of its own modes.
  void apply(const Operator& op, const void* in, void* out);
  void apply(const Operator& op, std::span<const void* const> in, std::span<void* const> out);
  template <detail::Pointee In, detail::Pointee Out>
  void apply(const Operator& op, const In* in, Out* out) {
    run_apply(op, in, out, detail::facts_of_pointer<In>(), detail::facts_of_pointer<Out>());
  }
  template <class In, class Out>
  void apply(const Operator& op, const In* in, Out* out) = delete;
  template <class In, detail::WritableElementRange Out>
  requires detail::ElementRange<const In>
  void apply(const Operator& op, const In& in, Out&& out) {
    const auto from = std::span(in);
    const auto to = std::span(out);
    run_apply(op, from.data(), to.data(), detail::facts_of_span(from), detail::facts_of_span(to));
  }
  /// The other direction with the factor of this one, in[m] to out[m] for all members: the adjoint of forward (or of
  /// backward). A half spectrum stands for conjugate modes too, and some cosine axes weigh their ends: there the
  /// adjoint needs weights around this call. The first call makes a program. Collective.
  void adjoint(Direction of, std::span<const void* const> in, std::span<void* const> out);

  /// The operator that convolves with `kernel`, an array like input(): the sum over all j of kernel[j] in[i - j],
  /// indices modulo the extents along the transformed axes, field by field. It holds the kernel's spectrum, which is
  /// computed here, and is for plans that leave spectra in the same layout. Collective.
  Operator convolution(const void* kernel);
  Operator convolution(std::span<const void* const> kernels);
  template <detail::Pointee T>
  Operator convolution(const T* kernel) {
    return make_convolution(kernel, detail::facts_of_pointer<T>());
  }
  template <detail::ElementRange Range>
  Operator convolution(const Range& kernel) {
    return make_convolution(std::span(kernel).data(), detail::facts_of_span(std::span(kernel)));
  }

  /// For a rank that cannot take part in the other ranks' forward, backward or apply: all ranks throw
  /// Error(invalid_argument) with `why`. Collective with their call. With check_calls = false only the first run can be
  /// refused this way; in later runs only this rank throws, and the others wait.
  [[noreturn]] void refuse(const std::string& why);
  /// Whether a call failed in its middle on this rank. MPI may still read and write the arrays of that call and the
  /// caller's workspace, which must live until MPI ends; later calls are refused.
  bool failed_half_way() const;

  /// Number of ranks of the layouts, and how many of them this process has.
  int ranks() const;
  int members() const;
  const Side& input(int member = 0) const;
  const Side& output(int member = 0) const;
  /// The GPU of a member; -1 for plans on CPUs.
  int device(int member = 0) const;
  /// The stream (a cudaStream_t) that a member's calls are enqueued on: the caller's, or the plan's own; null for plans
  /// on CPUs. Work that a call must wait for can be enqueued here too.
  void* stream(int member = 0) const;
  /// GPUs: from now on calls are enqueued on these streams (a cudaStream_t each), one for each member, and return at
  /// once, unless an array lies in plain host memory. Null, or an empty span: the plan's own streams, and calls return
  /// when the results are there. Collective.
  void set_streams(std::span<void* const> streams);
  /// Bytes that a buffer must hold to be a member's input and output at once: those of the larger side. With
  /// Options::workspace least the array may be even larger in between.
  std::size_t in_place_bytes(int member = 0) const;
  /// Bytes that runs take beside the arrays, of the member that needs most: all memory that this library allocates for
  /// running, except memory that ranks share (PlanReport::window_bytes). Nothing is allocated before the first run. The
  /// first call with equal pointers on a plan without Options::in_place may add a copy of the input, and on GPUs calls
  /// with host arrays add copies of them: set_workspace() need not hold these.
  std::size_t workspace_bytes() const;
  /// Use the caller's memory (aligned to 64 bytes, on GPUs to 256; at least workspace_bytes()) instead of allocating.
  /// It must outlive the plan, on GPUs the plans of all ranks. For plans of one member.
  void set_workspace(void* memory, std::size_t bytes);
  /// A member's array of input(member).bytes() or output(member).bytes(), in memory that exchanges reach without a copy
  /// (on GPUs that of options.memory), not initialised; with Options::workspace least it has in_place_bytes().
  /// Collective; dropping it is not.
  Buffer allocate_input(int member = 0);
  Buffer allocate_output(int member = 0);
  /// All choices of the plan, as Options::way takes them. Collective.
  std::string way() const;
  /// Program, strategies, bytes of every step, memory; after runs the time of every step. Collective.
  PlanReport report() const;

 private:
  void run(Direction direction, const void* in, void* out, const detail::ArrayFacts& about_in,
           const detail::ArrayFacts& about_out);
  void run_apply(const Operator& op, const void* in, void* out, const detail::ArrayFacts& about_in,
                 const detail::ArrayFacts& about_out);
  Operator make_convolution(const void* kernel, const detail::ArrayFacts& about);
  template <class In, class Out>
  void run_spans(Direction direction, In in, Out out) {
    run(direction, in.data(), out.data(), detail::facts_of_span(in), detail::facts_of_span(out));
  }

  friend class ImaginedPlan;
  struct Impl;
  Impl& impl() const;
  std::unique_ptr<Impl> impl_;
};

}  // namespace shardfft
