// What the adapters of heFFTe on CPUs and on GPUs share: boxes, options, and calls bound to arrays. Its index 0 is the
// fastest, our axis 2; so boxes are handed over reversed.
#pragma once

#include <heffte.h>

#include <functional>

#include "../native/adapter_base.hpp"

namespace shardfft::bench {

inline const char* const heffte_algorithms[] = {"alltoallv", "alltoall", "p2p_plined", "p2p"};

inline heffte::box3d<> heffte_box(const Part& part) {
  std::array<int, 3> low{}, high{};
  for (int axis = 0; axis < 3; ++axis) {
    low[2 - axis] = int(part.lower[axis]);
    high[2 - axis] = int(part.lower[axis] + part.count[axis] - 1);
  }
  return {low, high};
}

template <class Backend>
heffte::plan_options heffte_options(const Case& wanted) {
  auto options = heffte::default_options<Backend>();
  options.use_reorder = wanted.options.value("reorder", options.use_reorder);
  options.use_pencils = wanted.options.value("pencils", wanted.layout != LayoutKind::slab);
  const std::string name = wanted.options.value("algorithm", "alltoallv");
  options.algorithm = name == "alltoall"     ? heffte::reshape_algorithm::alltoall
                      : name == "p2p_plined" ? heffte::reshape_algorithm::p2p_plined
                      : name == "p2p"        ? heffte::reshape_algorithm::p2p
                                             : heffte::reshape_algorithm::alltoallv;
  return options;
}

// A plan's two calls on fixed arrays.
struct HeffteCalls {
  std::function<void()> forward, backward;
};

// The workspace is ours, so that no call allocates.
template <class Value, class Complex, class Plan>
HeffteCalls heffte_calls(const std::shared_ptr<Plan>& plan, void* field, void* spectrum) {
  auto workspace = std::make_shared<typename Plan::template buffer_container<Complex>>(plan->size_workspace());
  auto* values = static_cast<Value*>(field);
  auto* modes = static_cast<Complex*>(spectrum);
  return {[=] { plan->forward(values, modes, workspace->data()); },
          [=] { plan->backward(modes, values, workspace->data()); }};
}

// Of Fourier transforms, complex or real by the case.
template <class Backend>
HeffteCalls make_heffte(const Case& wanted, const SideParts& parts, const heffte::plan_options& options, MPI_Comm comm,
                        void* field, void* spectrum) {
  const auto in = heffte_box(parts.field), out = heffte_box(parts.spectrum);
  using Single = std::complex<float>;
  using Double = std::complex<double>;
  if (wanted.real()) {
    const auto plan = std::make_shared<heffte::fft3d_r2c<Backend>>(in, out, 0, comm, options);
    return wanted.single() ? heffte_calls<float, Single>(plan, field, spectrum)
                           : heffte_calls<double, Double>(plan, field, spectrum);
  }
  const auto plan = std::make_shared<heffte::fft3d<Backend>>(in, out, comm, options);
  return wanted.single() ? heffte_calls<Single, Single>(plan, field, spectrum)
                         : heffte_calls<Double, Double>(plan, field, spectrum);
}

}  // namespace shardfft::bench
