// FFTW in one process, with threads: a floor for the distributed libraries, not a rival.
#include <stdexcept>

#include "../native/adapter_base.hpp"
#include "fftw_api.hpp"

namespace shardfft::bench {
namespace {

class Fftw : public AdapterBase {
 public:
  Description describe() const override { return description_of("fftw", fftw_version_text()); }

  void plan(const Case& wanted, MPI_Comm) override {
    const auto reals = wanted.in_place() && wanted.halves() ? 2 * wanted.spectrum()[2] : wanted.shape[2];
    field_part_ = packed_part({}, {wanted.shape[0], wanted.shape[1], wanted.real() ? reals : wanted.shape[2]});
    field_part_.count = wanted.shape;
    spectrum_part_ = packed_part({}, wanted.spectrum());
    allocate(wanted, field_part_.stride[0] * wanted.shape[0], spectrum_part_.span());
    scale_ = wanted.scale();
    wanted.single() ? make(single_, wanted) : make(double_, wanted);
  }

  void forward() override { single_.forward ? fftwf_execute(single_.forward) : fftw_execute(double_.forward); }
  void backward() override { single_.backward ? fftwf_execute(single_.backward) : fftw_execute(double_.backward); }

 private:
  template <class Real>
  void make(FftwPlans<Real>& plans, const Case& wanted) {
    using Api = FftwApi<Real>;
    Api::init_threads();
    Api::with_threads(wanted.threads);
    // Either direction may destroy its source: FFTW is told, and may choose among more plans.
    const unsigned effort = fftw_effort(wanted.effort) | FFTW_DESTROY_INPUT;
    auto* complex_field = static_cast<typename Api::Complex*>(field());
    auto* complex_spectrum = static_cast<typename Api::Complex*>(spectrum());
    auto* reals = static_cast<Real*>(field());
    const int n[3] = {int(wanted.shape[0]), int(wanted.shape[1]), int(wanted.shape[2])};
    if (wanted.real_spectrum()) {
      auto* modes = static_cast<Real*>(spectrum());
      const auto make = [&](Real* in, Real* out, bool to) {
        return Api::r2r(n[0], n[1], n[2], in, out, fftw_kind(wanted, 0, to), fftw_kind(wanted, 1, to),
                        fftw_kind(wanted, 2, to), effort);
      };
      plans.forward = make(reals, modes, true);
      plans.backward = make(modes, reals, false);
    } else if (!wanted.real()) {
      plans.forward = Api::c2c(n[0], n[1], n[2], complex_field, complex_spectrum, FFTW_FORWARD, effort);
      plans.backward = Api::c2c(n[0], n[1], n[2], complex_spectrum, complex_field, FFTW_BACKWARD, effort);
    } else {
      const int padded[3] = {n[0], n[1], int(field_part_.stride[1])}, halved[3] = {n[0], n[1], n[2] / 2 + 1};
      plans.forward = Api::r2c(3, n, 1, reals, padded, 1, 0, complex_spectrum, halved, 1, 0, effort);
      plans.backward = Api::c2r(3, n, 1, complex_spectrum, halved, 1, 0, reals, padded, 1, 0, effort);
    }
    if (!plans.forward || !plans.backward) throw std::runtime_error("FFTW made no plan");
  }

  FftwPlans<double> double_;
  FftwPlans<float> single_;
};

}  // namespace

std::unique_ptr<Adapter> make_adapter() { return std::make_unique<Fftw>(); }

}  // namespace shardfft::bench
