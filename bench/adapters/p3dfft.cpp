// P3DFFT 2.x: real fields in x pencils (its x is our axis 2), spectra in z pencils, in a build without STRIDE1.
// Its C header leaves naming to macros; the functions have plain C names, so they are declared here.
#include <numeric>

#include "../native/adapter_base.hpp"

extern "C" {
void p3dfft_setup(int* dims, int* nx, int* ny, int* nz, int* comm, int* nx_cut, int* ny_cut, int* nz_cut,
                  int* overwrite, int* memory_sizes);
void p3dfft_get_dims(int* start, int* end, int* size, int* which);
void p3dfft_ftran_r2c(double* in, double* out, unsigned char* op);
void p3dfft_btran_c2r(double* in, double* out, unsigned char* op);
void p3dfft_clean();
void get_timers(double* timers);
}

namespace shardfft::bench {
namespace {

class P3dFft : public AdapterBase {
 public:
  Description describe() const override { return description_of("p3dfft", "2.x"); }

  std::string refuse(const Case& wanted, int ranks) const override {
    if (const std::string why = refuse_by_capabilities(describe(), wanted, ranks); !why.empty()) return why;
    if (ranks > std::min({wanted.shape[0], wanted.shape[1], wanted.shape[2] / 2}))
      return "p3dfft wants a plane for every rank";
    // Its exchange between y and z takes half of the modes of y, rounded down, from either end: the middle one is lost.
    if (wanted.shape[1] % 2 == 1 && grid_of(wanted, ranks)[0] > 1)
      return "p3dfft loses a mode where axis 1 is odd and spectra are cut along it";
    return "";
  }

  ~P3dFft() override {
    if (planned_) p3dfft_clean();
  }

  void plan(const Case& wanted, MPI_Comm comm) override {
    int ranks = 1, overwrite = 1, room[3];
    MPI_Comm_size(comm, &ranks);
    const auto grid = grid_of(wanted, ranks);
    // Its grid names y first, our axis 1.
    int dims[2] = {grid[1], grid[0]};
    int nx = int(wanted.shape[2]), ny = int(wanted.shape[1]), nz = int(wanted.shape[0]);
    int handle = MPI_Comm_c2f(comm);
    p3dfft_setup(dims, &nx, &ny, &nz, &handle, &nx, &ny, &nz, &overwrite, room);
    planned_ = true;
    field_part_ = part_of(1);
    spectrum_part_ = part_of(2);
    // The sizes in `room` are reals along x, y, z that either array may need.
    const auto reals = std::int64_t(room[0]) * room[1] * room[2];
    allocate(wanted, std::max(reals, field_part_.volume()), std::max(reals / 2 + 1, spectrum_part_.volume()));
    scale_ = double(wanted.points());
  }

  void forward() override {
    unsigned char each_axis[] = "fft";
    p3dfft_ftran_r2c(static_cast<double*>(field()), static_cast<double*>(spectrum()), each_axis);
  }
  void backward() override {
    unsigned char each_axis[] = "tff";
    p3dfft_btran_c2r(static_cast<double*>(spectrum()), static_cast<double*>(field()), each_axis);
  }

  // Of its twelve timers the first four are exchanges; the others hold transforms with their copies.
  Json breakdown() const override {
    double timers[12];
    get_timers(timers);
    const double exchanges = std::accumulate(timers, timers + 4, 0.0);
    const double rest = std::accumulate(timers + 4, timers + 12, 0.0);
    return {{"seconds", {{"fft and copy", rest}, {"exchange", exchanges}}}};
  }

 private:
  static std::array<int, 2> grid_of(const Case& wanted, int ranks) {
    return wanted.layout == LayoutKind::slab ? std::array<int, 2>{ranks, 1} : pencil_grid(wanted, ranks);
  }

  static Part part_of(int which) {
    int start[3], end[3], size[3];
    p3dfft_get_dims(start, end, size, &which);
    return packed_part({start[2] - 1, start[1] - 1, start[0] - 1}, {size[2], size[1], size[0]});
  }

  bool planned_ = false;
};

}  // namespace

std::unique_ptr<Adapter> make_adapter() { return std::make_unique<P3dFft>(); }

}  // namespace shardfft::bench
