// Plans and their reports in the C interface.
#include "shardfft/c/plan.h"

#include <optional>

#include "c/wall.hpp"

using namespace shardfft;
using namespace shardfft::c;

namespace {

/// The arguments of a plan, from handles.
struct WantedPlan {
  Transform transform;
  Layout input;
  OutputLayout left = default_output;
  std::optional<Layout> output;
  Options options;
};

WantedPlan wanted(shardfft_kind kind, shardfft_precision precision, shardfft_layout input, shardfft_layout output,
                  shardfft_options options, const shardfft_plan* plan) {
  place(plan, "plan");
  WantedPlan all{
      {static_cast<Kind>(kind), static_cast<Precision>(precision)}, *get(input), {}, {}, options_of(options)};
  if (output == SHARDFFT_NATURAL_OUTPUT)
    all.left = natural_output;
  else if (output != SHARDFFT_DEFAULT_OUTPUT)
    all.output = *get(output);
  return all;
}

Plan make(const Ranks& ranks, const WantedPlan& all) {
  if (all.output) return {ranks, all.transform, all.input, *all.output, all.options};
  return {ranks, all.transform, all.input, all.left, all.options};
}

void create(MPI_Comm comm, shardfft_kind kind, shardfft_precision precision, shardfft_layout input,
            shardfft_layout output, shardfft_options options, shardfft_plan* plan) {
  WantedPlan all;
  agreed(comm, [&] { all = wanted(kind, precision, input, output, options, plan); });
  give(plan, make(comm, all));
}

/// Every rank does the work, even if a rank's place for the result is wrong.
template <class Handle, class Work>
shardfft_status together(shardfft_plan plan, Handle* result, const Work& work) {
  return guarded([&] { give(result, work(*get(plan))); });
}

/// A handle that is wrong on this rank is an error of all ranks.
Operator operator_for(Plan& plan, shardfft_operator factors) {
  try {
    return *get(factors);
  } catch (const Error& e) {
    plan.refuse(e.what());
  }
}

}  // namespace

shardfft_status shardfft_plan_create(MPI_Comm comm, shardfft_kind kind, shardfft_precision precision,
                                     shardfft_layout input, shardfft_layout output, shardfft_options options,
                                     shardfft_plan* plan) {
  return guarded([&] { create(comm, kind, precision, input, output, options, plan); });
}
shardfft_status shardfft_plan_create_f(MPI_Fint comm, shardfft_kind kind, shardfft_precision precision,
                                       shardfft_layout input, shardfft_layout output, shardfft_options options,
                                       shardfft_plan* plan) {
  return guarded([&] { create(MPI_Comm_f2c(comm), kind, precision, input, output, options, plan); });
}
shardfft_status shardfft_plan_create_devices(int count, const int* devices, shardfft_kind kind,
                                             shardfft_precision precision, shardfft_layout input,
                                             shardfft_layout output, shardfft_options options, shardfft_plan* plan) {
  return guarded([&] {
    const WantedPlan all = wanted(kind, precision, input, output, options, plan);
    give(plan, make(Devices(devices_of(count, devices)), all));
  });
}
shardfft_status shardfft_plan_free(shardfft_plan* plan) { return end(plan); }

shardfft_status shardfft_plan_forward(shardfft_plan plan, const void* in, void* out) {
  return guarded([&] { get(plan)->forward(arrays(&in, 1), arrays(&out, 1)); });
}
shardfft_status shardfft_plan_backward(shardfft_plan plan, const void* in, void* out) {
  return guarded([&] { get(plan)->backward(arrays(&in, 1), arrays(&out, 1)); });
}
shardfft_status shardfft_plan_apply(shardfft_plan plan, shardfft_operator factors, const void* in, void* out) {
  return guarded([&] {
    const auto held = get(plan);
    held->apply(operator_for(*held, factors), in, out);
  });
}
shardfft_status shardfft_plan_convolution(shardfft_plan plan, const void* kernel, shardfft_operator* made) {
  return together(plan, made, [&](Plan& p) { return p.convolution(kernel); });
}
shardfft_status shardfft_plan_forward_members(shardfft_plan plan, int count, const void* const* in, void* const* out) {
  return guarded([&] { get(plan)->forward(arrays(in, count), arrays(out, count)); });
}
shardfft_status shardfft_plan_backward_members(shardfft_plan plan, int count, const void* const* in, void* const* out) {
  return guarded([&] { get(plan)->backward(arrays(in, count), arrays(out, count)); });
}
shardfft_status shardfft_plan_apply_members(shardfft_plan plan, shardfft_operator factors, int count,
                                            const void* const* in, void* const* out) {
  return guarded([&] {
    const auto held = get(plan);
    held->apply(operator_for(*held, factors), arrays(in, count), arrays(out, count));
  });
}
shardfft_status shardfft_plan_convolution_members(shardfft_plan plan, int count, const void* const* kernels,
                                                  shardfft_operator* made) {
  return together(plan, made, [&](Plan& p) { return p.convolution(arrays(kernels, count)); });
}
shardfft_status shardfft_plan_refuse(shardfft_plan plan, const char* why) {
  return guarded([&] { get(plan)->refuse(why == nullptr ? "a rank refuses and does not say why" : why); });
}
shardfft_status shardfft_plan_failed_half_way(shardfft_plan plan, int* failed) {
  return asked(plan, failed, "failed", [](const Plan& p) { return p.failed_half_way(); });
}

shardfft_status shardfft_plan_ranks(shardfft_plan plan, int* ranks) {
  return asked(plan, ranks, "ranks", [](const Plan& p) { return p.ranks(); });
}
shardfft_status shardfft_plan_members(shardfft_plan plan, int* members) {
  return asked(plan, members, "members", [](const Plan& p) { return p.members(); });
}
shardfft_status shardfft_plan_input(shardfft_plan plan, int member, shardfft_side* side) {
  return together(plan, side, [&](const Plan& p) { return p.input(member); });
}
shardfft_status shardfft_plan_output(shardfft_plan plan, int member, shardfft_side* side) {
  return together(plan, side, [&](const Plan& p) { return p.output(member); });
}
shardfft_status shardfft_plan_input_count(shardfft_plan plan, int member, int64_t* count) {
  return asked(plan, count, "count", [&](const Plan& p) { return p.input(member).count(); });
}
shardfft_status shardfft_plan_output_count(shardfft_plan plan, int member, int64_t* count) {
  return asked(plan, count, "count", [&](const Plan& p) { return p.output(member).count(); });
}
shardfft_status shardfft_plan_device(shardfft_plan plan, int member, int* device) {
  return asked(plan, device, "device", [&](const Plan& p) { return p.device(member); });
}
shardfft_status shardfft_plan_stream(shardfft_plan plan, int member, void** stream) {
  return asked(plan, stream, "stream", [&](const Plan& p) { return p.stream(member); });
}
shardfft_status shardfft_plan_set_streams(shardfft_plan plan, int count, void* const* streams) {
  return guarded([&] { get(plan)->set_streams(arrays(streams, count)); });
}
shardfft_status shardfft_plan_in_place_bytes(shardfft_plan plan, int member, size_t* bytes) {
  return asked(plan, bytes, "bytes", [&](const Plan& p) { return p.in_place_bytes(member); });
}
shardfft_status shardfft_plan_workspace_bytes(shardfft_plan plan, size_t* bytes) {
  return asked(plan, bytes, "bytes", [](const Plan& p) { return p.workspace_bytes(); });
}
shardfft_status shardfft_plan_set_workspace(shardfft_plan plan, void* memory, size_t bytes) {
  return guarded([&] { get(plan)->set_workspace(memory, bytes); });
}
shardfft_status shardfft_plan_allocate_input(shardfft_plan plan, int member, shardfft_buffer* buffer) {
  return together(plan, buffer, [&](Plan& p) { return p.allocate_input(member); });
}
shardfft_status shardfft_plan_allocate_output(shardfft_plan plan, int member, shardfft_buffer* buffer) {
  return together(plan, buffer, [&](Plan& p) { return p.allocate_output(member); });
}

shardfft_status shardfft_plan_way(shardfft_plan plan, char** way) {
  return guarded([&] { give_text(way, get(plan)->way()); });
}
shardfft_status shardfft_plan_report(shardfft_plan plan, shardfft_report* report) {
  return together(plan, report, [](const Plan& p) { return p.report(); });
}
shardfft_status shardfft_report_to_text(shardfft_report report, char** text) {
  return guarded([&] { give_text(text, get(report)->to_text()); });
}
shardfft_status shardfft_report_to_json(shardfft_report report, char** json) {
  return guarded([&] { give_text(json, get(report)->to_json()); });
}
shardfft_status shardfft_report_free(shardfft_report* report) { return end(report); }
