// MKL's DFTI in one process, with threads: a floor for the distributed libraries, not a rival.
#include <mkl_dfti.h>
#include <mkl_service.h>

#include <stdexcept>

#include "../native/adapter_base.hpp"
#include "mkl_common.hpp"

namespace shardfft::bench {
namespace {

class Mkl : public AdapterBase {
 public:
  Description describe() const override { return description_of("mkl", mkl_version_text()); }

  ~Mkl() override {
    if (plan_) DftiFreeDescriptor(&plan_);
  }

  void plan(const Case& wanted, MPI_Comm) override {
    mkl_set_num_threads(wanted.threads);
    const auto last = wanted.real() && wanted.in_place() ? 2 * wanted.spectrum()[2] : wanted.shape[2];
    field_part_ = packed_part({}, {wanted.shape[0], wanted.shape[1], last});
    field_part_.count = wanted.shape;
    spectrum_part_ = packed_part({}, wanted.spectrum());
    allocate(wanted, field_part_.stride[0] * wanted.shape[0], spectrum_part_.span());
    scale_ = double(wanted.points());
    make(wanted);
  }

  void forward() override {
    const bool in_place = field() == spectrum();
    mkl_check(in_place ? DftiComputeForward(plan_, field()) : DftiComputeForward(plan_, field(), spectrum()));
  }
  void backward() override {
    const bool in_place = field() == spectrum();
    mkl_check(in_place ? DftiComputeBackward(plan_, field()) : DftiComputeBackward(plan_, spectrum(), field()));
  }

 private:
  void make(const Case& wanted) {
    MKL_LONG n[3], field[4] = {0}, spectrum[4] = {0};
    for (int axis = 0; axis < 3; ++axis) {
      n[axis] = mkl_long(wanted.shape[axis]);
      field[axis + 1] = mkl_long(field_part_.stride[axis]);
      spectrum[axis + 1] = mkl_long(spectrum_part_.stride[axis]);
    }
    mkl_check(DftiCreateDescriptor(&plan_, wanted.single() ? DFTI_SINGLE : DFTI_DOUBLE,
                                   wanted.real() ? DFTI_REAL : DFTI_COMPLEX, 3, n));
    mkl_check(DftiSetValue(plan_, DFTI_PLACEMENT, wanted.in_place() ? DFTI_INPLACE : DFTI_NOT_INPLACE));
    mkl_check(DftiSetValue(plan_, DFTI_CONJUGATE_EVEN_STORAGE, DFTI_COMPLEX_COMPLEX));
    mkl_check(DftiSetValue(plan_, DFTI_FWD_STRIDES, field));
    mkl_check(DftiSetValue(plan_, DFTI_BWD_STRIDES, spectrum));
    mkl_check(DftiSetValue(plan_, DFTI_THREAD_LIMIT, mkl_long(wanted.threads)));
    mkl_check(DftiCommitDescriptor(plan_));
  }

  DFTI_DESCRIPTOR_HANDLE plan_ = nullptr;
};

}  // namespace

std::unique_ptr<Adapter> make_adapter() { return std::make_unique<Mkl>(); }

}  // namespace shardfft::bench
