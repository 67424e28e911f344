// The kernels that plans of an array may need, compiled without a device.
#include <functional>
#include <utility>

#include "base/check.hpp"
#include "base/own_folder.hpp"
#include "device/begin_kernels.hpp"
#include "device/cuda/lines/jit.hpp"
#include "device/facts.hpp"
#include "device/kernel_cache.hpp"
#include "shardfft/kernels.hpp"

namespace shardfft {

namespace lines = device::lines;

namespace {

/// A multiprocessor of a device that is not here. Blackwell's server chips have the memory of Hopper's; its other chips
/// have as little as earlier chips of their kind.
lines::Hardware hardware_of(int architecture) {
  constexpr int kibibyte = 1024, registers = 65536;
  switch (architecture) {
    case 80:
      return {163 * kibibyte, 164 * kibibyte, registers, 2048, false};
    case 86:
    case 89:
      return {99 * kibibyte, 100 * kibibyte, registers, 1536, false};
    case 90:
    case 100:
    case 103:
      return lines::hopper;
    case 120:
    case 121:
      return {99 * kibibyte, 100 * kibibyte, registers, 1536, true};
    default:
      fail(Status::invalid_argument,
           "kernels are compiled ahead for sm_80, 86, 89, 90, 100, 103, 120 and 121, not for sm_", architecture);
  }
}

/// Kernels whose compilations begin together; compiled() then waits for one after the other.
class KernelSet {
 public:
  explicit KernelSet(const KernelsFor& plans)
      : plans_(plans), hardware_(hardware_of(plans.architecture)), precision_(plans.precision) {
    const std::vector<std::int64_t>& extents = plans.extents;
    require(!extents.empty(), "kernels are for arrays of one axis and more");
    for (const std::int64_t extent : extents) require(extent > 0, "an axis of ", extent, " points");
    const std::int64_t row = extents.back(), numbers = plans.real ? row / 2 + 1 : row;
    const bool odd = precision_ == Precision::f32 && numbers % 2 != 0;
    for (std::size_t axis = 0; axis + 1 < extents.size(); ++axis)
      for (const bool in_odd_rows : {false, true})
        if (!in_odd_rows || odd) add_lines(extents[axis], in_odd_rows);
    if (extents.size() > 1) add_planes(extents[extents.size() - 2], row);
  }

  std::vector<std::string> compiled() const {
    std::vector<std::string> names;
    for (const auto& [name, wait] : kernels_) {
      wait();
      names.push_back(name);
    }
    return names;
  }

 private:
  void add(std::string name, std::function<void()> wait) {
    for (const auto& kernel : kernels_)
      if (kernel.first == name) return;
    kernels_.emplace_back(std::move(name), std::move(wait));
  }
  std::string suffix() const {
    return std::string(precision_ == Precision::f64 ? ", double" : ", single") + (plans_.verify ? ", checked" : "");
  }

  void add_lines(std::int64_t n, bool odd) {
    if (n < 2 || n > lines::longest_line) return;
    const auto recipe = lines::recipe_for(static_cast<int>(n), hardware_, true, odd);
    if (!recipe) return;
    const lines::Recipe* const own = lines::own_recipe(n);
    if (own != nullptr && lines::same(*own, *recipe) && !plans_.verify) return;  // compiled with the library
    const lines::KernelSkills skills{odd, plans_.verify};
    const Precision precision = precision_;
    const int architecture = plans_.architecture;
    lines::begin_machine_code(*recipe, precision, skills, architecture);
    add("lines of " + std::to_string(n) + (odd ? " points in rows of odd lengths" : " points") + suffix(),
        [=] { lines::machine_code(*recipe, precision, skills, architecture); });
  }

  void add_planes(std::int64_t n, std::int64_t m) {
    device::DeviceFacts largest = device::h200_facts();
    if (!lines::fits_planes(n, m, precision_, plans_.real, largest)) return;
    if (lines::own_plane_cut(n, m) != nullptr && !plans_.verify) return;
    const auto cuts = lines::plane_cuts_for(static_cast<int>(n), static_cast<int>(m), hardware_, true);
    if (cuts.empty()) return;
    const lines::PlaneSkills skills{plans_.real, plans_.verify};
    const Precision precision = precision_;
    const int architecture = plans_.architecture;
    lines::begin_machine_code(cuts, precision, skills, architecture);
    add("planes of " + std::to_string(n) + " rows of " + std::to_string(m) + (plans_.real ? " real" : " complex") +
            " points" + suffix(),
        [=] {
          lines::machine_code(lines::choose_cut(cuts, precision, skills, architecture), precision, skills,
                              architecture);
        });
  }

  const KernelsFor& plans_;
  lines::Hardware hardware_;
  Precision precision_;
  std::vector<std::pair<std::string, std::function<void()>>> kernels_;
};

}  // namespace

bool device::has_cores_for_kernels(int processes) { return lines::has_spare_cores(processes); }

void device::begin_kernels(const KernelsFor& plans) {
  if (!lines::can_compile() || !bulk_copies_wanted() || lines::nvrtc_version().empty()) return;
  lines::begin_machine_code([plans] { const KernelSet begun(plans); });
}

std::vector<std::string> compile_kernels(const KernelsFor& plans) {
  if (lines::nvrtc_version().empty()) fail(Status::unsupported, "libnvrtc was not found");
  const std::string folder = cache_directory();
  if (folder.empty() || !OwnFolder(folder).usable())
    fail(Status::invalid_argument, "there is no folder to keep kernels in: SHARDFFT_CACHE names one");
  return KernelSet(plans).compiled();
}

}  // namespace shardfft
