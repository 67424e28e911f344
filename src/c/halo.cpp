// Halo exchanges in the C interface.
#include "shardfft/c/halo.h"

#include "c/wall.hpp"

using namespace shardfft;
using namespace shardfft::c;

namespace {

struct Wanted {
  Layout layout;
  std::vector<HaloWidth> widths;
  ElementType element;
  Corners corners;
  Options options;
};

shardfft_status create(MPI_Comm comm, const std::function<Wanted()>& told, shardfft_halo* made) {
  return guarded([&] {
    Wanted all;
    agreed(comm, [&] {
      place(made, "halo");
      all = told();
    });
    give(made, HaloExchange(comm, all.layout, all.widths, all.element, all.options, all.corners));
  });
}

std::function<Wanted()> wanted(shardfft_layout layout, const int64_t* below, const int64_t* above, const int* periodic,
                               shardfft_precision precision, int is_complex, int corners, shardfft_options options) {
  return [=] {
    Wanted all{*get(layout),
               {},
               element_of(precision, is_complex),
               corners != 0 ? Corners::filled : Corners::left_out,
               options_of(options)};
    const std::int64_t axes = all.layout.axes();
    const auto low = given(below, axes, "below"), high = given(above, axes, "above");
    for (std::size_t a = 0; a < low.size(); ++a)
      all.widths.push_back({low[a], high[a], periodic == nullptr || periodic[a] != 0});
    return all;
  };
}

}  // namespace

shardfft_status shardfft_halo_create(MPI_Comm comm, shardfft_layout layout, const int64_t* below, const int64_t* above,
                                     const int* periodic, shardfft_precision precision, int is_complex, int corners,
                                     shardfft_options options, shardfft_halo* made) {
  return create(comm, wanted(layout, below, above, periodic, precision, is_complex, corners, options), made);
}
shardfft_status shardfft_halo_create_f(MPI_Fint comm, shardfft_layout layout, const int64_t* below,
                                       const int64_t* above, const int* periodic, shardfft_precision precision,
                                       int is_complex, int corners, shardfft_options options, shardfft_halo* made) {
  return shardfft_halo_create(MPI_Comm_f2c(comm), layout, below, above, periodic, precision, is_complex, corners,
                              options, made);
}
shardfft_status shardfft_halo_free(shardfft_halo* made) { return end(made); }

shardfft_status shardfft_halo_update(shardfft_halo halo, void* x) {
  return guarded([&] { get(halo)->update(x); });
}
shardfft_status shardfft_halo_begin(shardfft_halo halo, void* x) {
  return guarded([&] { get(halo)->begin(x); });
}
shardfft_status shardfft_halo_end(shardfft_halo halo) {
  return guarded([&] { get(halo)->end(); });
}
shardfft_status shardfft_halo_add_back(shardfft_halo halo, void* x) {
  return guarded([&] { get(halo)->add_back(x); });
}

shardfft_status shardfft_halo_members(shardfft_halo halo, int* members) {
  return asked(halo, members, "members", [](const HaloExchange& h) { return h.members(); });
}
shardfft_status shardfft_halo_device(shardfft_halo halo, int member, int* device) {
  return asked(halo, device, "device", [&](const HaloExchange& h) { return h.device(member); });
}
shardfft_status shardfft_halo_stream(shardfft_halo halo, int member, void** stream) {
  return asked(halo, stream, "stream", [&](const HaloExchange& h) { return h.stream(member); });
}
shardfft_status shardfft_halo_failed_half_way(shardfft_halo halo, int* failed) {
  return asked(halo, failed, "failed", [](const HaloExchange& h) { return h.failed_half_way(); });
}
shardfft_status shardfft_halo_count(shardfft_halo halo, int member, int64_t* count) {
  return asked(halo, count, "count", [&](const HaloExchange& h) { return h.count(member); });
}
shardfft_status shardfft_halo_extents(shardfft_halo halo, int member, int64_t* extents) {
  return guarded([&] { copy_to(&place(extents, "extents"), get(halo)->extents(member)); });
}
shardfft_status shardfft_halo_owned(shardfft_halo halo, int member, shardfft_progression* set) {
  return guarded([&] {
    const IndexSet own = get(halo)->owned(member).set;
    place(set, "set");
    for (int a = 0; a < own.axes; ++a) set[a] = c_progression(own.axis[static_cast<std::size_t>(a)]);
  });
}
shardfft_status shardfft_halo_bytes_sent(shardfft_halo halo, int64_t* bytes) {
  return asked(halo, bytes, "bytes", [](const HaloExchange& h) { return h.bytes_sent(); });
}
