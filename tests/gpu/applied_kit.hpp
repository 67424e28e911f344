#pragma once
// Operators applied to arrays of GPUs of this process.
#include "gpu/group_kit.hpp"
#include "support/operator_check.hpp"

namespace shardfft::test {

/// Arrays of all members, which may be applied to again and again.
class AppliedArrays {
 public:
  AppliedArrays(Plan& plan, const TransformCase& c, const char* memory, bool in_place) : plan_(plan), case_(c) {
    for (int m = 0; m < plan.members(); ++m) {
      sides_.push_back(plan.input(m));
      outs_.emplace_back(memory, plan.device(m), sides_.back().bytes());
      if (!in_place) ins_.emplace_back(memory, plan.device(m), sides_.back().bytes());
    }
  }

  void check(const Operator& op, const FactorOf& factor, std::uint64_t salt) {
    const AppliedFields fields = applied_fields(case_, sides_.front().element, factor, salt);
    std::vector<PlacedArray>& sources = ins_.empty() ? outs_ : ins_;
    std::vector<const void*> in;
    std::vector<void*> out;
    for (std::size_t m = 0; m < sides_.size(); ++m) {
      LocalArray local(sides_[m]);
      for (std::int64_t f = 0; f < case_.options.batch; ++f)
        for_own_elements(sides_[m], f,
                         [&](std::int64_t at, std::int64_t i) { local.set(at, fields.input[to_size(f)][to_size(i)]); });
      sources[m].put(local.data());
      in.push_back(sources[m].data());
      out.push_back(outs_[m].data());
    }
    plan_.apply(op, in, out);
    for (std::size_t m = 0; m < sides_.size(); ++m) {
      SCOPED_TRACE("rank " + std::to_string(m));
      LocalArray local(sides_[m]);
      outs_[m].get(local.data());
      for (std::int64_t f = 0; f < case_.options.batch; ++f)
        compare_field(local, sides_[m], f, fields.output[to_size(f)], fields.points);
      EXPECT_TRUE(outs_[m].guard_is_whole()) << "written behind the output";
    }
  }

 private:
  Plan& plan_;
  TransformCase case_;
  std::vector<Side> sides_;
  std::vector<PlacedArray> ins_, outs_;
};

}  // namespace shardfft::test
