// dtFFT through its C interface: X pencils in, Z pencils out (its X is our axis 2). Where the library was built
// without an FFT of its own, as its Python wheel is, FFTW transforms the lines between dtFFT's transposes.
#include <dtfft.h>

#include <stdexcept>

#include "../native/adapter_base.hpp"
#include "fftw_api.hpp"
#include "fftw_lines.hpp"

namespace shardfft::bench {
namespace {

void check(dtfft_error_t status) {
  if (status != DTFFT_SUCCESS) throw std::runtime_error(std::string("dtFFT: ") + dtfft_get_error_string(status));
}

class DtFft : public AdapterBase {
 public:
  Description describe() const override {
    return description_of("dtfft", version(), {{"backend", {"datatype", "p2p", "a2a", "pipelined"}}});
  }

  ~DtFft() override {
    if (plan_) dtfft_destroy(&plan_);
  }

  void plan(const Case& wanted, MPI_Comm comm) override {
    configure(wanted);
    int ranks = 1;
    MPI_Comm_size(comm, &ranks);
    const auto grid = wanted.layout == LayoutKind::slab ? std::array<int, 2>{ranks, 1} : pencil_grid(wanted, ranks);
    int extents[3] = {1, grid[1], grid[0]}, periods[3] = {0, 0, 0};
    MPI_Comm cartesian;
    MPI_Cart_create(comm, 3, extents, periods, 0, &cartesian);
    const auto shape = wanted.spectrum();
    // dtFFT counts axes from the fastest one.
    const std::int32_t n[3] = {std::int32_t(shape[2]), std::int32_t(shape[1]), std::int32_t(shape[0])};
    check(dtfft_create_plan_c2c(3, n, cartesian, wanted.single() ? DTFFT_SINGLE : DTFFT_DOUBLE,
                                wanted.effort == Effort::patient ? DTFFT_PATIENT : DTFFT_ESTIMATE, DTFFT_EXECUTOR_NONE,
                                &plan_));
    MPI_Comm_free(&cartesian);
    lay_out(wanted);
    scale_ = double(wanted.points());
    wanted.single() ? make_lines(single_, wanted) : make_lines(double_, wanted);
  }

  // x lines in the spectrum buffer, transposed by way of the middle buffer, and back to the spectrum.
  void forward() override {
    run(0, true);
    if (one_step_) {
      check(dtfft_transpose(plan_, lined(), spectrum(), DTFFT_TRANSPOSE_X_TO_Z, nullptr));
    } else {
      check(dtfft_transpose(plan_, lined(), middle_.get(), DTFFT_TRANSPOSE_X_TO_Y, nullptr));
      run(1, true);
      check(dtfft_transpose(plan_, middle_.get(), spectrum(), DTFFT_TRANSPOSE_Y_TO_Z, nullptr));
    }
    run(2, true);
  }
  void backward() override {
    run(2, false);
    if (one_step_) {
      check(dtfft_transpose(plan_, spectrum(), lined(), DTFFT_TRANSPOSE_Z_TO_X, nullptr));
    } else {
      check(dtfft_transpose(plan_, spectrum(), middle_.get(), DTFFT_TRANSPOSE_Z_TO_Y, nullptr));
      run(1, false);
      check(dtfft_transpose(plan_, middle_.get(), lined(), DTFFT_TRANSPOSE_Y_TO_X, nullptr));
    }
    run(0, false);
  }

 private:
  static std::string version() {
    const int code = dtfft_get_version();
    return std::to_string(code / 100000) + "." + std::to_string(code / 1000 % 100) + "." + std::to_string(code % 1000);
  }

  static void configure(const Case& wanted) {
    const std::string name = wanted.options.value("backend", "datatype");
    dtfft_config_t config;
    check(dtfft_create_config(&config));
    config.backend = name == "p2p"         ? DTFFT_BACKEND_MPI_P2P
                     : name == "a2a"       ? DTFFT_BACKEND_MPI_A2A
                     : name == "pipelined" ? DTFFT_BACKEND_MPI_P2P_PIPELINED
                                           : DTFFT_BACKEND_MPI_DATATYPE;
    config.enable_mpi_backends = true;
    check(dtfft_set_config(&config));
  }

  // `order` lists our axes from slowest to fastest in memory; a pencil lists its own from fastest to slowest.
  static Part part_of(const dtfft_pencil_t& pencil, const std::array<int, 3>& order) {
    Triple lower{}, count{};
    for (int place = 0; place < 3; ++place) {
      lower[order[place]] = pencil.starts[2 - place];
      count[order[place]] = pencil.counts[2 - place];
    }
    return packed_part(lower, count, order);
  }

  void lay_out(const Case& wanted) {
    dtfft_pencil_t x, y, z;
    check(dtfft_get_pencil(plan_, DTFFT_LAYOUT_X_PENCILS, &x));
    check(dtfft_get_pencil(plan_, DTFFT_LAYOUT_Y_PENCILS, &y));
    check(dtfft_get_pencil(plan_, DTFFT_LAYOUT_Z_PENCILS, &z));
    check(dtfft_get_z_slab_enabled(plan_, &one_step_));
    lines_part_ = part_of(x, {0, 1, 2});
    middle_part_ = part_of(y, {2, 0, 1});
    spectrum_part_ = part_of(z, {1, 2, 0});
    field_part_ = packed_part(lines_part_.lower, {lines_part_.count[0], lines_part_.count[1], wanted.shape[2]});
    std::size_t room = 0;
    check(dtfft_get_alloc_size(plan_, &room));
    allocate(wanted, wanted.real() ? field_part_.volume() : std::int64_t(room), std::int64_t(room));
    middle_ = HostBuffer(room * 2 * wanted.real_bytes());
    if (wanted.real()) halved_ = HostBuffer(room * 2 * wanted.real_bytes());
  }

  // Where the transformed x lines lie: a real field needs a complex buffer of its own.
  void* lined() { return halved_.get() ? halved_.get() : field(); }

  template <class Real>
  void make_lines(FftwLines<Real>& lines, const Case& wanted) {
    const unsigned effort = fftw_effort(wanted.effort);
    if (wanted.real())
      lines.add_real(field_part_, field(), lines_part_, lined(), one_step_, effort);
    else
      lines.add(field_part_, lined(), 2, one_step_, effort);
    lines.add(middle_part_, middle_.get(), 1, false, effort);
    lines.add(spectrum_part_, spectrum(), 0, false, effort);
  }

  void run(int stage, bool forward) {
    single_.empty() ? double_.execute(stage, forward) : single_.execute(stage, forward);
  }

  dtfft_plan_t plan_ = nullptr;
  bool one_step_ = false;
  Part lines_part_, middle_part_;
  HostBuffer middle_, halved_;
  FftwLines<double> double_;
  FftwLines<float> single_;
};

}  // namespace

std::unique_ptr<Adapter> make_adapter() { return std::make_unique<DtFft>(); }

}  // namespace shardfft::bench
