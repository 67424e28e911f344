// The local FFTs of slabs by FFTW on buffers of their own: what a library does that plans planes and lines with it.
#pragma once

#include <memory>

#include "../native/adapter_base.hpp"
#include "fftw_lines.hpp"

namespace shardfft::bench {

// Planes along axes 1 and 2 of the field's part, and lines along axis 0 of the spectrum's, there and back as the case
// goes; both with their axes fastest in memory, as a good transposition leaves them.
template <class Real>
std::function<void()> fftw_slab_ffts(const Case& wanted, const Part& field, const Part& spectrum) {
  const Triple planes{field.count[0], wanted.shape[1], wanted.shape[2]};
  const Triple halved{field.count[0], wanted.shape[1], wanted.spectrum()[2]};
  const std::int64_t columns = spectrum.count[0] == wanted.shape[0]
                                   ? spectrum.count[1] * spectrum.count[2]
                                   : spectrum.volume() / std::max<std::int64_t>(1, wanted.shape[0]);
  const Triple lines{1, columns, wanted.shape[0]};
  struct Data {
    HostBuffer reals, planes, lines;
    FftwLines<Real> ffts;
  };
  const auto size = [&](const Triple& count) { return std::size_t(count[0] * count[1] * count[2]); };
  auto data = std::make_shared<Data>();
  data->reals = HostBuffer(size(planes) * sizeof(Real));
  data->planes = HostBuffer(size(halved) * 2 * sizeof(Real));
  data->lines = HostBuffer(size(lines) * 2 * sizeof(Real));
  const unsigned effort = fftw_effort(wanted.effort);
  FftwApi<Real>::with_threads(wanted.threads);
  if (wanted.real())
    data->ffts.add_real(packed_part({}, planes), data->reals.get(), packed_part({}, halved), data->planes.get(), true,
                        effort);
  else
    data->ffts.add(packed_part({}, planes), data->planes.get(), 2, true, effort);
  data->ffts.add(packed_part({}, lines), data->lines.get(), 2, false, effort);
  return [data, direction = wanted.direction] {
    for (const int stage : {0, 1})
      if (direction != Direction::backward) data->ffts.execute(stage, true);
    for (const int stage : {1, 0})
      if (direction != Direction::forward) data->ffts.execute(stage, false);
  };
}

}  // namespace shardfft::bench
