#include "base/aligned.hpp"
#include "exchange/blocks.hpp"
#include "exchange/far_side.hpp"
#include "exchange/link.hpp"
#include "exchange/traced.hpp"

namespace shardfft {

namespace {

/// All parcels of one member in a leader's buffer, as one datatype.
struct MemberType {
  int member;
  Datatype type;
};

using Types = std::vector<MemberType>;

Types member_types(const LeaderBuffer& buffer, const ExchangeSetup& setup, const HostPlan& plan) {
  const Datatype element = Datatype::element(setup.element_bytes);
  Types types;
  for (const int member : plan.members) {
    if (member == plan.leader) continue;
    std::vector<Parcel> runs;  // merges parcels one behind the other
    for (const Parcel& p : buffer.parcels) {
      if (p.member != member) continue;
      if (!runs.empty() && runs.back().offset + runs.back().count == p.offset)
        runs.back().count += p.count;
      else
        runs.push_back(p);
    }
    std::vector<Datatype::Part> parts;
    for (const Parcel& p : runs)
      parts.push_back(
          {p.offset * static_cast<std::int64_t>(setup.element_bytes), Datatype::contiguous(p.count, element)});
    if (!parts.empty()) types.push_back({member, Datatype::join(parts)});
  }
  return types;
}

/// Gather, exchange, scatter: each stage begins when the one before is done. The gather (receives from members, and
/// packing) begins in start, the other stages in progress and finish.
class FarLeader : public Exchange {
 public:
  FarLeader(const ExchangeSetup& setup, const HostPlan& plan)
      : link_(setup),
        plan_(plan),
        element_bytes_(static_cast<std::int64_t>(setup.element_bytes)),
        send_(setup.schedule.send, setup, Staging::always),
        recv_(setup.schedule.recv, setup, Staging::always),
        basic_types_(setup.basic_types),
        gather_types_(basic_types_ ? Types() : member_types(plan.outbound, setup, plan)),
        scatter_types_(basic_types_ ? Types() : member_types(plan.inbound, setup, plan)),
        trace_(setup.trace),
        gather_(setup.watch),
        exchange_(setup.watch),
        scatter_(setup.watch) {}

  std::size_t workspace_bytes() const override { return side_bytes(plan_.outbound) + side_bytes(plan_.inbound); }

  void start(const ExchangeBuffers& b) override {
    stage_ = Stage::gather;
    {
      const Scope scope(trace_, Activity::exchange);
      for (const MemberType& m : gather_types_) link_.receive(b.workspace, m.type, m.member, gather_, gather_channel);
      for_parcels(plan_.outbound, [&](const Parcel& p) {
        link_.receive(b.workspace + p.offset * element_bytes_, p.count, p.member, gather_);
      });
    }
    for (const Parcel& p : plan_.outbound.parcels)
      if (p.member == plan_.leader)
        send_.pack_into(send_.find(p.remote), b.source, b.workspace + p.offset * element_bytes_);
    progress(b);
  }

  void progress(const ExchangeBuffers& b) override {
    while (stage_ != Stage::done && in_flight().test_all()) advance(b);
  }

  void finish(const ExchangeBuffers& b) override {
    while (stage_ != Stage::done) {
      wait_traced(in_flight(), trace_);
      advance(b);
    }
  }

 private:
  enum class Stage { gather, exchange, scatter, done };

  /// Calls visit(parcel) for the parcels of other members if there are no datatypes: then each parcel is a message.
  template <class Visit>
  void for_parcels(const LeaderBuffer& buffer, const Visit& visit) const {
    for (const Parcel& p : buffer.parcels)
      if (basic_types_ && p.member != plan_.leader) visit(p);
  }
  std::size_t side_bytes(const LeaderBuffer& buffer) const {
    return round_up(static_cast<std::size_t>(buffer.count * element_bytes_), cache_line);
  }
  std::byte* inbound(const ExchangeBuffers& b) const { return b.workspace + side_bytes(plan_.outbound); }

  RequestSet& in_flight() {
    if (stage_ == Stage::gather) return gather_;
    return stage_ == Stage::exchange ? exchange_ : scatter_;
  }

  /// The present stage is done: begins the next.
  void advance(const ExchangeBuffers& b) {
    if (stage_ == Stage::gather) {
      const Scope scope(trace_, Activity::exchange);
      for (const LeaderBuffer::Run& run : plan_.outbound.runs)
        link_.send(b.workspace + run.offset * element_bytes_, run.count, run.leader, exchange_);
      for (const LeaderBuffer::Run& run : plan_.inbound.runs)
        link_.receive(inbound(b) + run.offset * element_bytes_, run.count, run.leader, exchange_);
      stage_ = Stage::exchange;
    } else if (stage_ == Stage::exchange) {
      scatter(b);
      stage_ = Stage::scatter;
    } else {
      stage_ = Stage::done;
    }
  }

  void scatter(const ExchangeBuffers& b) {
    {
      const Scope scope(trace_, Activity::exchange);
      for (const MemberType& m : scatter_types_) link_.send(inbound(b), m.type, m.member, scatter_, scatter_channel);
      for_parcels(plan_.inbound, [&](const Parcel& p) {
        link_.send(inbound(b) + p.offset * element_bytes_, p.count, p.member, scatter_);
      });
    }
    for (const Parcel& p : plan_.inbound.parcels)
      if (p.member == plan_.leader)
        recv_.unpack_from(recv_.find(p.remote), inbound(b) + p.offset * element_bytes_, b.destination);
  }

  Link link_;
  HostPlan plan_;
  std::int64_t element_bytes_;
  Blocks send_;
  Blocks recv_;
  bool basic_types_;
  Types gather_types_;
  Types scatter_types_;
  Trace* trace_;
  Stage stage_ = Stage::done;
  RequestSet gather_;
  RequestSet exchange_;
  RequestSet scatter_;
};

}  // namespace

std::unique_ptr<Exchange> make_far_leader(const ExchangeSetup& setup, const HostPlan& plan) {
  return std::make_unique<FarLeader>(setup, plan);
}

}  // namespace shardfft
