// The fused step: BundledFft whose lines are read from the memory of their owners on this host.
#include "exec/bundled_fft.hpp"
#include "exec/host_reshape.hpp"

namespace shardfft {

namespace {

class GatherFft : public Operation {
 public:
  GatherFft(const HostReshapeSetup& setup, const BundledFftSetup& fft) : sources_(setup), fft_(fft) {}

  void run(const std::byte* in, std::byte* out, std::byte*) override {
    sources_.open(in);
    fft_.run([this](const PeerCopy& copy, std::byte* lines) { sources_.fetch(copy, lines, 1); }, out);
    sources_.close();
  }
  bool reads_host_memory() const override { return true; }
  void wait_readers() override { sources_.wait_readers(); }
  CrossCost cross_cost() const override {
    CrossCost sum;
    fft_.for_each_gather([&](const PeerCopy& copy) { sum += sources_.cost(copy); });
    return sum;
  }
  void read_across(const CrossMemory* memory) override { sources_.read_across(memory); }
  Role role() const override { return Role::moves_and_computes; }
  std::string describe() const override { return "gather from shared memory, " + fft_.describe(); }

 private:
  HostSources sources_;
  BundledFft fft_;
};

class LocalBundledFft : public Operation {
 public:
  explicit LocalBundledFft(const BundledFftSetup& setup) : in_place_(setup.step.kind == Kind::c2c), fft_(setup) {}
  void run(const std::byte* in, std::byte* out, std::byte*) override {
    fft_.run([&](const PeerCopy& copy, std::byte* lines) { fft_.copy_lines(in, copy, lines); }, out);
  }
  bool runs_in_place() const override { return in_place_; }
  std::string describe() const override { return fft_.describe(); }

 private:
  bool in_place_;
  BundledFft fft_;
};

}  // namespace

std::unique_ptr<Operation> make_gather_fft(const HostReshapeSetup& setup, const BundledFftSetup& fft) {
  return std::make_unique<GatherFft>(setup, fft);
}

std::unique_ptr<Operation> make_bundled_fft(const BundledFftSetup& setup) {
  return std::make_unique<LocalBundledFft>(setup);
}

}  // namespace shardfft
