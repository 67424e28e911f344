// Values of libraries whose buffers are host memory.
#pragma once

#include <vector>

#include "adapter.hpp"

namespace shardfft::bench {

class HostValues : public Values {
 public:
  HostValues(const Case& wanted, Adapter& adapter) : case_(wanted), adapter_(adapter), exact_(wanted) {}

  void fill(Side side) override;
  ErrorSums compare(Side side, double scale) override;
  void keep(Side side) override;
  void restore() override;
  void apply() override;

 private:
  Part part(Side side) const;
  void* data(Side side) const;
  bool reals(Side side) const;
  double gain(const Part& part, int axis, std::int64_t index) const;
  template <class Visit>
  void typed(Side side, Visit visit) const;

  const Case& case_;
  Adapter& adapter_;
  Field exact_;
  Side kept_ = Side::field;
  std::vector<char> copy_;
};

}  // namespace shardfft::bench
