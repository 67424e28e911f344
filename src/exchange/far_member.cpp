#include <algorithm>

#include "base/aligned.hpp"
#include "exchange/blocks.hpp"
#include "exchange/far_side.hpp"
#include "exchange/link.hpp"
#include "exchange/traced.hpp"

namespace shardfft {

namespace {

/// Blocks one behind the other, in the order of the leaders' buffers: by host, then by rank.
struct Run {
  struct Entry {
    int block;
    std::int64_t offset_bytes;
  };
  std::vector<Entry> entries;
  std::int64_t count = 0;
  std::size_t bytes = 0;
  Datatype type;
};

Run line_up(const Blocks& blocks, const ExchangeSetup& setup, const HostPlan& plan) {
  Run run;
  for (int i = 0; i < blocks.size(); ++i) run.entries.push_back({i, 0});
  const auto host = [&](const Run::Entry& entry) {
    return plan.leader_of[static_cast<std::size_t>(blocks[entry.block].peer)];
  };
  std::stable_sort(run.entries.begin(), run.entries.end(),
                   [&](const Run::Entry& a, const Run::Entry& b) { return host(a) < host(b); });
  const auto element_bytes = static_cast<std::int64_t>(setup.element_bytes);
  for (Run::Entry& entry : run.entries) {
    entry.offset_bytes = run.count * element_bytes;
    run.count += blocks[entry.block].count;
  }
  run.bytes = round_up(static_cast<std::size_t>(run.count * element_bytes), cache_line);
  if (run.count > 0 && !setup.basic_types)
    run.type = Datatype::contiguous(run.count, Datatype::element(setup.element_bytes));
  return run;
}

class FarMember : public Exchange {
 public:
  FarMember(const ExchangeSetup& setup, const HostPlan& plan)
      : link_(setup),
        leader_(plan.leader),
        basic_types_(setup.basic_types),
        send_(setup.schedule.send, setup, Staging::always),
        recv_(setup.schedule.recv, setup, Staging::always),
        out_(line_up(send_, setup, plan)),
        in_(line_up(recv_, setup, plan)),
        trace_(setup.trace),
        requests_(setup.watch) {}

  std::size_t workspace_bytes() const override { return out_.bytes + in_.bytes; }

  void start(const ExchangeBuffers& b) override {
    if (basic_types_)
      for (const Run::Entry& entry : in_.entries)
        link_.receive(b.workspace + out_.bytes + entry.offset_bytes, recv_[entry.block].count, leader_, requests_);
    else if (in_.count > 0)
      link_.receive(b.workspace + out_.bytes, in_.type, leader_, requests_, scatter_channel);
    if (out_.count == 0) return;
    for (const Run::Entry& entry : out_.entries)
      send_.pack_into(entry.block, b.source, b.workspace + entry.offset_bytes);
    const Scope scope(trace_, Activity::exchange);
    if (!basic_types_) return link_.send(b.workspace, out_.type, leader_, requests_, gather_channel);
    for (const Run::Entry& entry : out_.entries)
      link_.send(b.workspace + entry.offset_bytes, send_[entry.block].count, leader_, requests_);
  }

  void progress(const ExchangeBuffers&) override { requests_.test_all(); }

  void finish(const ExchangeBuffers& b) override {
    wait_traced(requests_, trace_);
    for (const Run::Entry& entry : in_.entries)
      recv_.unpack_from(entry.block, b.workspace + out_.bytes + entry.offset_bytes, b.destination);
  }

 private:
  Link link_;
  int leader_;
  bool basic_types_;  ///< each block is a message
  Blocks send_;
  Blocks recv_;
  Run out_;
  Run in_;
  Trace* trace_;
  RequestSet requests_;
};

}  // namespace

std::unique_ptr<Exchange> make_far_member(const ExchangeSetup& setup, const HostPlan& plan) {
  return std::make_unique<FarMember>(setup, plan);
}

}  // namespace shardfft
