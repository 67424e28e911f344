// MKL's cluster FFT: slabs along axis 0; the spectrum in slabs along axis 1 with axis 0 fastest in memory or, when the
// case wants it natural, back along axis 0.
#include <mkl_cdft.h>

#include <cstdlib>
#include <memory>

#include "../native/adapter_base.hpp"
#include "mkl_common.hpp"

namespace shardfft::bench {
namespace {

// `many` transforms of n1 x n2 (of n2 where n1 is 0) one after the other in memory, on a buffer of their own, in place.
class LocalMkl {
 public:
  LocalMkl(const Case& wanted, std::int64_t many, std::int64_t n1, std::int64_t n2, bool real) {
    const std::int64_t last = real ? n2 / 2 + 1 : n2, rows = std::max<std::int64_t>(n1, 1);
    if (many == 0) return;
    MKL_LONG n[2] = {mkl_long(n1), mkl_long(n2)};
    const MKL_LONG status =
        n1 > 0 ? DftiCreateDescriptor(&plan_, wanted.single() ? DFTI_SINGLE : DFTI_DOUBLE,
                                      real ? DFTI_REAL : DFTI_COMPLEX, 2, n)
               : DftiCreateDescriptor(&plan_, wanted.single() ? DFTI_SINGLE : DFTI_DOUBLE, DFTI_COMPLEX, 1, n[1]);
    mkl_check(status);
    mkl_check(DftiSetValue(plan_, DFTI_NUMBER_OF_TRANSFORMS, mkl_long(many)));
    const std::int64_t apart = real ? 2 * last : last;
    mkl_check(DftiSetValue(plan_, DFTI_FWD_DISTANCE, mkl_long(rows * apart)));
    mkl_check(DftiSetValue(plan_, DFTI_BWD_DISTANCE, mkl_long(rows * last)));
    if (real) {
      MKL_LONG in[3] = {0, mkl_long(apart), 1}, out[3] = {0, mkl_long(last), 1};
      mkl_check(DftiSetValue(plan_, DFTI_CONJUGATE_EVEN_STORAGE, DFTI_COMPLEX_COMPLEX));
      mkl_check(DftiSetValue(plan_, DFTI_FWD_STRIDES, in));
      mkl_check(DftiSetValue(plan_, DFTI_BWD_STRIDES, out));
    }
    mkl_check(DftiCommitDescriptor(plan_));
    data_ = HostBuffer(std::size_t(many * rows * last) * 2 * wanted.real_bytes());
  }
  LocalMkl(const LocalMkl&) = delete;
  LocalMkl& operator=(const LocalMkl&) = delete;
  ~LocalMkl() {
    if (plan_) DftiFreeDescriptor(&plan_);
  }

  void forward() const {
    if (plan_) mkl_check(DftiComputeForward(plan_, data_.get()));
  }
  void backward() const {
    if (plan_) mkl_check(DftiComputeBackward(plan_, data_.get()));
  }

 private:
  DFTI_DESCRIPTOR_HANDLE plan_ = nullptr;
  HostBuffer data_;
};

class MklCluster : public AdapterBase {
 public:
  Description describe() const override { return description_of("mkl-cluster", mkl_version_text()); }

  std::string refuse(const Case& wanted, int ranks) const override {
    if (ranks > std::min(wanted.shape[0], wanted.shape[1])) return "mkl-cluster wants a plane for every rank";
    return refuse_by_capabilities(describe(), wanted, ranks);
  }

  ~MklCluster() override {
    if (plan_) DftiFreeDescriptorDM(&plan_);
  }

  void plan(const Case& wanted, MPI_Comm comm) override {
    mkl_set_num_threads(wanted.threads);
    MKL_LONG n[3] = {mkl_long(wanted.shape[0]), mkl_long(wanted.shape[1]), mkl_long(wanted.shape[2])};
    mkl_check(DftiCreateDescriptorDM(comm, &plan_, wanted.single() ? DFTI_SINGLE : DFTI_DOUBLE,
                                     wanted.real() ? DFTI_REAL : DFTI_COMPLEX, 3, n));
    mkl_check(DftiSetValueDM(plan_, DFTI_PLACEMENT, wanted.in_place() ? DFTI_INPLACE : DFTI_NOT_INPLACE));
    if (!wanted.natural()) mkl_check(DftiSetValueDM(plan_, DFTI_TRANSPOSE, DFTI_ALLOW));
    // Asked only now: the sizes depend on what was set above.
    const auto room = value(CDFT_LOCAL_SIZE), planes = value(CDFT_LOCAL_NX), first = value(CDFT_LOCAL_X_START);
    const auto rows = value(CDFT_LOCAL_OUT_NX), first_row = value(CDFT_LOCAL_OUT_X_START);
    place(wanted, first, planes);
    if (!wanted.natural()) transpose(wanted, first_row, rows);
    allocate(wanted, wanted.real() ? 2 * room : room, room);
    mkl_check(DftiCommitDescriptorDM(plan_));
    scale_ = double(wanted.points());
  }

  void forward() override {
    mkl_check(field() == spectrum() ? DftiComputeForwardDM(plan_, field())
                                    : DftiComputeForwardDM(plan_, field(), spectrum()));
  }
  void backward() override {
    mkl_check(field() == spectrum() ? DftiComputeBackwardDM(plan_, spectrum())
                                    : DftiComputeBackwardDM(plan_, spectrum(), field()));
  }
  // Planes, and lines of the transposed spectrum, by descriptors of this rank alone.
  std::function<void()> local_ffts(const Case& wanted, MPI_Comm) override {
    const std::int64_t planes = field_part_.count[0];
    const std::int64_t columns = spectrum_part_.volume() / wanted.shape[0];
    const auto real_planes =
        std::make_shared<LocalMkl>(wanted, planes, wanted.shape[1], wanted.shape[2], wanted.real());
    const auto lines = std::make_shared<LocalMkl>(wanted, columns, 0, wanted.shape[0], false);
    return [=, direction = wanted.direction] {
      for (const auto& one : {real_planes, lines})
        if (direction != Direction::backward) one->forward();
      for (const auto& one : {lines, real_planes})
        if (direction != Direction::forward) one->backward();
    };
  }

 private:
  std::int64_t value(CDFT_CONFIG_PARAM what) {
    MKL_LONG value = 0;
    mkl_check(DftiGetValueDM(plan_, what, &value));
    return value;
  }

  // Real rows are padded to the length of their halved spectrum.
  void place(const Case& wanted, std::int64_t first, std::int64_t planes) {
    const auto last = wanted.spectrum()[2];
    field_part_ = packed_part({first, 0, 0}, {planes, wanted.shape[1], wanted.real() ? 2 * last : last});
    field_part_.count[2] = wanted.shape[2];
    spectrum_part_ = packed_part({first, 0, 0}, {planes, wanted.shape[1], last});
  }

  void transpose(const Case& wanted, std::int64_t first, std::int64_t rows) {
    spectrum_part_ = packed_part({0, first, 0}, {wanted.shape[0], rows, wanted.spectrum()[2]}, {1, 2, 0});
  }

  DFTI_DESCRIPTOR_DM_HANDLE plan_ = nullptr;
};

}  // namespace

std::unique_ptr<Adapter> make_adapter() { return std::make_unique<MklCluster>(); }

}  // namespace shardfft::bench
