// PFFT: slabs or pencils whose last axis is whole; the spectrum transposed (axes shifted cyclically in memory) or, when
// the case wants it natural, distributed as the field.
#include <pfft.h>

#include <numeric>
#include <stdexcept>

#include "../native/adapter_base.hpp"
#include "fftw_api.hpp"

namespace shardfft::bench {
namespace {

class Pfft : public AdapterBase {
 public:
  Description describe() const override {
    return description_of("pfft", SHARDFFT_BENCH_PFFT_VERSION, {{"tune", {true, false}}});
  }

  ~Pfft() override {
    if (forward_) pfft_destroy_plan(forward_);
    if (backward_) pfft_destroy_plan(backward_);
  }

  void plan(const Case& wanted, MPI_Comm comm) override {
    pfft_init();
    int ranks = 1;
    MPI_Comm_size(comm, &ranks);
    const bool slab = wanted.layout == LayoutKind::slab;
    auto grid = slab ? std::array<int, 2>{ranks, 1} : pencil_grid(wanted, ranks);
    MPI_Comm mesh;
    if (pfft_create_procmesh(slab ? 1 : 2, comm, grid.data(), &mesh)) throw std::runtime_error("PFFT made no mesh");
    const std::ptrdiff_t n[3] = {wanted.shape[0], wanted.shape[1], wanted.shape[2]};
    std::ptrdiff_t count[3], lower[3], modes[3], modes_lower[3];
    const auto local_size = wanted.real_spectrum() ? pfft_local_size_r2r_3d
                            : wanted.real()        ? pfft_local_size_dft_r2c_3d
                                                   : pfft_local_size_dft_3d;
    const unsigned to = wanted.natural() ? PFFT_TRANSPOSED_NONE : PFFT_TRANSPOSED_OUT;
    const unsigned back = wanted.natural() ? PFFT_TRANSPOSED_NONE : PFFT_TRANSPOSED_IN;
    const auto room = local_size(n, mesh, to, count, lower, modes, modes_lower);
    field_part_ = packed_part(triple(lower), triple(count));
    const std::array<int, 3> shifted = slab ? std::array<int, 3>{1, 0, 2} : std::array<int, 3>{1, 2, 0};
    spectrum_part_ =
        packed_part(triple(modes_lower), triple(modes), wanted.natural() ? std::array<int, 3>{0, 1, 2} : shifted);
    allocate(wanted, wanted.halves() ? 2 * room : room, room);
    unsigned effort = wanted.effort == Effort::estimate  ? PFFT_ESTIMATE
                      : wanted.effort == Effort::measure ? PFFT_MEASURE
                                                         : PFFT_PATIENT;
    effort |= PFFT_DESTROY_INPUT | (wanted.options.value("tune", false) ? PFFT_TUNE : PFFT_NO_TUNE);
    auto* reals = static_cast<double*>(field());
    auto* values = static_cast<pfft_complex*>(field());
    auto* out = static_cast<pfft_complex*>(spectrum());
    if (wanted.real_spectrum()) {
      const auto make = [&](double* source, double* target, bool forward, unsigned flags) {
        const pfft_r2r_kind kinds[3] = {fftw_kind(wanted, 0, forward), fftw_kind(wanted, 1, forward),
                                        fftw_kind(wanted, 2, forward)};
        return pfft_plan_r2r_3d(n, source, target, mesh, kinds, flags);
      };
      auto* modes = static_cast<double*>(spectrum());
      forward_ = make(reals, modes, true, to | effort);
      backward_ = make(modes, reals, false, back | effort);
    } else if (wanted.real()) {
      forward_ = pfft_plan_dft_r2c_3d(n, reals, out, mesh, PFFT_FORWARD, to | effort);
      backward_ = pfft_plan_dft_c2r_3d(n, out, reals, mesh, PFFT_BACKWARD, back | effort);
    } else {
      forward_ = pfft_plan_dft_3d(n, values, out, mesh, PFFT_FORWARD, to | effort);
      backward_ = pfft_plan_dft_3d(n, out, values, mesh, PFFT_BACKWARD, back | effort);
    }
    MPI_Comm_free(&mesh);
    if (!forward_ || !backward_) throw std::runtime_error("PFFT made no plan");
    scale_ = wanted.scale();
  }

  void forward() override { pfft_execute(forward_); }
  void backward() override { pfft_execute(backward_); }
  Json breakdown() const override {
    double transforms = 0, reshapes = 0;
    for (const pfft_plan plan : {forward_, backward_}) {
      const pfft_timer timer = pfft_get_timer(plan);
      // Ranks of mesh, transforms and reshapes, runs, whole time; then the time of each transform and of each reshape.
      double* const values = pfft_convert_timer2vec(timer);
      double* const first = values + 5 + int(values[1]);
      transforms += std::accumulate(values + 5, first, 0.0);
      reshapes += std::accumulate(first, first + int(values[2]), 0.0);
      std::free(values);
      pfft_destroy_timer(timer);
    }
    return {{"seconds", {{"fft", transforms}, {"reshape", reshapes}}}};
  }

 private:
  static Triple triple(const std::ptrdiff_t n[3]) { return {n[0], n[1], n[2]}; }

  pfft_plan forward_ = nullptr;
  pfft_plan backward_ = nullptr;
};

}  // namespace

std::unique_ptr<Adapter> make_adapter() { return std::make_unique<Pfft>(); }

}  // namespace shardfft::bench
