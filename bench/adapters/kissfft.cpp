// KISS FFT in one process: a mixed-radix library of few lines, in the scalar type that it was built for (single
// precision).
#include <kissfft/kiss_fftnd.h>
#include <kissfft/kiss_fftndr.h>

#include <algorithm>
#include <stdexcept>
#include <type_traits>

#include "../native/adapter_base.hpp"

namespace shardfft::bench {
namespace {

static_assert(std::is_same_v<kiss_fft_scalar, float>, "the driver knows KISS FFT in single precision");

class KissFft : public AdapterBase {
 public:
  ~KissFft() override {
    for (void* plan : {forward_, backward_}) kiss_fft_free(plan);
  }

  Description describe() const override { return description_of("kissfft", SHARDFFT_BENCH_KISSFFT_VERSION); }

  std::string refuse(const Case& wanted, int ranks) const override {
    if (wanted.real() && wanted.shape[2] % 2) return "kissfft wants an even last size for real fields";
    return refuse_by_capabilities(describe(), wanted, ranks);
  }

  void plan(const Case& wanted, MPI_Comm) override {
    real_ = wanted.real();
    field_part_ = packed_part({}, wanted.shape);
    spectrum_part_ = packed_part({}, wanted.spectrum());
    allocate(wanted, field_part_.span(), spectrum_part_.span());
    const int n[3] = {int(wanted.shape[0]), int(wanted.shape[1]), int(wanted.shape[2])};
    const auto make = [&](int inverse) -> void* {
      return real_ ? static_cast<void*>(kiss_fftndr_alloc(n, 3, inverse, nullptr, nullptr))
                   : static_cast<void*>(kiss_fftnd_alloc(n, 3, inverse, nullptr, nullptr));
    };
    forward_ = make(0);
    backward_ = make(1);
    if (!forward_ || !backward_) throw std::runtime_error("KISS FFT made no plan");
    scale_ = double(wanted.points());
  }

  void forward() override {
    if (real_)
      kiss_fftndr(static_cast<kiss_fftndr_cfg>(forward_), static_cast<float*>(field()), modes());
    else
      kiss_fftnd(static_cast<kiss_fftnd_cfg>(forward_), static_cast<kiss_fft_cpx*>(field()), modes());
  }
  void backward() override {
    if (real_)
      kiss_fftndri(static_cast<kiss_fftndr_cfg>(backward_), modes(), static_cast<float*>(field()));
    else
      kiss_fftnd(static_cast<kiss_fftnd_cfg>(backward_), modes(), static_cast<kiss_fft_cpx*>(field()));
  }

 private:
  kiss_fft_cpx* modes() { return static_cast<kiss_fft_cpx*>(spectrum()); }

  void* forward_ = nullptr;
  void* backward_ = nullptr;
  bool real_ = false;
};

}  // namespace

std::unique_ptr<Adapter> make_adapter() { return std::make_unique<KissFft>(); }

}  // namespace shardfft::bench
