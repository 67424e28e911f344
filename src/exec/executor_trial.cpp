// Candidates for the runs of an executor's programs, and the memory of their trial.
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/available_memory.hpp"
#include "base/require_threads.hpp"
#include "base/succeeds.hpp"
#include "exec/executor.hpp"
#include "exec/host_target.hpp"
#include "exec/movement.hpp"
#include "run/candidates.hpp"
#include "run/tolerance.hpp"
#include "tune/own_cache.hpp"

namespace shardfft {

/// Executors with the libraries for local transforms that the first one chose.
class Executor::Trial : public Candidates {
 public:
  Trial(Executor& first, const Alternatives& others)
      : Candidates(first, others, {host_defaults().chunks_to_try.begin(), host_defaults().chunks_to_try.end()}),
        own_(first),
        host_(first.host_ ? first.host_ : first.setup_.host) {
    more_bytes_ = static_cast<std::size_t>(own_cache_bytes());
  }

 private:
  std::unique_ptr<Runner> make(ExecutorSetup made, const Program& program) override {
    const auto& libraries = own_.local_fft_.names;
    std::erase_if(made.local_ffts, [&](const Backend& backend) {
      return std::find(libraries.begin(), libraries.end(), backend.name) == libraries.end();
    });
    const Movement movement{made.way.exchange, made.way.exchange == reading ? hosts() : nullptr, {}, {}};
    heed_tolerance(made, program, movement.why_exact(made.comm));
    return std::make_unique<Executor>(std::move(made), movement.host);
  }

  std::shared_ptr<void> zeros(int /*member*/, std::size_t bytes) override { return touched(bytes); }

  /// Those of the first executor if it has any; else the first call finds them, and is collective.
  const std::shared_ptr<HostMemory>& hosts() {
    if (!host_) host_ = std::make_shared<HostMemory>(setup().comm, setup().options.fake_ranks_per_host);
    return host_;
  }

  void require_room(std::size_t bytes) const {
    if (available_memory() / ranks_here_ <= bytes)
      fail(Status::out_of_memory, "too little memory for a trial of ", bytes, " bytes");
  }

  std::shared_ptr<std::byte> touched(std::size_t bytes) const {
    require_room(bytes);
    std::shared_ptr<std::byte> memory = allocate_aligned(bytes);
    std::memset(memory.get(), 0, bytes);
    require_threads(setup().options.threads);
    return memory;
  }

  bool lend(Runner& runner) override {
    auto& executor = static_cast<Executor&>(runner);
    if (ranks_here_ == 0) ranks_here_ = static_cast<std::size_t>(setup().comm.split_host().size());
    const std::size_t planned = executor.planned_bytes(), shared = executor.window_bytes();
    const bool more_shared = shared > window_bytes_;  // the same on all ranks
    const auto make_private = [&] {
      const bool more_private = planned > workspace_bytes_;
      require_room((more_private ? planned : 0) + (more_shared ? shared : 0));
      if (!more_private) return;
      workspace_ = touched(planned);
      workspace_bytes_ = planned;
    };
    const auto make_shared = [&] {
      window_ = hosts()->allocate(shared);
      std::memset(window_->mine(), 0, window_->bytes());
      require_threads(setup().options.threads);
    };
    if (!executor.ready_ && !succeeds_on_all(make_private)) return false;  // else an earlier trial allocated enough
    if (more_shared && !succeeds_on_all(make_shared)) return false;
    window_bytes_ = std::max(window_bytes_, shared);
    executor.set_workspace(workspace_.get(), workspace_bytes_);
    executor.window_ = window_;
    executor.ready_ = true;
    return true;
  }

  void forget_runs(Runner& runner) override {
    auto& executor = static_cast<Executor&>(runner);
    executor.workspace_ = nullptr;
    executor.workspace_size_ = 0;
    executor.window_.reset();
    for (Prepared& program : executor.prepared_) {
      program.runs = 0;
      program.seconds = 0;
      program.reads = {};
      if (program.verifier) program.verifier->forget_runs();
    }
    if (executor.program_at(0).algorithm == own_.program_at(0).algorithm) executor.tell_local_ffts(own_.local_fft_);
  }

  /// Reads if any reshape of the program stays inside hosts, and reading is possible.
  std::string exchange_for(const Program& program) override {
    const auto& other = setup().other_exchanges;
    const bool may_read = own_.host_ != nullptr || std::find(other.begin(), other.end(), reading) != other.end();
    return reads_on_hosts(setup().comm, *hosts(), program) && may_read ? reading : "alltoallv";
  }

  /// Messages inside a host are copies by the same cores that transform: there, chunks were never faster
  /// (bench/results/measurements.md).
  bool gains_by_chunks(const std::string& exchange) override {
    if (exchange == reading || setup().options.verify) return false;
    if (hosts()->host().size() == setup().comm.size()) return false;
    ExecutorSetup cut = setup();
    cut.options.chunks = 2;
    HostTarget target(cut, nullptr);
    return std::any_of(programs().begin(), programs().end(), [&](const NamedProgram& named) {
      const std::vector<FusedTask> fused_tasks = fuse_steps(named.program, named.scale, target);
      return std::any_of(fused_tasks.begin(), fused_tasks.end(), [](const FusedTask& s) { return s.size() > 1; });
    });
  }

  bool may_need_more(const std::string& exchange) override { return exchange != "hierarchical"; }

  Executor& own_;
  std::shared_ptr<HostMemory> host_;  ///< for executors that read
  std::size_t ranks_here_ = 0;        ///< number of ranks on this host
  std::shared_ptr<std::byte> workspace_;
  std::shared_ptr<HostWindow> window_;
  std::size_t workspace_bytes_ = 0, window_bytes_ = 0;
};

std::unique_ptr<Runner> Executor::fastest(const Alternatives& others) {
  return Candidates::fastest(std::make_shared<Trial>(*this, others));
}

}  // namespace shardfft
