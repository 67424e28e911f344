#include "exec/gather_fft.hpp"

#include <optional>

namespace shardfft {

namespace {

class GatherFft : public BundledFft {
 public:
  GatherFft(const HostReshapeSetup& gather, const BundledFftSetup& fft, const HostReshapeSetup* scatter)
      : BundledFft(fft), sources_(gather), takes_kept_(fft.sources.has_value()) {
    if (scatter != nullptr) targets_.emplace(*scatter);
  }

  void run(const std::byte* in, std::byte* out, std::byte* scratch) override {
    if (targets_) targets_->offer(out);
    sources_.open(in);
    if (targets_) {
      targets_->open();
      BundledFft::run(sources_, *targets_, scratch);
    } else {
      BundledFft::run(sources_, own_target(out), scratch);
    }
    sources_.close();
    if (targets_) targets_->close();
  }
  bool runs_in_place() const override { return false; }
  bool reads_host_memory() const override { return true; }
  bool writes_host_memory() const override { return targets_.has_value(); }
  void stage(const std::byte* in, std::byte* staged, std::size_t bytes) override { sources_.stage(in, staged, bytes); }
  void keep(std::byte* array) override {
    BundledFft::keep(array);
    if (takes_kept_) sources_.own(array);
  }
  void wait_readers() override { sources_.wait_readers(); }
  CrossCost cross_cost() const override {
    CrossCost sum;
    for_each_gather([&](const PeerCopy& copy, std::int64_t times) { sum += times * sources_.cost(copy); });
    return sum;
  }
  void read_across(const CrossMemory* memory) override {
    sources_.read_across(memory);
    give_fetch(sources_.scratch_bytes());
  }
  Role role() const override { return Role::moves_and_computes; }
  std::string describe() const override {
    return "gather from shared memory, " + BundledFft::describe() + (targets_ ? ", scatter to shared memory" : "");
  }

 private:
  HostSources sources_;
  bool takes_kept_;
  std::optional<HostOutputs> targets_;
};

}  // namespace

std::unique_ptr<Operation> make_gather_fft(const HostReshapeSetup& gather, const BundledFftSetup& fft,
                                           const HostReshapeSetup* scatter) {
  return std::make_unique<GatherFft>(gather, fft, scatter);
}

}  // namespace shardfft
