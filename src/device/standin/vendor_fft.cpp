// device/vendor_fft.hpp without a GPU: FFTW, with cuFFT's demands checked and its habits imitated.
#include "device/vendor_fft.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "base/check.hpp"
#include "device/handles.hpp"
#include "device/standin/kernel.hpp"
#include "device/standin/settings.hpp"
#include "geometry/schedule.hpp"
#include "local/local_fft.hpp"

namespace shardfft::device {
namespace {

using device::standin::Access;

/// The elements of one side, the batch first.
struct Elements {
  Box box;
  std::size_t bytes_of_one = 16;
  std::size_t bytes() const {
    std::int64_t last = 0;
    for (std::size_t a = 0; a < axes(); ++a) last += (box.count[a] - 1) * box.stride[a];
    return static_cast<std::size_t>(last + 1) * bytes_of_one;
  }
  std::size_t axes() const { return static_cast<std::size_t>(box.axes); }
  void add(std::int64_t count, std::int64_t stride) {
    box.count[axes()] = count;
    box.stride[axes()] = stride;
    ++box.axes;
  }
};

Elements elements_of(const VendorFftSpec& spec, const VendorFftSide& side, bool complex_side) {
  std::vector<std::int64_t> extents = spec.extents;
  if (complex_side && spec.kind != Kind::c2c) extents.back() = extents.back() / 2 + 1;
  const std::vector<std::int64_t> embed = side.embed.empty() ? extents : side.embed;
  require(embed.size() == extents.size() && extents.size() <= 3, "cuFFT takes one to three axes");
  std::int64_t stride = side.stride;
  std::vector<std::int64_t> strides(embed.size());
  for (std::size_t a = embed.size(); a-- > 0; stride *= embed[a]) strides[a] = stride;
  std::int64_t distance = side.distance;
  if (distance <= 0) distance = stride / side.stride;
  Elements elements{{}, ElementType{spec.precision, complex_side}.bytes()};
  elements.add(spec.batch, distance);
  for (std::size_t a = 0; a < extents.size(); ++a) elements.add(extents[a], strides[a]);
  return elements;
}

/// cuFFT overwrites the input of every out-of-place c2r transform.
template <class T>
void poison(T* data, const Box& box, std::size_t axis = 0) {
  if (axis == static_cast<std::size_t>(box.axes)) {
    data[0] = data[1] = std::numeric_limits<T>::quiet_NaN();
    return;
  }
  for (std::int64_t i = 0; i < box.count[axis]; ++i) poison(data + 2 * i * box.stride[axis], box, axis + 1);
}

class StandInPlan {
 public:
  explicit StandInPlan(const VendorFftSpec& spec)
      : spec_(spec),
        device_(device::current_device()),
        in_(elements_of(spec, spec.in, spec.kind != Kind::r2c)),
        out_(elements_of(spec, spec.out, spec.kind != Kind::c2r)) {}

  std::size_t work_bytes() const { return out_.bytes(); }
  void check(const void* in, const void* out) const;
  std::shared_ptr<const LocalFft> fft(Direction direction, bool in_place);
  std::vector<Access> touched(const void* in, const void* out) const {
    return {{in, in_.bytes()}, {out, out_.bytes()}};
  }
  std::size_t in_bytes() const { return in_.bytes(); }
  void after(void* in, const void* out) const;

  /// A plan has one work area: if two streams use it at once, both results are wrong.
  void enter(const void* stream) {
    if (user_ != nullptr && user_ != stream) fail(Status::backend_failure, "two streams use one cuFFT plan at once");
    user_ = stream;
  }
  void leave() { user_ = nullptr; }

 private:
  bool sides_agree() const;

  VendorFftSpec spec_;
  int device_;
  Elements in_, out_;
  std::mutex mutex_;
  std::map<std::pair<Direction, bool>, std::shared_ptr<const LocalFft>> ffts_;
  const void* user_ = nullptr;  ///< seen by the stand-in's worker only
};

bool StandInPlan::sides_agree() const {
  const auto bytes = [](const Elements& side, std::size_t axis) {
    return static_cast<std::size_t>(side.box.stride[axis]) * side.bytes_of_one;
  };
  const std::size_t last = in_.axes() - 1;
  for (std::size_t a = 0; a < last; ++a)
    if (in_.box.count[a] > 1 && bytes(in_, a) != bytes(out_, a)) return false;
  return in_.box.stride[last] == out_.box.stride[last];
}

void StandInPlan::check(const void* in, const void* out) const {
  if (device::current_device() != device_)
    fail(Status::backend_failure, "a cuFFT plan of device ", device_, " is used on device ", device::current_device());
  const std::size_t unit = ElementType{spec_.precision, true}.bytes();
  if (reinterpret_cast<std::uintptr_t>(in) % unit != 0 || reinterpret_cast<std::uintptr_t>(out) % unit != 0)
    fail(Status::backend_failure, "cuFFT needs arrays aligned to complex numbers, real ones too");
  if (in == out && !sides_agree())
    fail(Status::backend_failure, "a cuFFT transform in place needs the same places on both sides");
}

std::shared_ptr<const LocalFft> StandInPlan::fft(Direction direction, bool in_place) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::shared_ptr<const LocalFft>& made = ffts_[{direction, in_place}];
  if (made) return made;
  FftSpec spec;
  spec.kind = spec_.kind;
  spec.precision = spec_.precision;
  spec.direction = direction;
  for (std::size_t a = 0; a < spec_.extents.size(); ++a)
    spec.transform.push_back({spec_.extents[a], in_.box.stride[a + 1], out_.box.stride[a + 1]});
  spec.batch = {{spec_.batch, in_.box.stride[0], out_.box.stride[0]}};
  spec.in_place = in_place;
  spec.scale = spec_.scale;
  spec.effort = Effort::estimate;
  made = make_local_fft("fftw", spec);
  return made;
}

void StandInPlan::after(void* in, const void* out) const {
  if (spec_.kind != Kind::c2r || in == out) return;
  if (spec_.precision == Precision::f64)
    poison(static_cast<double*>(in), in_.box);
  else
    poison(static_cast<float*>(in), in_.box);
}

/// Whether cuFFT scales lines of n points: it has no callbacks where a prime factor is large.
bool scales_lines(std::int64_t n) {
  constexpr std::int64_t most_factor = 127;
  for (std::int64_t factor = 2; factor <= most_factor; ++factor)
    while (n % factor == 0) n /= factor;
  return n == 1;
}

/// Plans by their handles.
class Plans {
 public:
  struct Plan {
    std::shared_ptr<StandInPlan> fft;
    Memory work_area;
  };

  static Plans& instance() {
    static Plans& all = *new Plans;
    return all;
  }
  int add(Plan plan) {
    const std::lock_guard<std::mutex> lock(mutex_);
    plans_.emplace(++last_, std::move(plan));
    return last_;
  }
  std::shared_ptr<StandInPlan> get(int handle) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return plans_.at(handle).fft;
  }
  void remove(int handle) {
    const std::lock_guard<std::mutex> lock(mutex_);
    plans_.erase(handle);
  }

 private:
  std::mutex mutex_;
  int last_ = 0;
  std::map<int, Plan> plans_;
};

}  // namespace

VendorFft::VendorFft(const VendorFftSpec& spec) : spec_(spec) {
  if (spec.batch <= 0) return;
  require(spec.scale == 1 || spec.links || spec.kind == Kind::c2r, "cuFFT scales no results");
  if (spec.links && !std::ranges::all_of(spec.extents, scales_lines))
    fail(Status::unsupported, "cuFFT does not scale results of such lengths");
  const auto plan = std::make_shared<StandInPlan>(spec);
  work_bytes_ = plan->work_bytes();
  handle_ = Plans::instance().add({plan, standin::takes_work_areas() ? make_memory(work_bytes_) : Memory()});
  made_ = true;
}

std::size_t VendorFft::work_bytes_of(const VendorFftSpec& spec) {
  return spec.batch <= 0 ? 0 : StandInPlan(spec).work_bytes();
}

bool VendorFft::takes_scale(Kind /*kind*/, Precision /*precision*/) { return true; }

VendorFft::~VendorFft() {
  if (made_) Plans::instance().remove(handle_);
}

void VendorFft::execute(const void* in, void* out, Direction direction, void* stream, void* work) const {
  if (!made_) return;
  const std::shared_ptr<StandInPlan> plan = Plans::instance().get(handle_);
  plan->check(in, out);
  // The sign of a real transform is that of its kind.
  if (spec_.kind != Kind::c2c) direction = spec_.kind == Kind::r2c ? Direction::forward : Direction::backward;
  const auto fft = plan->fft(direction, in == out);
  void* const source = work != nullptr ? work : const_cast<void*>(in);
  if (work != nullptr) copy_bytes(work, in, plan->in_bytes(), stream);
  device::standin::enqueue_kernel(stream, "cuFFT", {}, [plan, stream] { plan->enter(stream); });
  device::standin::enqueue_kernel(stream, "cuFFT", plan->touched(source, out), [plan, fft, source, out] {
    plan->leave();
    fft->execute(source, out);
    plan->after(source, out);
  });
}

}  // namespace shardfft::device
