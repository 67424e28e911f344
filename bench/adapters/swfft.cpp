// SWFFT: bricks in, pencils along axis 2 out; sizes that its process grids divide.
#include <stdexcept>

#include "../native/adapter_base.hpp"
// After the others: it defines the macro I.
#include <Dfft.hpp>
#undef I

namespace shardfft::bench {
namespace {

class SwFft : public AdapterBase {
 public:
  Description describe() const override { return description_of("swfft", "1.0"); }

  std::string refuse(const Case& wanted, int ranks) const override {
    // SWFFT ends the program when its grids do not divide the sizes; this is enough for that never to happen.
    for (const auto n : wanted.shape)
      if (n % ranks != 0) return "swfft wants sizes that the number of ranks divides";
    return refuse_by_capabilities(describe(), wanted, ranks);
  }

  void plan(const Case& wanted, MPI_Comm comm) override {
    const int n[3] = {int(wanted.shape[0]), int(wanted.shape[1]), int(wanted.shape[2])};
    distribution_ = std::make_unique<hacc::Distribution>(comm, n);
    dfft_ = std::make_unique<hacc::Dfft>(*distribution_);
    Triple lower{}, count{}, modes_lower{}, modes{};
    for (int axis = 0; axis < 3; ++axis) {
      count[axis] = dfft_->local_ng_rspace(axis);
      lower[axis] = count[axis] * dfft_->self_rspace(axis);
      modes[axis] = dfft_->local_ng_kspace(axis);
      modes_lower[axis] = modes[axis] * dfft_->self_kspace(axis);
    }
    field_part_ = packed_part(lower, count);
    spectrum_part_ = packed_part(modes_lower, modes);
    const auto room = std::int64_t(dfft_->local_size());
    allocate(wanted, room, room);
    scratch_ = HostBuffer(std::size_t(room) * sizeof(complex_t));
    const unsigned effort = wanted.effort == Effort::estimate  ? FFTW_ESTIMATE
                            : wanted.effort == Effort::measure ? FFTW_MEASURE
                                                               : FFTW_PATIENT;
    dfft_->makePlans(values(spectrum()), values(scratch_.get()), values(spectrum()), values(scratch_.get()), effort);
    scale_ = double(wanted.points());
  }

  void forward() override { dfft_->forward(values(field())); }
  void backward() override { dfft_->backward(values(field())); }

 private:
  static complex_t* values(void* data) { return static_cast<complex_t*>(data); }

  HostBuffer scratch_;
  std::unique_ptr<hacc::Distribution> distribution_;
  std::unique_ptr<hacc::Dfft> dfft_;
};

}  // namespace

std::unique_ptr<Adapter> make_adapter() { return std::make_unique<SwFft>(); }

}  // namespace shardfft::bench
