#include "gpu/pass/catalogue.hpp"

#include <algorithm>
#include <array>

#include "base/check.hpp"

namespace shardfft::gpu {

// Each is defined in the file of its pass.
extern const PassRecord copy_pass, cosine_pass, plane_pass, line_pass, summed_row_pass, blocked_rows_pass,
    transposed_pass, row_pass, cufft_pass, scaled_cufft_pass, dense_pass;

namespace {

/// The first record that fits is used.
constexpr std::array table{&copy_pass,       &cosine_pass,       &plane_pass,      &line_pass,
                           &summed_row_pass, &blocked_rows_pass, &transposed_pass, &row_pass,
                           &cufft_pass,      &scaled_cufft_pass, &dense_pass};

template <class Wanted>
const PassRecord* find(const Wanted& wanted) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const PassRecord* pass) { return wanted(*pass); });
  return found != table.end() ? *found : nullptr;
}

}  // namespace

const PassRecord* find_pass(const FftSpec& spec, const PassUse& use) {
  const PassRecord& vendor = use.scales ? scaled_cufft_pass : cufft_pass;
  return find([&](const PassRecord& pass) {
    return (use.piece_bytes == 0 || pass.in_one_array) && (!use.vendor || &pass == &vendor) && pass.fits(spec, use);
  });
}

const PassRecord* find_own_pass(const FftSpec& spec, const PassUse& use) {
  return find([&](const PassRecord& pass) { return pass.own && pass.fits(spec, use); });
}

const PassRecord& pass_named(std::string_view name) {
  const PassRecord* const pass = find([name](const PassRecord& of_table) { return of_table.name == name; });
  require(pass != nullptr, "there is no pass called ", name);
  return *pass;
}

Box box_of(const Loops& loops, std::int64_t Loop::*stride) {
  Box box;
  for (const Loop& loop : loops) {
    if (loop.count == 1) continue;
    box.count[static_cast<std::size_t>(box.axes)] = loop.count;
    box.stride[static_cast<std::size_t>(box.axes)] = loop.*stride;
    ++box.axes;
  }
  return box;
}

}  // namespace shardfft::gpu
