// MKL's cluster FFT: slabs along axis 0; the spectrum in slabs along axis 1 with axis 0 fastest in memory or, when the
// case wants it natural, back along axis 0.
#include <mkl_cdft.h>

#include <cstdlib>

#include "../native/adapter_base.hpp"
#include "mkl_common.hpp"

namespace shardfft::bench {
namespace {

class MklCluster : public AdapterBase {
 public:
  Description describe() const override {
    return {.library = "mkl-cluster",
            .version = mkl_version_text(),
            .language = "C",
            .licence = "Intel Simplified Software License",
            .backend = "MKL",
            .capabilities = {{"kinds", {"c2c", "r2c"}},
                             {"precisions", {"double", "single"}},
                             {"placements", {"out", "in"}},
                             {"layouts", {"slab"}},
                             {"outputs", {"any", "natural"}},
                             {"threads", true}}};
  }

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
