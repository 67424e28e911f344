// heFFTe: any boxes in and out. Its index 0 is the fastest, our axis 2; so boxes are handed over reversed.
#include <dlfcn.h>
#include <heffte.h>

#include <functional>
#include <stdexcept>

#include "../native/adapter_base.hpp"

namespace shardfft::bench {
namespace {

const char* const algorithms[] = {"alltoallv", "alltoall", "p2p_plined", "p2p"};

class HeFfte : public AdapterBase {
 public:
  Description describe() const override {
    return {.library = "heffte",
            .version = SHARDFFT_BENCH_HEFFTE_VERSION,
            .language = "C++",
            .licence = "BSD-3-Clause",
            .backend = backend_.empty() ? "by option backend" : backend_,
            .capabilities = {{"kinds", {"c2c", "r2c", "r2r"}},
                             {"precisions", {"double", "single"}},
                             {"placements", {"out"}},
                             {"layouts", {"slab", "pencil", "brick"}},
                             {"outputs", {"any", "natural"}}},
            .options = {{"backend", backends()},
                        {"algorithm", algorithms},
                        {"reorder", {true, false}},
                        {"pencils", {true, false}}}};
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
    int rank = 0, ranks = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    lay_out(wanted, rank, ranks);
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

  void forward() override { forward_(); }
  void backward() override { backward_(); }

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

  void lay_out(const Case& wanted, int rank, int ranks) {
    std::array<int, 3> in{ranks, 1, 1}, out{1, ranks, 1};
    if (wanted.layout == LayoutKind::pencil) {
      const auto grid = pencil_grid(wanted, ranks);
      in = {grid[0], grid[1], 1};
      out = {1, grid[0], grid[1]};
    }
    if (wanted.layout == LayoutKind::brick) in = out = brick_grid(wanted, ranks);
    if (wanted.natural()) out = in;
    field_part_ = brick_part(wanted.shape, in, rank);
    spectrum_part_ = brick_part(wanted.spectrum(), out, rank);
  }

  static heffte::box3d<> box_of(const Part& part) {
    std::array<int, 3> low{}, high{};
    for (int axis = 0; axis < 3; ++axis) {
      low[2 - axis] = int(part.lower[axis]);
      high[2 - axis] = int(part.lower[axis] + part.count[axis] - 1);
    }
    return {low, high};
  }

  // Cosine and sine transforms have backends of their own.
  template <class Fourier, class Cosine, class Sine>
  void make(const Case& wanted, MPI_Comm comm) {
    if (!wanted.real_spectrum())
      make<Fourier, false>(wanted, comm);
    else if (wanted.axis_kind(0) == AxisKind::dct2)
      make<Cosine, true>(wanted, comm);
    else
      make<Sine, true>(wanted, comm);
  }

  template <class Backend, bool real_spectrum>
  void make(const Case& wanted, MPI_Comm comm) {
    auto options = heffte::default_options<Backend>();
    options.use_reorder = wanted.options.value("reorder", options.use_reorder);
    options.use_pencils = wanted.options.value("pencils", wanted.layout != LayoutKind::slab);
    const std::string name = wanted.options.value("algorithm", "alltoallv");
    options.algorithm = name == "alltoall"     ? heffte::reshape_algorithm::alltoall
                        : name == "p2p_plined" ? heffte::reshape_algorithm::p2p_plined
                        : name == "p2p"        ? heffte::reshape_algorithm::p2p
                                               : heffte::reshape_algorithm::alltoallv;
    const auto in = box_of(field_part_), out = box_of(spectrum_part_);
    const bool single = wanted.single();
    if constexpr (real_spectrum) {
      const auto plan = std::make_shared<heffte::rtransform<Backend>>(in, out, comm, options);
      single ? bind<float, float>(plan) : bind<double, double>(plan);
    } else if (wanted.real()) {
      const auto plan = std::make_shared<heffte::fft3d_r2c<Backend>>(in, out, 0, comm, options);
      single ? bind<float, std::complex<float>>(plan) : bind<double, std::complex<double>>(plan);
    } else {
      const auto plan = std::make_shared<heffte::fft3d<Backend>>(in, out, comm, options);
      single ? bind<std::complex<float>, std::complex<float>>(plan)
             : bind<std::complex<double>, std::complex<double>>(plan);
    }
  }

  // The workspace is ours, so that no call allocates.
  template <class Value, class Complex, class Plan>
  void bind(const std::shared_ptr<Plan>& plan) {
    auto workspace = std::make_shared<typename Plan::template buffer_container<Complex>>(plan->size_workspace());
    auto* values = static_cast<Value*>(field());
    auto* modes = static_cast<Complex*>(spectrum());
    forward_ = [=] { plan->forward(values, modes, workspace->data()); };
    backward_ = [=] { plan->backward(modes, values, workspace->data()); };
  }

  std::string backend_;  // the one that was planned with
  std::function<void()> forward_, backward_;
};

}  // namespace

std::unique_ptr<Adapter> make_adapter() { return std::make_unique<HeFfte>(); }

}  // namespace shardfft::bench
