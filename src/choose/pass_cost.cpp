#include "choose/pass_cost.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "geometry/schedule.hpp"
#include "tune/defaults.hpp"

namespace shardfft {

namespace {

/// Lines of more bytes do not fit into a multiprocessor's memory: the vendor's transforms cross memory twice for them.
constexpr double longest_vendor_line_bytes = 65536;
/// How often the vendor's strided transforms cross memory if the lines are longer than
/// GpuDefaults::longest_strided_line: they are transposed, transformed in two kernels and transposed back. Powers of
/// two are not.
constexpr int long_strided_crossings = 4;

class Passes {
 public:
  Passes(StepCost& cost, const TransformStep& step, const State& before, const State& after, int rank,
         Precision precision)
      : cost_(cost),
        step_(step),
        set_(only_piece((before.is_complex ? before : after).layout, rank).set),
        order_(before.layout.order()),
        in_(static_cast<double>(state_bytes(before, precision, rank))),
        out_(static_cast<double>(state_bytes(after, precision, rank))),
        spectrum_(step.kind() == Kind::r2c   ? out_
                  : step.kind() == Kind::c2r ? in_
                                             : std::max(in_, out_)),
        number_(precision == Precision::f64 ? 16 : 8) {}

  /// "cufft 88 165", "line pass 88", "scale 88 165 60".
  void add(const std::string& stage);
  void add_by_rule(bool scaled);

 private:
  void cross(double bytes, double kernels = 1) {
    cost_.moved_bytes += bytes * kernels;
    cost_.starts += kernels;
  }
  bool halves(const AxisStep& axis) const { return axis.kind == Kind::r2c || axis.kind == Kind::c2r; }
  bool contiguous(const AxisStep& axis) const { return axis.axis == order_.back(); }
  /// Own passes read and write once for each axis: planes are read from the L2 cache again.
  void own(const AxisStep& axis) { cross(halves(axis) ? in_ + out_ : 2 * spectrum_); }
  void vendor(const AxisStep& axis, bool strided);
  /// Calls for lines in the middle of an array: one call has one loop beside its lines.
  double calls_for(const AxisStep& axis) const;
  void lone(const AxisStep& axis);

  StepCost& cost_;
  const TransformStep& step_;
  IndexSet set_;
  AxisOrder order_;
  double in_, out_, spectrum_, number_;
};

void Passes::vendor(const AxisStep& axis, bool strided) {
  const std::int64_t n = std::max(axis.in, axis.out);
  const double line = static_cast<double>(n) * number_;
  if (halves(axis)) {
    const double real = axis.kind == Kind::r2c ? in_ : out_;
    const int kernels = line > 2 * longest_vendor_line_bytes ? 2 : 1;
    if (n % 2 == 0) return cross(in_ + out_), cross(2 * spectrum_, kernels - 1);
    // Lines of an odd number of real points become complex ones, are transformed, and cut.
    cross(3 * real, 2), cross(4 * real, kernels);
    return;
  }
  const bool power_of_two = (n & (n - 1)) == 0;
  const bool slow = strided && n > gpu_defaults().longest_strided_line && !power_of_two;
  cross(2 * spectrum_, slow ? long_strided_crossings : line > longest_vendor_line_bytes ? 2 : 1);
}

double Passes::calls_for(const AxisStep& axis) const {
  double outer = 1, inner = 1;
  bool behind = false;
  for (const int a : order_)
    if (a == axis.axis)
      behind = true;
    else
      (behind ? inner : outer) *= static_cast<double>(set_.axis[static_cast<std::size_t>(a)].count);
  return std::min(outer, inner);
}

void Passes::lone(const AxisStep& axis) {
  const double calls = calls_for(axis);
  if (calls > static_cast<double>(gpu_defaults().most_vendor_calls))
    cross(2 * spectrum_, 2);  // copies to dense memory and back
  else
    cost_.starts += calls - 1;
  vendor(axis, !contiguous(axis));
}

void Passes::add(const std::string& stage) {
  WordsOf words(stage);
  std::string word, name;
  std::vector<AxisStep> left = step_.axes, axes;
  while (words >> word) {
    const auto found = std::find_if(left.begin(), left.end(), [&](const AxisStep& axis) {
      return std::to_string(std::max(axis.in, axis.out)) == word;
    });
    if (found == left.end()) {
      if (word.find_first_not_of("0123456789") != std::string::npos) name = word;
      continue;
    }
    axes.push_back(*found);
    left.erase(found);
  }
  if (name == "copy") return cross(2 * in_);
  if (name == "scale") return cross(2 * out_);
  if (stage.starts_with("dense") || stage.starts_with("transposed")) cross(2 * spectrum_, 2);
  if (name == "pass")
    for (const AxisStep& axis : axes) own(axis);
  else if (axes.size() == 1 && stage.starts_with("cufft"))
    lone(axes.front());
  else
    for (const AxisStep& axis : axes) vendor(axis, !contiguous(axis) && !stage.starts_with("transposed"));
}

/// Large arrays get own passes, which scale. The others are transformed by the vendor's calls.
void Passes::add_by_rule(bool scaled) {
  const bool large = spectrum_ >= static_cast<double>(gpu_defaults().elements_worth_passes) * number_;
  const bool one = step_.axes.size() == 1;
  for (const AxisStep& axis : step_.axes)
    if (large || axis.kind == Kind::r2r)
      own(axis);
    else if (one)
      lone(axis);
    else
      vendor(axis, !contiguous(axis));
  if (scaled && !large) cross(2 * out_);
}

}  // namespace

void add_passes(StepCost& cost, const TransformStep& step, const State& before, const State& after,
                const std::string& passes, bool scaled, int rank, Precision precision) {
  Passes all(cost, step, before, after, rank, precision);
  if (passes.empty()) return all.add_by_rule(scaled);
  const std::string first = passes.substr(0, std::min(passes.find(" | "), passes.find(", ")));
  for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 3) {
    end = first.find(" + ", begin);
    all.add(first.substr(begin, end - begin));
  }
}

}  // namespace shardfft
