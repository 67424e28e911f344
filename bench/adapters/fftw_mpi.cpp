// FFTW's own MPI transforms: slabs along axis 0; the spectrum in slabs along axis 1 (transposed) or, when the case
// wants it natural, back along axis 0.
#include <fftw3-mpi.h>

#include <stdexcept>

#include "../native/adapter_base.hpp"
#include "fftw_api.hpp"
#include "fftw_local.hpp"

namespace shardfft::bench {
namespace {

template <class Real>
struct MpiApi;
template <>
struct MpiApi<double> {
  static constexpr auto init = fftw_mpi_init;
  static constexpr auto size = fftw_mpi_local_size_3d_transposed;
  static constexpr auto c2c = fftw_mpi_plan_dft_3d;
  static constexpr auto r2c = fftw_mpi_plan_dft_r2c_3d;
  static constexpr auto c2r = fftw_mpi_plan_dft_c2r_3d;
  static constexpr auto r2r = fftw_mpi_plan_r2r_3d;
};
template <>
struct MpiApi<float> {
  static constexpr auto init = fftwf_mpi_init;
  static constexpr auto size = fftwf_mpi_local_size_3d_transposed;
  static constexpr auto c2c = fftwf_mpi_plan_dft_3d;
  static constexpr auto r2c = fftwf_mpi_plan_dft_r2c_3d;
  static constexpr auto c2r = fftwf_mpi_plan_dft_c2r_3d;
  static constexpr auto r2r = fftwf_mpi_plan_r2r_3d;
};

class FftwMpi : public AdapterBase {
 public:
  Description describe() const override {
    return description_of("fftw-mpi", fftw_version_text(), {{"keep_input", {false, true}}});
  }

  void plan(const Case& wanted, MPI_Comm comm) override {
    scale_ = wanted.scale();
    wanted.single() ? make(single_, wanted, comm) : make(double_, wanted, comm);
  }

  void forward() override { single_.forward ? fftwf_execute(single_.forward) : fftw_execute(double_.forward); }
  void backward() override { single_.backward ? fftwf_execute(single_.backward) : fftw_execute(double_.backward); }
  std::function<void()> local_ffts(const Case& wanted, MPI_Comm) override {
    if (wanted.real_spectrum()) return {};
    return wanted.single() ? fftw_slab_ffts<float>(wanted, field_part_, spectrum_part_)
                           : fftw_slab_ffts<double>(wanted, field_part_, spectrum_part_);
  }

 private:
  template <class Real>
  void make(FftwPlans<Real>& plans, const Case& wanted, MPI_Comm comm) {
    using Api = FftwApi<Real>;
    using Mpi = MpiApi<Real>;
    Api::init_threads();
    Mpi::init();
    Api::with_threads(wanted.threads);
    const auto [n0, n1, n2] = wanted.shape;
    const auto last = wanted.spectrum()[2];
    std::ptrdiff_t planes, first, rows, first_row;
    const auto room = Mpi::size(n0, n1, last, comm, &planes, &first, &rows, &first_row);
    // FFTW wants real rows padded to the length of their halved spectrum, out of place too.
    field_part_ = packed_part({first, 0, 0}, {planes, n1, wanted.halves() ? 2 * last : n2});
    field_part_.count[2] = n2;
    spectrum_part_ = wanted.natural() ? packed_part({first, 0, 0}, {planes, n1, last})
                                      : packed_part({0, first_row, 0}, {n0, rows, last}, {1, 0, 2});
    allocate(wanted, wanted.real() ? 2 * room : room, room);
    auto* complex_field = static_cast<typename Api::Complex*>(field());
    auto* complex_spectrum = static_cast<typename Api::Complex*>(spectrum());
    auto* reals = static_cast<Real*>(field());
    // Either direction may destroy its source: FFTW is told, and may choose among more plans, unless the case keeps it.
    const bool keep = wanted.options.value("keep_input", false);
    const unsigned effort = fftw_effort(wanted.effort) | (keep ? FFTW_PRESERVE_INPUT : FFTW_DESTROY_INPUT);
    const unsigned to = effort | (wanted.natural() ? 0u : FFTW_MPI_TRANSPOSED_OUT);
    const unsigned back = effort | (wanted.natural() ? 0u : FFTW_MPI_TRANSPOSED_IN);
    if (wanted.real_spectrum()) {
      auto* modes = static_cast<Real*>(spectrum());
      const auto make = [&](Real* in, Real* out, bool forward, unsigned flags) {
        return Mpi::r2r(n0, n1, n2, in, out, comm, fftw_kind(wanted, 0, forward), fftw_kind(wanted, 1, forward),
                        fftw_kind(wanted, 2, forward), flags);
      };
      plans.forward = make(reals, modes, true, to);
      plans.backward = make(modes, reals, false, back);
    } else if (!wanted.real()) {
      plans.forward = Mpi::c2c(n0, n1, n2, complex_field, complex_spectrum, comm, FFTW_FORWARD, to);
      plans.backward = Mpi::c2c(n0, n1, n2, complex_spectrum, complex_field, comm, FFTW_BACKWARD, back);
    } else {
      plans.forward = Mpi::r2c(n0, n1, n2, reals, complex_spectrum, comm, to);
      plans.backward = Mpi::c2r(n0, n1, n2, complex_spectrum, reals, comm, back);
    }
    if (!plans.forward || !plans.backward) throw std::runtime_error("FFTW made no plan");
  }

  FftwPlans<double> double_;
  FftwPlans<float> single_;
};

}  // namespace

std::unique_ptr<Adapter> make_adapter() { return std::make_unique<FftwMpi>(); }

}  // namespace shardfft::bench
