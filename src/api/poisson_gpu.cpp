// Parts of solvers on GPUs: lines of open axes, and the steps around the transforms.
#include <algorithm>
#include <map>
#include <numbers>
#include <numeric>

#include "api/open_kernel.hpp"
#include "api/poisson_impl.hpp"
#include "base/aligned.hpp"
#include "device/fields.hpp"
#include "gpu/run/make.hpp"
#include "pack/add.hpp"
#include "shardfft/gpu.hpp"

namespace shardfft {

namespace {

/// Lines of an open axis as a plan of the rank's part alone, which pads the axis to twice its points.
class OpenLinesOnGpu : public AxisSolver {
 public:
  OpenLinesOnGpu(const Plan& plan, const OpenLinesSetup& setup)
      : piece_(plan.output().layout.pieces(plan.output().rank).front()), setup_(setup), stream_(plan.stream()) {
    const auto axes = static_cast<std::size_t>(piece_.set.axes);
    Shape shape(axes);
    AxisOrder order(axes);
    for (std::size_t a = 0; a < axes; ++a) shape[a] = piece_.set.axis[a].count;
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [this](int a, int b) {
      return piece_.stride[static_cast<std::size_t>(a)] > piece_.stride[static_cast<std::size_t>(b)];
    });
    Options options;
    options.axes = {setup.line};
    options.padded = {2 * setup.n};
    options.memory = MemoryModel::device;
    options.effort = setup.effort;
    const ElementType element = plan.output().element;
    here_.emplace(Devices{plan.device()}, Transform{element.is_complex ? Kind::c2c : Kind::r2c, element.precision},
                  Layout::single(shape, 1, 0, order), default_output, options);
    here_->set_streams({&stream_, 1});
  }

  std::size_t scratch_bytes() const override { return here_->workspace_bytes(); }
  void run(const SpectrumPart& part, const LinesSetup& setup) override {
    if (part.stream != stream_) here_->set_streams({&part.stream, 1});
    stream_ = part.stream;
    auto known = factors_.find(setup.slope_axis);
    if (known == factors_.end()) {
      if (setup_.kernel.empty()) make_kernel(setup);
      known = factors_.emplace(setup.slope_axis, factors(setup)).first;
    }
    here_->apply(known->second, static_cast<const void*>(part.data), part.data);
  }

 private:
  static std::size_t at(int axis) { return static_cast<std::size_t>(axis); }
  const Progression& along(int axis) const { return piece_.set.axis[at(axis)]; }

  /// The number of the line of an index of this rank's part.
  std::int64_t number(std::span<const std::int64_t> index) const {
    std::int64_t result = 0;
    for (int a = 0; a < piece_.set.axes; ++a)
      if (a != setup_.line) result = result * along(a).count + index[at(a)];
    return result;
  }

  /// If the axis is the only open one.
  void make_kernel(const LinesSetup& setup) {
    IndexSet lines = piece_.set;
    lines.axis[at(setup_.line)].count = 1;
    setup_.kernel.resize(static_cast<std::size_t>(lines.count() * (setup_.n + 1)));
    for (std::int64_t line = 0; line < lines.count(); ++line) {
      double square = setup.shift;
      std::int64_t rest = line;
      for (int a = piece_.set.axes - 1; a >= 0; --a) {
        const std::int64_t i = rest % lines.axis[at(a)].count;
        rest /= lines.axis[at(a)].count;
        if (a != setup_.line && !setup.squares[at(a)].empty())
          square += setup.squares[at(a)][static_cast<std::size_t>(along(a).at(i))];
      }
      line_kernel(setup_.kind, setup_.n, setup_.step, square, setup_.kernel.data() + line * (setup_.n + 1));
    }
  }

  Operator factors(const LinesSetup& setup) const {
    return Operator::of_indices([this, setup](std::span<const std::int64_t> index) -> std::complex<double> {
      const std::int64_t n = setup_.n, m = index[at(setup_.line)];
      const double factor = setup_.kernel[static_cast<std::size_t>(number(index) * (n + 1) + std::min(m, 2 * n - m))];
      if (setup.slope_axis < 0) return factor;
      if (setup.slope_axis == setup_.line) {
        const double turn = std::numbers::pi / (static_cast<double>(n) * setup_.step);
        return {0, m == n ? 0 : turn * static_cast<double>(m < n ? m : m - 2 * n) * factor};
      }
      const std::int64_t other = along(setup.slope_axis).at(index[at(setup.slope_axis)]);
      return {0, setup.slopes[static_cast<std::size_t>(other)] * factor};
    });
  }

  Piece piece_;
  OpenLinesSetup setup_;
  void* stream_;
  std::optional<Plan> here_;
  std::map<int, Operator> factors_;  ///< by the axis of derivatives
};

}  // namespace

std::unique_ptr<AxisSolver> open_lines_on_gpu(const Plan& plan, const OpenLinesSetup& setup) {
  if (plan.output().count() == 0) return nullptr;
  return std::make_unique<OpenLinesOnGpu>(plan, setup);
}

MemberPlace Poisson::Impl::place() const { return {comm.rank(), plan->device(), plan->stream()}; }

std::shared_ptr<std::byte> Poisson::Impl::room() {
  std::shared_ptr<std::byte> memory;
  agree(comm, [&] {
    if (on_gpu()) {
      const auto held = std::make_shared<Buffer>(plan->allocate_input());
      memory = {held, held->as<std::byte>()};
    } else {
      memory = std::shared_ptr<std::byte>(allocate_aligned(bytes()));
    }
  });
  return memory;
}

void Poisson::Impl::clear(std::byte* array) const {
  const Box all = Box::run(0, layout.count(comm.rank()));
  on_gpu() ? gpu::clear_boxes(place(), array, {all}, element) : clear_box(array, all, element);
}

void Poisson::Impl::add(const std::byte* from, const LocalCopy& boxes, std::byte* to) const {
  if (!on_gpu()) return add_box(from, boxes.from, to, boxes.to, element);
  gpu::add_boxes(place(), from, to, {boxes}, element);
  synchronize_stream(plan->device(), plan->stream());
}

/// Numbers of the host, one behind the other; on a GPU they go through `room`.
void Poisson::Impl::add_numbers(const void* numbers, const LocalCopy& boxes, std::byte* to, std::byte* room) const {
  const auto* const from = static_cast<const std::byte*>(numbers);
  if (on_gpu()) gpu::bring(place(), from, room, static_cast<std::size_t>(boxes.to.elements()) * element.bytes());
  add(on_gpu() ? room : from, boxes, to);
}

/// The sums of shares times numbers, and times their sizes.
std::vector<double> Poisson::Impl::sums_on_gpu(const void* f, const std::vector<std::vector<double>>& shares) const {
  std::vector<double> sums(3), tables;
  if (bytes() == 0) return sums;
  for (const std::vector<double>& one : shares) {
    tables.resize(tables.size() + one.size(), 0);
    tables.insert(tables.end(), one.begin(), one.end());
  }
  device::ShellSums what{element, layout.pieces(comm.rank()), layout.shape(), device::Summand::number};
  sums[0] = gpu::sums_in_shells(plan->device(), f, nullptr, what, tables)[0];
  what.summand = device::Summand::size;
  sums[1] = gpu::sums_in_shells(plan->device(), f, nullptr, what, tables)[0];
  return sums;
}

void Poisson::Impl::weigh_on_gpu(const void* from, void* to, const std::vector<std::vector<double>>& shares,
                                 bool divide) const {
  SpectralFactors factors;
  for (int axis = 0; axis < axes(); ++axis) {
    std::vector<std::complex<double>> numbers;
    for (const double share : shares[at(axis)]) numbers.emplace_back(divide ? 1 / share : share);
    factors.terms.push_back(
        SpectralFactors::OfAxis{axis, std::make_shared<const std::vector<std::complex<double>>>(std::move(numbers))});
    if (axis > 0) factors.terms.push_back(SpectralFactors::Join::times);
  }
  gpu::multiply(place(), from, to, factors, layout.with_batch(1).pieces(comm.rank()), element);
}

}  // namespace shardfft
