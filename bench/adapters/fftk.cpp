// FFTK: axes 0 and 1 split in, axes 1 and 2 split out; a grid of one row makes slabs of it. Its forward transform is
// normalised.
#include "../native/adapter_base.hpp"
// Last, since it names types by macros.
#include <fftk.h>

namespace shardfft::bench {
namespace {

class Fftk : public AdapterBase {
 public:
  Description describe() const override { return description_of("fftk", "no version of its own"); }

  ~Fftk() override {
    if (library_.Finalize) library_.Finalize();
  }

  std::string refuse(const Case& wanted, int ranks) const override {
    const std::string fault = refuse_by_capabilities(describe(), wanted, ranks);
    if (!fault.empty()) return fault;
    for (const int parts : grid_of(wanted, ranks))
      for (const auto n : wanted.shape)
        if (n % parts != 0) return "fftk wants sizes that its process grid divides";
    return "";
  }

  void plan(const Case& wanted, MPI_Comm comm) override {
    int ranks = 1;
    MPI_Comm_size(comm, &ranks);
    library_.Init("FFZ", int(wanted.shape[0]), int(wanted.shape[1]), int(wanted.shape[2]), grid_of(wanted, ranks)[0],
                  comm);
    field_part_ = packed_part(triple(library_.Get_RA_start()), triple(library_.Get_RA_shape()));
    spectrum_part_ = packed_part(triple(library_.Get_FA_start()), triple(library_.Get_FA_shape()));
    allocate(wanted, field_part_.volume(), spectrum_part_.volume());
    values_.reference({static_cast<Number*>(field()), library_.Get_RA_shape(), blitz::neverDeleteData});
    modes_.reference({static_cast<Number*>(spectrum()), library_.Get_FA_shape(), blitz::neverDeleteData});
    scale_ = double(wanted.points());
  }

  double forward_scale() const override { return 1 / scale_; }
  void forward() override { library_.Forward_transform_3d_C2C("FFZ", values_, modes_); }
  void backward() override { library_.Inverse_transform_3d_C2C("FFZ", modes_, values_); }

 private:
  using Number = std::complex<double>;

  static std::array<int, 2> grid_of(const Case& wanted, int ranks) {
    return wanted.layout == LayoutKind::slab ? std::array<int, 2>{1, ranks} : pencil_grid(wanted, ranks);
  }
  static Triple triple(const blitz::TinyVector<int, 3>& n) { return {n[0], n[1], n[2]}; }

  ::FFTK::FFTK library_;
  blitz::Array<Number, 3> values_, modes_;
};

}  // namespace

std::unique_ptr<Adapter> make_adapter() { return std::make_unique<Fftk>(); }

}  // namespace shardfft::bench
