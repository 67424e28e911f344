#include "support/device_check.hpp"

#include <array>

namespace shardfft::test {

Members members_of(Plan& plan) {
  std::vector<int> devices;
  for (int m = 0; m < plan.members(); ++m) devices.push_back(plan.device(m));
  return {devices,
          [&plan](bool output, std::size_t m) {
            return output ? plan.output(static_cast<int>(m)) : plan.input(static_cast<int>(m));
          },
          [&plan](Direction d, const std::vector<const void*>& in, const std::vector<void*>& out) {
            d == Direction::forward ? plan.forward(in, out) : plan.backward(in, out);
          },
          [&plan](std::size_t m) { return plan.in_place_bytes(static_cast<int>(m)); }};
}

std::vector<CallArrays> make_arrays(const Members& members, const TransformCase& c, Direction direction,
                                    const std::string& memory, bool in_place) {
  const bool forward = direction == Direction::forward;
  std::vector<CallArrays> arrays;
  for (std::size_t m = 0; m < members.devices.size(); ++m)
    arrays.emplace_back(members.side(!forward, m), members.side(forward, m), c, memory, members.devices[m],
                        in_place ? std::optional(members.in_place_bytes(m)) : std::nullopt);
  return arrays;
}

void CallArrays::put(const WholeArrays& whole) {
  for (std::size_t field = 0; field < whole.input.size(); ++field)
    for_own_elements(from_side, static_cast<std::int64_t>(field), [&](std::int64_t address, std::int64_t i) {
      host_in.set(address, whole.input[field][to_size(i)]);
    });
  source().put(host_in.data());
}

void run_arrays(const Members& members, std::vector<CallArrays>& arrays, Direction direction,
                const WholeArrays& whole) {
  std::vector<const void*> ins;
  std::vector<void*> outs;
  for (CallArrays& a : arrays) {
    a.put(whole);
    ins.push_back(a.source().data());
    outs.push_back(a.out.data());
  }
  members.run(direction, ins, outs);
}

namespace {

void check_arrays(const Members& members, std::vector<CallArrays>& arrays, const TransformCase& c, Direction direction,
                  const WholeArrays& whole) {
  SCOPED_TRACE(std::string(direction == Direction::forward ? "forward" : "backward") +
               (arrays.front().in ? "" : ", in place"));
  run_arrays(members, arrays, direction, whole);
  for (std::size_t m = 0; m < arrays.size(); ++m) {
    SCOPED_TRACE("rank " + std::to_string(arrays[m].to_side.rank));
    CallArrays& a = arrays[m];
    a.out.get(a.host_out.data());
    for (std::int64_t f = 0; f < c.options.batch; ++f)
      compare_field(a.host_out, a.to_side, f, whole.output[to_size(f)], whole.points, whole.mean_square);
    EXPECT_TRUE(a.out.guard_is_whole()) << "written behind the output";
    const bool to_real = a.from_side.element.is_complex && !a.to_side.element.is_complex;
    if (!a.in || (to_real && c.options.overwrite_input)) continue;
    LocalArray after(a.from_side, a.bytes);
    a.in->get(after.data());
    EXPECT_TRUE(after == a.host_in) << "the input was written";
  }
}

}  // namespace

void check_arrays(const Members& members, std::vector<CallArrays>& arrays, const TransformCase& c, Direction direction,
                  std::uint64_t salt) {
  check_arrays(members, arrays, c, direction, whole_arrays(c, direction, arrays.front().from_side.element, salt));
}

void check_device_plan(const Members& members, const TransformCase& c, const std::string& memory, std::uint64_t salt) {
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    const ElementType element = members.side(direction == Direction::backward, 0).element;
    const WholeArrays whole = whole_arrays(c, direction, element, salt);
    for (const bool in_place : {false, true}) {
      if (!in_place && c.options.workspace == Workspace::least) continue;
      std::vector<CallArrays> arrays = make_arrays(members, c, direction, memory, in_place);
      check_arrays(members, arrays, c, direction, whole);
    }
  }
}

void check_without_pause(Plan& plan, const TransformCase& c) {
  const std::array calls{Direction::forward,  Direction::forward, Direction::backward,
                         Direction::backward, Direction::forward, Direction::backward};
  const Members members = members_of(plan);
  std::array<std::vector<PlacedArray>, 2> arrays;  // input and output of the plan
  std::vector<void*> streams;
  for (std::size_t m = 0; m < members.devices.size(); ++m) {
    for (const std::size_t side : {0, 1})
      arrays[side].emplace_back("device", members.devices[m], members.side(side == 1, m).bytes());
    streams.push_back(plan.stream(static_cast<int>(m)));
  }
  std::vector<std::vector<CallArrays>> fresh;  // what each call reads, and what is left of it
  std::vector<WholeArrays> whole;
  for (const Direction direction : calls) {
    std::vector<CallArrays>& run = fresh.emplace_back(make_arrays(members, c, direction, "device", false));
    whole.push_back(whole_arrays(c, direction, run.front().from_side.element, whole.size()));
    for (CallArrays& a : run) a.put(whole.back());
  }
  plan.set_streams(streams);
  for (std::size_t call = 0; call < calls.size(); ++call) {
    const std::size_t from = calls[call] == Direction::forward ? 0 : 1;
    std::vector<const void*> ins;
    std::vector<void*> outs;
    const auto on_each = [&](const auto& body) {
      for (std::size_t m = 0; m < members.devices.size(); ++m) {
        const device::DeviceScope scope(members.devices[m]);
        const auto copy = [&](void* to, const void* what, std::size_t bytes) {
          if (bytes > 0) device::copy_bytes(to, what, bytes, streams[m]);
        };
        body(m, fresh[call][m], copy);
      }
    };
    on_each([&](std::size_t m, CallArrays& a, const auto& copy) {
      ins.push_back(arrays[from][m].data());
      outs.push_back(arrays[1 - from][m].data());
      copy(arrays[from][m].data(), a.in->data(), a.from_side.bytes());
      copy(outs.back(), a.out.data(), a.to_side.bytes());
    });
    members.run(calls[call], ins, outs);
    on_each([&](std::size_t m, CallArrays& a, const auto& copy) {
      std::byte* const source = arrays[from][m].data();
      copy(a.in->data(), source, a.from_side.bytes());
      if (a.from_side.bytes() > 0) device::fill_zero(source, a.from_side.bytes(), streams[m]);
      copy(a.out.data(), outs[m], a.to_side.bytes());
    });
  }
  plan.set_streams({});
  for (std::size_t call = 0; call < calls.size(); ++call)
    for (std::size_t m = 0; m < members.devices.size(); ++m) {
      SCOPED_TRACE("call " + std::to_string(call));
      CallArrays& a = fresh[call][m];
      const device::DeviceScope scope(members.devices[m]);
      device::synchronize(streams[m]);
      LocalArray after(a.from_side);
      a.in->get(after.data());
      EXPECT_TRUE(after == a.host_in) << "the input was written";
      a.out.get(a.host_out.data());
      compare_field(a.host_out, a.to_side, 0, whole[call].output[0], whole[call].points, whole[call].mean_square);
    }
}

Options on_gpu(const std::string& algorithm) {
  Options o;
  o.effort = Effort::estimate;
  o.processor = Processor::gpu;
  o.algorithm = algorithm;
  return o;
}

Plan make_plan_over(const std::vector<int>& devices, const TransformCase& c) {
  return plan_of(c, static_cast<int>(devices.size()),
                 [&devices](const auto&... arguments) { return Plan(Devices(devices), arguments...); });
}

}  // namespace shardfft::test
