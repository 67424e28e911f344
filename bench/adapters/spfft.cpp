// SpFFT, used dense: the field in slabs along axis 0, the spectrum in slabs along axis 1 with axis 0 fastest in memory
// (SpFFT wants whole lines along its z axis there, which is our axis 0).
#include <optional>
#include <spfft/spfft.hpp>

#include "../native/adapter_base.hpp"

namespace shardfft::bench {
namespace {

class SpFft : public AdapterBase {
 public:
  Description describe() const override {
    return description_of("spfft", SHARDFFT_BENCH_SPFFT_VERSION, {{"exchange", {"buffered", "compact", "unbuffered"}}});
  }

  void plan(const Case& wanted, MPI_Comm comm) override {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    const auto [n0, n1, n2] = wanted.shape;
    const auto last = wanted.spectrum()[2];
    const Range planes = block(n0, ranks, rank), rows = block(n1, ranks, rank);
    field_part_ = packed_part({planes.lower, 0, 0}, {planes.count, n1, n2});
    spectrum_part_ = packed_part({0, rows.lower, 0}, {n0, rows.count, last}, {1, 2, 0});
    allocate(wanted, field_part_.volume(), spectrum_part_.volume());
    std::vector<int> places;  // x, y, z of every spectrum value in its order in memory
    places.reserve(3 * spectrum_part_.volume());
    for (auto y = rows.lower; y < rows.lower + rows.count; ++y)
      for (std::int64_t x = 0; x < last; ++x)
        for (std::int64_t z = 0; z < n0; ++z) places.insert(places.end(), {int(x), int(y), int(z)});
    transform_.emplace(wanted.threads, comm, exchange(wanted.options.value("exchange", "compact")), SPFFT_PU_HOST,
                       wanted.real() ? SPFFT_TRANS_R2C : SPFFT_TRANS_C2C, int(n2), int(n1), int(n0), int(planes.count),
                       int(spectrum_part_.volume()), SPFFT_INDEX_TRIPLETS, places.data());
    scale_ = double(wanted.points());
  }

  void forward() override {
    transform_->forward(static_cast<double*>(field()), static_cast<double*>(spectrum()), SPFFT_NO_SCALING);
  }
  void backward() override { transform_->backward(static_cast<double*>(spectrum()), static_cast<double*>(field())); }

 private:
  static SpfftExchangeType exchange(const std::string& name) {
    if (name == "buffered") return SPFFT_EXCH_BUFFERED;
    return name == "unbuffered" ? SPFFT_EXCH_UNBUFFERED : SPFFT_EXCH_COMPACT_BUFFERED;
  }

  std::optional<spfft::Transform> transform_;
};

}  // namespace

std::unique_ptr<Adapter> make_adapter() { return std::make_unique<SpFft>(); }

}  // namespace shardfft::bench
