#include "exec/gather_fft.hpp"

namespace shardfft {

namespace {

/// The members' arrays, while this rank may read them.
class Sources : public LineSource {
 public:
  explicit Sources(const HostReshapeSetup& setup) : sources_(setup) {}
  const std::byte* here(int peer) const override { return sources_.here(peer); }
  void fetch(const PeerCopy& copy, std::byte* lines, std::byte* scratch) const override {
    sources_.fetch(copy, lines, 1, scratch);
  }
  HostSources* operator->() { return &sources_; }
  const HostSources* operator->() const { return &sources_; }

 private:
  HostSources sources_;
};

class GatherFft : public Operation {
 public:
  GatherFft(const HostReshapeSetup& setup, const BundledFftSetup& fft) : sources_(setup), fft_(fft) {}

  void run(const std::byte* in, std::byte* out, std::byte* scratch) override {
    sources_->open(in);
    fft_.run(sources_, out, scratch);
    sources_->close();
  }
  std::size_t scratch_bytes() const override { return fft_.scratch_bytes(); }
  std::size_t table_bytes() const override { return fft_.table_bytes(); }
  bool reads_host_memory() const override { return true; }
  void wait_readers() override { sources_->wait_readers(); }
  CrossCost cross_cost() const override {
    CrossCost sum;
    fft_.for_each_gather([&](const PeerCopy& copy, std::int64_t times) { sum += times * sources_->cost(copy); });
    return sum;
  }
  void read_across(const CrossMemory* memory) override {
    sources_->read_across(memory);
    fft_.give_fetch(sources_->scratch_bytes());
  }
  Role role() const override { return Role::moves_and_computes; }
  std::string describe() const override { return "gather from shared memory, " + fft_.describe(); }

 private:
  Sources sources_;
  BundledFft fft_;
};

}  // namespace

std::unique_ptr<Operation> make_gather_fft(const HostReshapeSetup& setup, const BundledFftSetup& fft) {
  return std::make_unique<GatherFft>(setup, fft);
}

}  // namespace shardfft
