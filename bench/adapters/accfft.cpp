// AccFFT: axes 0 and 1 split in, axes 1 and 2 split out; a grid of one column makes slabs of it.
#include <accfft.h>

#include <stdexcept>

#include "../native/adapter_base.hpp"

namespace shardfft::bench {
namespace {

class AccFft : public AdapterBase {
 public:
  Description describe() const override { return description_of("accfft", "no version of its own"); }

  ~AccFft() override {
    if (plan_) accfft_destroy_plan(plan_);
  }

  void plan(const Case& wanted, MPI_Comm comm) override {
    int ranks = 1;
    MPI_Comm_size(comm, &ranks);
    auto grid = wanted.layout == LayoutKind::slab ? std::array<int, 2>{ranks, 1} : pencil_grid(wanted, ranks);
    MPI_Comm cartesian;
    accfft_create_comm(comm, grid.data(), &cartesian);
    accfft_init(wanted.threads);
    int n[3] = {int(wanted.shape[0]), int(wanted.shape[1]), int(wanted.shape[2])};
    int in_size[3], in_start[3], out_size[3], out_start[3];
    real_ = wanted.real();
    const auto size = real_ ? accfft_local_size_dft_r2c : accfft_local_size_dft_c2c;
    const std::int64_t bytes = size(n, in_size, in_start, out_size, out_start, cartesian);
    field_part_ = packed_part(triple(in_start), triple(in_size));
    spectrum_part_ = packed_part(triple(out_start), triple(out_size));
    const auto room = bytes / std::int64_t(2 * sizeof(double)) + 1;
    allocate(wanted, real_ ? 2 * room : room, room);
    const unsigned effort = wanted.effort == Effort::estimate ? ACCFFT_ESTIMATE : ACCFFT_MEASURE;
    auto* reals = static_cast<double*>(field());
    plan_ = real_ ? accfft_plan_dft_3d_r2c(n, reals, static_cast<double*>(spectrum()), cartesian, effort)
                  : accfft_plan_dft_3d_c2c(n, values(field()), values(spectrum()), cartesian, effort);
    if (!plan_) throw std::runtime_error("AccFFT made no plan");
    scale_ = double(wanted.points());
  }

  void forward() override {
    if (real_)
      accfft_execute_r2c(plan_, static_cast<double*>(field()), values(spectrum()), timer_);
    else
      accfft_execute_c2c(plan_, ACCFFT_FORWARD, values(field()), values(spectrum()), timer_);
  }
  void backward() override {
    if (real_)
      accfft_execute_c2r(plan_, values(spectrum()), static_cast<double*>(field()), timer_);
    else
      accfft_execute_c2c(plan_, ACCFFT_BACKWARD, values(spectrum()), values(field()), timer_);
  }
  // The last of its five timers sums transforms, the others parts of its transposes.
  Json breakdown() const override {
    return {{"seconds", {{"fft", timer_[4]}, {"reshape", timer_[0] + timer_[1] + timer_[2] + timer_[3]}}}};
  }

 private:
  static Triple triple(const int n[3]) { return {n[0], n[1], n[2]}; }
  static Complex* values(void* data) { return static_cast<Complex*>(data); }

  accfft_plan* plan_ = nullptr;
  bool real_ = false;
  double timer_[5] = {};
};

}  // namespace

std::unique_ptr<Adapter> make_adapter() { return std::make_unique<AccFft>(); }

}  // namespace shardfft::bench
