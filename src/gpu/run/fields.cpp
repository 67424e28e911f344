// Figures of fields in memory of a GPU, and additions to them.
#include "device/fields.hpp"

#include <algorithm>

#include "device/handles.hpp"
#include "device/pointwise.hpp"
#include "gpu/pass/operator_operation.hpp"
#include "gpu/run/make.hpp"

namespace shardfft::gpu {

namespace {

/// A run of powers_of_runs() has at least so many numbers.
constexpr std::int64_t least_run = 1 << 14, most_runs = 1 << 12;

template <class T>
std::size_t bytes_of(const std::vector<T>& numbers) {
  return numbers.size() * sizeof(T);
}

}  // namespace

std::vector<double> sums_in_shells(int device, const void* a, const void* b, const device::ShellSums& what,
                                   const std::vector<double>& tables) {
  const device::DeviceScope scope(device);
  const device::Stream stream = device::make_stream();
  std::vector<double> sums(static_cast<std::size_t>(what.shells));
  const device::Memory memory = device::make_memory(bytes_of(sums) + bytes_of(tables));
  auto* const there = static_cast<double*>(memory.get());
  device::fill_zero(there, bytes_of(sums), stream.get());
  device::copy_bytes(there + what.shells, tables.data(), bytes_of(tables), stream.get());
  device::add_in_shells(static_cast<const std::byte*>(a), static_cast<const std::byte*>(b), what, there + what.shells,
                        there, stream.get());
  device::copy_bytes(sums.data(), there, bytes_of(sums), stream.get());
  device::synchronize(stream.get());
  return sums;
}

std::vector<Powers> powers_of(int device, const void* array, std::int64_t count, std::int64_t fields,
                              Precision precision) {
  const device::DeviceScope scope(device);
  const device::Stream stream = device::make_stream();
  const std::int64_t parts =
      std::clamp<std::int64_t>(count / least_run, 1, std::max<std::int64_t>(1, most_runs / fields));
  std::vector<Powers> runs(static_cast<std::size_t>(fields * parts)), result(static_cast<std::size_t>(fields));
  const device::Memory there = device::make_memory(bytes_of(runs));
  device::powers_of_runs(static_cast<const std::byte*>(array), count, fields, parts, precision,
                         static_cast<Powers*>(there.get()), stream.get());
  device::copy_bytes(runs.data(), there.get(), bytes_of(runs), stream.get());
  device::synchronize(stream.get());
  for (std::size_t i = 0; i < runs.size(); ++i) result[i / static_cast<std::size_t>(parts)].join(runs[i]);
  return result;
}

void add_boxes(const MemberPlace& place, const std::byte* source, std::byte* destination,
               const std::vector<LocalCopy>& boxes, ElementType element) {
  const device::DeviceScope scope(place.device);
  for (const LocalCopy& box : boxes) device::add_box(source, box.from, destination, box.to, element, place.stream);
}

void clear_boxes(const MemberPlace& place, std::byte* array, const std::vector<Box>& boxes, ElementType element) {
  const device::DeviceScope scope(place.device);
  for (const Box& box : boxes) device::clear_box(array, box, element, place.stream);
}

void multiply(const MemberPlace& place, const void* in, void* out, const SpectralFactors& factors,
              const std::vector<Piece>& pieces, ElementType element) {
  const device::DeviceScope scope(place.device);
  const std::vector<std::complex<double>> numbers = axis_numbers(factors);
  const device::Memory there = device::make_memory(bytes_of(numbers));
  device::copy_bytes(there.get(), numbers.data(), bytes_of(numbers), place.stream);
  device::multiply(in, out, factors, static_cast<const std::complex<double>*>(there.get()), pieces, element,
                   place.stream);
  device::synchronize(place.stream);
}

}  // namespace shardfft::gpu
