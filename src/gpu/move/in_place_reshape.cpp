#include "gpu/move/in_place_reshape.hpp"

#include <algorithm>
#include <utility>

#include "base/aligned.hpp"
#include "device/copy_box.hpp"
#include "reshape/paged_reshape.hpp"
#include "tune/defaults.hpp"

namespace shardfft::gpu {

namespace {

/// Memory for pages beside the array: this share of the largest array, but at least so many bytes.
constexpr double part_of_array = 0.025;
constexpr std::size_t least_bytes = std::size_t{1} << 20;
constexpr std::size_t alignment = 256;

std::size_t bytes_beside(const DeviceReshapeSetup& setup) {
  const auto most = static_cast<double>(std::max(setup.from.max_count(), setup.to.max_count()));
  return std::max(static_cast<std::size_t>(part_of_array * most * static_cast<double>(setup.element_bytes)),
                  least_bytes);
}

/// Scratch holds the pages that arrive and those that leave in a round, at the same offsets on all members; then the
/// slots beside the array; then the scratch of the exchange.
class InPlaceReshape : public JointOperation {
 public:
  /// `exchange` moves the pages of one round from the leaving to the arriving ones; null if nothing leaves its rank.
  InPlaceReshape(PagedReshape plan, const PageCut& cut, std::size_t element_bytes,
                 std::unique_ptr<DeviceOperation> exchange)
      : plan_(std::move(plan)),
        exchange_(std::move(exchange)),
        element_bytes_(element_bytes),
        page_bytes_(static_cast<std::size_t>(cut.page) * element_bytes) {
    if (!exchange_) return;
    round_bytes_ = round_up(static_cast<std::size_t>(cut.group_size()) * page_bytes_, alignment);
  }

  int phases() const override { return std::max(1, rounds() * phases_a_round()); }
  void enqueue(int phase, const DeviceBuffers& buffers, device::StreamHandle stream) override {
    if (phase == 0) take_apart(buffers, stream);
    if (exchange_) enqueue_round(phase / phases_a_round(), phase % phases_a_round(), buffers, stream);
    if (phase + 1 == phases()) put_together(buffers, stream);
  }
  std::size_t scratch_bytes() const override {
    return exchange_scratch() + (exchange_ ? exchange_->scratch_bytes() : 0);
  }
  bool runs_in_place() const override { return true; }
  PeersWrite peers_write() const override {
    return exchange_ && exchange_->peers_write() != PeersWrite::nothing ? PeersWrite::scratch : PeersWrite::nothing;
  }
  Activity activity() const override { return Activity::exchange; }
  std::string describe() const override {
    const std::string how = "reshape in place, pages of " + std::to_string(page_bytes_) + " bytes";
    return exchange_ ? how + ", " + std::to_string(rounds()) + " rounds of " + exchange_->describe() : how;
  }
  std::int64_t bytes_sent() const override { return exchange_ ? rounds() * exchange_->bytes_sent() : 0; }

 private:
  void for_each(const std::function<void(DeviceOperation&)>& visit) const override {
    if (exchange_) visit(*exchange_);
  }
  int rounds() const { return static_cast<int>(plan_.rounds().size()); }
  int phases_a_round() const { return exchange_ ? exchange_->phases() : 1; }
  std::size_t slots_scratch() const { return 2 * round_bytes_; }
  std::size_t exchange_scratch() const {
    return slots_scratch() + round_up(static_cast<std::size_t>(plan_.slots_beside()) * page_bytes_, alignment);
  }
  std::byte* coming(const DeviceBuffers& buffers) const { return buffers.scratch; }
  std::byte* leaving(const DeviceBuffers& buffers) const { return buffers.scratch + round_bytes_; }
  std::byte* slot(std::int64_t slot, const DeviceBuffers& buffers) const {
    const std::int64_t inside = plan_.slots_in_array();
    if (slot < inside) return buffers.out + static_cast<std::size_t>(slot) * page_bytes_;
    return buffers.scratch + slots_scratch() + static_cast<std::size_t>(slot - inside) * page_bytes_;
  }
  std::size_t bytes(std::int64_t elements) const { return static_cast<std::size_t>(elements) * element_bytes_; }
  static Box run_of(const PageMove& move) { return Box::run(move.first, move.box.elements()); }

  void take_apart(const DeviceBuffers& buffers, device::StreamHandle stream) const {
    for (const PageMove& move : plan_.apart())
      device::copy_box(buffers.out, move.box, slot(move.slot, buffers), run_of(move), element_bytes_, stream);
  }

  void enqueue_round(int round, int phase, const DeviceBuffers& buffers, device::StreamHandle stream) {
    const PagedReshape::Round& pages = plan_.rounds()[static_cast<std::size_t>(round)];
    if (phase == 0)
      for (const PageSent& page : pages.leave)
        device::copy_bytes(leaving(buffers) + page.member * page_bytes_, slot(page.slot, buffers), bytes(page.elements),
                           stream);
    DeviceBuffers inner{leaving(buffers), coming(buffers), buffers.scratch + exchange_scratch()};
    inner.outs = buffers.outs;
    exchange_->enqueue(phase, inner, stream);
    if (phase + 1 != phases_a_round()) return;
    for (const PageSent& page : pages.come)
      device::copy_bytes(slot(page.slot, buffers), coming(buffers) + page.member * page_bytes_, bytes(page.elements),
                         stream);
  }

  void put_together(const DeviceBuffers& buffers, device::StreamHandle stream) const {
    for (const PageShift& shift : plan_.shifts())
      device::copy_bytes(slot(shift.to, buffers), slot(shift.from, buffers), bytes(shift.elements), stream);
    const auto& moves = plan_.together();
    for (auto move = moves.rbegin(); move != moves.rend(); ++move)
      device::copy_box(slot(move->slot, buffers), run_of(*move), buffers.out, move->box, element_bytes_, stream);
  }

  PagedReshape plan_;
  std::unique_ptr<DeviceOperation> exchange_;
  std::size_t element_bytes_;
  std::size_t page_bytes_;
  std::size_t round_bytes_ = 0;  ///< bytes of the pages of one direction
};

}  // namespace

MemberOperations make_in_place_reshape(const std::string& name, const DeviceReshapeSetup& setup) {
  const Team& team = *setup.team;
  PageCut cut;
  std::vector<PagedReshape> plans;
  team.agree([&] {
    cut = cut_in_pages(setup.from, setup.to, setup.element_bytes, bytes_beside(setup));
    for (const Member& member : team.here()) plans.emplace_back(setup.from, setup.to, member.rank, cut);
  });
  MemberOperations exchanges;
  if (cut.rounds > 0)
    exchanges = make_device_reshape(name, {setup.team, cut.leaving(), cut.coming(), setup.element_bytes});
  exchanges.resize(plans.size());
  MemberOperations operations;
  for (std::size_t m = 0; m < plans.size(); ++m)
    operations.push_back(
        std::make_unique<InPlaceReshape>(std::move(plans[m]), cut, setup.element_bytes, std::move(exchanges[m])));
  return operations;
}

}  // namespace shardfft::gpu
