// fftMPI: complex data of one precision (the library's build decides), any boxes in and out.
#include <cstring>

#include "../native/adapter_base.hpp"
// After the others: its header uses int64_t without saying where from.
#include <fft3d.h>
#include <version.h>

namespace shardfft::bench {
namespace {

class FftMpi : public AdapterBase {
 public:
  Description describe() const override {
    Description all = description_of("fftmpi", FFTMPI_VERSION,
                                     {{"collective", {0, 1, 2}}, {"exchange", {0, 1}}, {"pack", {0, 1, 2}}});
    all.capabilities["precisions"] = Json::array({sizeof(FFT_SCALAR) == 8 ? "double" : "single"});
    return all;
  }

  std::string refuse(const Case& wanted, int ranks) const override {
    for (auto n : wanted.shape) {
      const bool tiny = n < 2;
      for (const int prime : {2, 3, 5})
        while (n % prime == 0 && n > 1) n /= prime;
      if (n > 1 || tiny) return "fftmpi wants sizes of at least 2 with no prime factors but 2, 3 and 5";
    }
    return refuse_by_capabilities(describe(), wanted, ranks);
  }

  void plan(const Case& wanted, MPI_Comm comm) override {
    const SideParts parts = side_parts(wanted, comm);
    field_part_ = parts.field;
    spectrum_part_ = parts.spectrum;
    fft_ = std::make_unique<FFTMPI_NS::FFT3d>(comm, int(sizeof(FFT_SCALAR)) / 4);
    fft_->scaled = 0;
    fft_->collective = wanted.options.value("collective", fft_->collective);
    fft_->exchange = wanted.options.value("exchange", fft_->exchange);
    fft_->packflag = wanted.options.value("pack", fft_->packflag);
    int room = 0, sent = 0, received = 0;
    const auto a = limits(field_part_), b = limits(spectrum_part_);
    fft_->setup(int(wanted.shape[2]), int(wanted.shape[1]), int(wanted.shape[0]), a[0], a[1], a[2], a[3], a[4], a[5],
                b[0], b[1], b[2], b[3], b[4], b[5], 0, room, sent, received);
    allocate(wanted, room, room);
    scale_ = double(wanted.points());
  }

  void forward() override { run(field(), field_part_, spectrum(), 1); }
  void backward() override { run(spectrum(), spectrum_part_, field(), -1); }

 private:
  // First and last index along fftMPI's axes, whose first is the fastest: our axis 2.
  static std::array<int, 6> limits(const Part& part) {
    std::array<int, 6> found{};
    for (int axis = 0; axis < 3; ++axis) {
      found[2 * (2 - axis)] = int(part.lower[axis]);
      found[2 * (2 - axis) + 1] = int(part.lower[axis] + part.count[axis] - 1);
    }
    return found;
  }
  // With two buffers, the version of 1 Oct 2018 copies half of the data where the input needs no remap: so the copy
  // is made here and the library runs in place.
  void run(void* from, const Part& part, void* to, int direction) {
    if (from != to) std::memcpy(to, from, std::size_t(part.volume()) * 2 * sizeof(FFT_SCALAR));
    fft_->compute(values(to), values(to), direction);
  }

  static FFT_SCALAR* values(void* data) { return static_cast<FFT_SCALAR*>(data); }

  std::unique_ptr<FFTMPI_NS::FFT3d> fft_;
};

}  // namespace

std::unique_ptr<Adapter> make_adapter() { return std::make_unique<FftMpi>(); }

}  // namespace shardfft::bench
