// 2DECOMP&FFT: x pencils in, z pencils out (its x is our axis 2). Precision as the library was built.
#include "../native/adapter_base.hpp"

extern "C" {
void decomp2d_plan(const int n[3], const int grid[2], const int* real_field, int bounds[12]);
void decomp2d_c2c(void* from, void* to, const int from_extent[3], const int to_extent[3], const int* sign);
void decomp2d_r2c(void* from, void* to, const int from_extent[3], const int to_extent[3]);
void decomp2d_c2r(void* from, void* to, const int from_extent[3], const int to_extent[3]);
void decomp2d_finish();
int decomp2d_real_bytes();
}

namespace shardfft::bench {
namespace {

class Decomp2d : public AdapterBase {
 public:
  Description describe() const override {
    Description all = description_of("2decomp", SHARDFFT_BENCH_DECOMP2D_VERSION);
    all.capabilities["precisions"] = Json::array({decomp2d_real_bytes() == 8 ? "double" : "single"});
    return all;
  }

  std::string refuse(const Case& wanted, int ranks) const override {
    if (wanted.layout == LayoutKind::slab || !wanted.grid.empty() || ranks == 1) {
      const auto least = std::min({wanted.shape[0], wanted.shape[1], wanted.spectrum()[2]});
      if (ranks > least) return "2decomp wants a plane for every rank";
    }
    return refuse_by_capabilities(describe(), wanted, ranks);
  }

  ~Decomp2d() override {
    if (planned_) decomp2d_finish();
  }

  void plan(const Case& wanted, MPI_Comm comm) override {
    int ranks = 1;
    MPI_Comm_size(comm, &ranks);
    const auto grid =
        wanted.layout == LayoutKind::slab ? std::array<int, 2>{1, ranks} : reversed(pencil_grid(wanted, ranks));
    const int n[3] = {int(wanted.shape[2]), int(wanted.shape[1]), int(wanted.shape[0])};
    real_ = wanted.real();
    const int real_field = real_;
    int bounds[12];
    decomp2d_plan(n, grid.data(), &real_field, bounds);
    planned_ = true;
    field_part_ = part_of(bounds, field_extent_);
    spectrum_part_ = part_of(bounds + 6, spectrum_extent_);
    allocate(wanted, field_part_.volume(), spectrum_part_.volume());
    scale_ = double(wanted.points());
  }

  void forward() override {
    const int sign = -1;
    if (real_)
      decomp2d_r2c(field(), spectrum(), field_extent_, spectrum_extent_);
    else
      decomp2d_c2c(field(), spectrum(), field_extent_, spectrum_extent_, &sign);
  }
  void backward() override {
    const int sign = 1;
    if (real_)
      decomp2d_c2r(spectrum(), field(), spectrum_extent_, field_extent_);
    else
      decomp2d_c2c(spectrum(), field(), spectrum_extent_, field_extent_, &sign);
  }

 private:
  // Its grid names y first: our axis 1.
  static std::array<int, 2> reversed(const std::array<int, 2>& grid) { return {grid[1], grid[0]}; }

  static Part part_of(const int bounds[6], int extent[3]) {
    Triple lower{}, count{};
    for (int axis = 0; axis < 3; ++axis) {
      extent[axis] = bounds[3 + axis] - bounds[axis] + 1;
      lower[2 - axis] = bounds[axis] - 1;
      count[2 - axis] = extent[axis];
    }
    return packed_part(lower, count);
  }

  bool planned_ = false, real_ = false;
  int field_extent_[3]{}, spectrum_extent_[3]{};
};

}  // namespace

std::unique_ptr<Adapter> make_adapter() { return std::make_unique<Decomp2d>(); }

}  // namespace shardfft::bench
