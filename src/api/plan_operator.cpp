// Plan::apply and Plan::convolution: a spectrum times factors, between forward and backward.
#include <algorithm>
#include <iterator>
#include <optional>

#include "api/plan_impl.hpp"
#include "base/aligned.hpp"
#include "base/check.hpp"
#include "base/words.hpp"
#include "gpu/run/make.hpp"
#include "mpi/kept_for_mpi.hpp"

namespace shardfft {

namespace {

void refuse_spectra(const Transform& transform) {
  if (transform.kind == Kind::c2r)
    fail(Status::unsupported,
         "operators are for c2c, r2c and r2r plans: the input of a c2r plan is a spectrum already");
}

void refuse_cosines(const Side& spectrum) {
  for (const int axis : spectrum.axes)
    if (spectrum.transform_of(axis) != AxisTransform::fft)
      fail(Status::unsupported,
           "convolutions are for Fourier transforms along all axes: the product of two spectra of ",
           to_text(spectrum.transform_of(axis)), ", along axis ", axis, ", is no convolution");
}

/// Multiplies the numbers of an array.
void scale(std::byte* data, std::int64_t count, ElementType element, double factor) {
  const std::int64_t reals = count * (element.is_complex ? 2 : 1);
  for (std::int64_t i = 0; i < reals; ++i)
    if (element.precision == Precision::f64)
      reinterpret_cast<double*>(data)[i] *= factor;
    else
      reinterpret_cast<float*>(data)[i] *= static_cast<float>(factor);
}

/// Texts are compiled for the GPU that will run them: their errors are known before the call begins.
void prepare(const SpectralFactors& factors, Place place, const MemberPlace& member, ElementType element) {
  if (!factors.has_texts()) return;
  if (place == Place::cpu)
    fail(Status::unsupported, "an operator of CUDA source text is for plans on GPUs: on CPUs take of_wavenumbers or ",
         "of_indices");
  gpu::prepare_operator(member, factors, element);
}

}  // namespace

/// A function is called once for each mode, and its factors are kept as long as the operator lives.
const Plan::Impl::Known& Plan::Impl::factors_of(const Operator& op) {
  require(op.rep() != nullptr, "this operator was moved from");
  std::erase_if(known_, [](const Known& known) { return known.rep.expired(); });
  for (const Known& known : known_)
    if (known.rep.lock() == op.rep()) return known;
  Known known{op.rep(), {}, 0};
  for (int m = 0; m < members(); ++m) {
    const Sides& mine = at(m);
    auto& made = known.factors[mine.output.rank] = op.rep()->factors({mine.input, mine.output, m, members()});
    prepare(*made, place(), runner->member(m), mine.output.element);
    known.mark = made->mark();
  }
  known_.push_back(std::move(known));
  return known_.back();
}

void Plan::Impl::begin_late(Late& late, const std::function<NamedProgram()>& make, InputArrays in, OutputArrays out,
                            const std::function<std::uint64_t()>& prepare) {
  const bool first = late.number == 0;
  std::uint64_t given = 0;
  const Failure failure = failure_of([&] {
    given = prepare();
    if (!first) runner->check_arrays(late.number, in, out);
  });
  enter(late.call, failure, first, given);
  if (!first) return;
  const int next = narrow(std::ssize(runner->programs()), "programs");
  runner->add({make()});
  late.number = next;
  together([&] { runner->check_arrays(next, in, out); });
}

void Plan::Impl::apply(const Operator& op, InputArrays in, OutputArrays out, const CallFacts& facts) {
  FactorsInUse factors;
  const auto prepare = [&] {
    refuse_spectra(transform);
    check(both_ways, in, out, facts);
    const Known& known = factors_of(op);
    factors = known.factors;
    return known.mark;
  };
  begin_late(
      apply_, [&] { return make_apply(spec, runner->programs(), OperatorStep{in_use_}); }, in, out, prepare);
  *in_use_ = std::move(factors);
  start(apply_.number, in, out);
}

void Plan::Impl::adjoint(Direction of, InputArrays in, OutputArrays out) {
  const Failure failure =
      failure_of([&] { require_known("the direction", of, Direction::backward, "forward, backward"); });
  if (failure.failed()) enter(Call::adjoint, failure);
  const bool forward = of == Direction::forward;
  const int like = forward ? backward_program : forward_program;
  const NamedProgram& own = runner->programs()[forward ? forward_program : backward_program];
  const NamedProgram& other = runner->programs()[forward ? backward_program : forward_program];
  if (own.scale == other.scale) return run(like, in, out);
  Late& late = adjoints_[forward ? 0 : 1];
  const auto make = [&] { return NamedProgram{"adjoint of " + own.name, other.program, own.scale}; };
  const auto prepare = [&] {
    check(like, in, out, {});
    return std::uint64_t{0};
  };
  begin_late(late, make, in, out, prepare);
  start(late.number, in, out);
}

/// The factors are the kernel's spectrum without the factor of the plan's norm. They lie on the host; a GPU leaves the
/// spectrum in an array that the plan's option `memory` allows, and it is fetched from there.
Operator Plan::Impl::convolution(InputArrays kernel, const detail::ArrayFacts& facts) {
  const bool fetched = place() != Place::cpu;
  std::vector<FactorArray> spectra;
  std::vector<std::shared_ptr<std::byte>> factors;
  std::vector<std::shared_ptr<void>> arrays;
  std::vector<std::byte*> to;
  std::optional<Operator> made;
  const Failure failure = failure_of([&] {
    refuse_spectra(transform);
    refuse_cosines(at(0).output);
    for (int m = 0; m < members(); ++m) {
      const Side& side = at(m).output;
      factors.push_back(allocate_aligned(side.bytes()));
      arrays.push_back(fetched && side.bytes() > 0 ? runner->allocate(m, side.bytes()) : factors.back());
      to.push_back(static_cast<std::byte*>(arrays.back().get()));
      spectra.push_back({factors.back(), side.count()});
    }
    made = operator_of_arrays(at(0).output.element, spectra);
    check(forward_program, kernel, to, {facts, {}});
    runner->check_arrays(forward_program, kernel, to);
  });
  enter(Call::convolution, failure);
  try {
    start(forward_program, kernel, to);
  } catch (...) {
    if (runner->half_way())
      for (const std::shared_ptr<void>& array : arrays) keep_for_mpi(array);
    throw;
  }
  for (int m = 0; m < members(); ++m) {
    const auto i = static_cast<std::size_t>(m);
    if (fetched) attempt([&] { gpu::fetch(runner->member(m), to[i], factors[i].get(), at(m).output.bytes()); });
    scale(factors[i].get(), spectra[i].count, at(m).output.element, 1 / runner->programs()[forward_program].scale);
  }
  return *std::move(made);
}

}  // namespace shardfft
