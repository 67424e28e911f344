// heFFTe on CPUs: any boxes in and out.
#include <dlfcn.h>

#include <stdexcept>

#include "heffte_common.hpp"

namespace shardfft::bench {
namespace {

class HeFfte : public AdapterBase {
 public:
  Description describe() const override {
    Description all = description_of("heffte", SHARDFFT_BENCH_HEFFTE_VERSION,
                                     {{"backend", backends()},
                                      {"algorithm", heffte_algorithms},
                                      {"reorder", {true, false}},
                                      {"pencils", {true, false}}});
    if (!backend_.empty()) all.backend = backend_;
    return all;
  }

  std::string refuse(const Case& wanted, int ranks) const override {
    if (wanted.real_spectrum()) {
      const AxisKind kind = wanted.axis_kind(0);
      const bool alike = kind == wanted.axis_kind(1) && kind == wanted.axis_kind(2);
      if (!alike || (kind != AxisKind::dct2 && kind != AxisKind::dst2))
        return "heffte wants one cosine or sine transform of type 2 for all axes";
    }
    return refuse_by_capabilities(describe(), wanted, ranks);
  }

  void plan(const Case& wanted, MPI_Comm comm) override {
    parts_ = side_parts(wanted, comm);
    field_part_ = parts_.field;
    spectrum_part_ = parts_.spectrum;
    allocate(wanted, field_part_.volume(), spectrum_part_.volume());
    scale_ = wanted.scale();
    const std::string backend = wanted.options.value("backend", backends().front().get<std::string>());
#ifdef Heffte_ENABLE_MKL
    if (backend == "mkl") {
      backend_ = "MKL";
      make<heffte::backend::mkl, heffte::backend::mkl_cos, heffte::backend::mkl_sin>(wanted, comm);
    }
#endif
#ifdef Heffte_ENABLE_FFTW
    if (backend == "fftw") {
      backend_ = "FFTW in " + library_of(reinterpret_cast<void*>(&fftw_plan_many_dft));
      make<heffte::backend::fftw, heffte::backend::fftw_cos, heffte::backend::fftw_sin>(wanted, comm);
    }
#endif
  }

  void forward() override { calls_.forward(); }
  void backward() override { calls_.backward(); }

 private:
  // Those this build of the library has, its own default first.
  static Json backends() {
    Json names = Json::array();
#ifdef Heffte_ENABLE_FFTW
    names.push_back("fftw");
#endif
#ifdef Heffte_ENABLE_MKL
    names.push_back("mkl");
#endif
    return names;
  }

  // MKL has FFTW's names too: the file that answers to them is said, and may not be MKL.
  static std::string library_of(void* function) {
    Dl_info found{};
    const std::string path = dladdr(function, &found) && found.dli_fname ? found.dli_fname : "an unknown library";
    const std::string name = path.substr(path.rfind('/') + 1);
    if (name.rfind("libmkl", 0) == 0) throw std::runtime_error("FFTW's functions are answered by " + name);
    return name;
  }

  // Cosine and sine transforms have backends of their own.
  template <class Fourier, class Cosine, class Sine>
  void make(const Case& wanted, MPI_Comm comm) {
    if (!wanted.real_spectrum())
      calls_ = make_heffte<Fourier>(wanted, parts_, heffte_options<Fourier>(wanted), comm, field(), spectrum());
    else if (wanted.axis_kind(0) == AxisKind::dct2)
      make_real<Cosine>(wanted, comm);
    else
      make_real<Sine>(wanted, comm);
  }

  template <class Backend>
  void make_real(const Case& wanted, MPI_Comm comm) {
    const auto plan = std::make_shared<heffte::rtransform<Backend>>(
        heffte_box(parts_.field), heffte_box(parts_.spectrum), comm, heffte_options<Backend>(wanted));
    calls_ = wanted.single() ? heffte_calls<float, float>(plan, field(), spectrum())
                             : heffte_calls<double, double>(plan, field(), spectrum());
  }

  std::string backend_;  // the one that was planned with
  SideParts parts_;
  HeffteCalls calls_;
};

}  // namespace

std::unique_ptr<Adapter> make_adapter() { return std::make_unique<HeFfte>(); }

}  // namespace shardfft::bench
