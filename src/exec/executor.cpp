#include "exec/executor.hpp"

#include <algorithm>
#include <utility>

#include "base/check_hooks.hpp"
#include "base/require_threads.hpp"
#include "exec/host_target.hpp"
#include "exec/movement.hpp"
#include "lower/transforms.hpp"
#include "mpi/kept_for_mpi.hpp"
#include "mpi/watch.hpp"
#include "pack/block_sums.hpp"
#include "pack/pack.hpp"
#include "run/buffers.hpp"
#include "run/tolerance.hpp"

namespace shardfft {

std::unique_ptr<Runner> make_host_runner(ExecutorSetup setup, const Program& program) {
  std::size_t largest = 0;
  for (const State& state : program.states) largest = std::max(largest, max_state_bytes(state, setup.precision));
  Movement movement = choose_movement(setup.comm, setup.options, program, largest, setup.host, setup.ranks);
  setup.way.exchange = movement.exchange;
  setup.way.chunks = std::max(1, setup.options.chunks);
  setup.other_exchanges = movement.others;
  if (setup.ranks.patient && setup.options.exchange == "auto" && setup.options.workspace == Workspace::fast)
    for (const std::string& name : exchange_names())
      if (name != "auto" && name != reading &&
          std::find(movement.others.begin(), movement.others.end(), name) == movement.others.end())
        setup.other_exchanges.push_back(name);
  if (setup.way.past_cache == 0) {
    setup.way.past_cache = host_defaults().bytes_to_write_past_cache;
    if (largest >= setup.ranks.own_cache && largest < setup.way.past_cache)
      setup.other_past_cache = setup.ranks.own_cache;
  }
  if (movement.choice) setup.choices.push_back(*movement.choice);
  heed_tolerance(setup, program, movement.why_exact(setup.comm));
  return std::make_unique<Executor>(std::move(setup), std::move(movement.host));
}

Executor::Executor(ExecutorSetup setup, std::shared_ptr<HostMemory> host)
    : Runner(std::move(setup)), host_(std::move(host)) {}

Program Executor::lower(const Program& program) {
  HostTarget target(setup_, host_.get());
  return lowered(program, target);
}

void Executor::add(std::vector<NamedProgram> programs) {
  int trace_step = 0;
  for (const Prepared& before : prepared_) trace_step += static_cast<int>(before.tasks.size());
  FftMakers makers{setup_.local_ffts, setup_.way.libraries, !setup_.way_is_given};
  if (const double budget = setup_.options.budget; budget > 0)
    makers.most_seconds = std::min(makers.most_seconds, host_defaults().budget_of_library_trial * budget);
  LocalFfts ffts(std::move(makers), setup_.options.effort);
  Alone alone(setup_.comm);
  auto compiled = compile(setup_, programs, host_.get(), ffts, alone, &trace_, trace_step);
  make_local_ffts(ffts, alone);
  if (host_) choose_input_reads(compiled);
  for (auto& tasks : compiled) {
    for (std::size_t i = 0; i < tasks.size(); ++i) tasks[i].number = i;
    prepared_.push_back({std::move(tasks)});
    if (!prepared_.back().tasks.front().checks.empty()) make_verifier(prepared_.back());
  }
  append(std::move(programs));
  size_workspace();
  input_copy_.reset();
}

/// Later programs use the libraries that the first ones chose for equal steps.
void Executor::make_local_ffts(LocalFfts& ffts, const Alone& alone) {
  LocalFftChoice choice = ffts.make(setup_.comm, setup_.plan_until, alone.failure());
  library_bytes_ += choice.library_bytes;
  if (programs_.empty()) setup_.way.libraries.clear();  // of these programs alone
  for (const LocalFftChoice::Step& step : choice.steps) setup_.way.libraries.emplace(step.step, step.name);
  if (!programs_.empty()) return;
  local_fft_ = std::move(choice);
  local_fft_version_ = local_fft_.version;
  tell_local_ffts(local_fft_);
}

void Executor::tell_local_ffts(const LocalFftChoice& choice) {
  if (setup_.options.local_fft == "auto") setup_.tell({"local_fft", choice.name(), choice.why()});
}

/// Lets other ranks read a user's own array through the kernel, if that is allowed and cheaper than a copy into shared
/// memory. Collective.
void Executor::choose_input_reads(std::vector<std::vector<Task>>& programs) {
  std::vector<Task*> readers;
  std::vector<double> costs;  // across, and through shared memory
  for (auto& tasks : programs)
    for (Task& task : tasks) {
      if (task.from != input_array || !task.operation->reads_host_memory()) continue;
      const CrossCost cost = task.operation->cross_cost();
      const auto bytes = static_cast<std::int64_t>(state_bytes(task.from_state, setup_.precision, setup_.comm.rank()));
      readers.push_back(&task);
      costs.insert(costs.end(), {cost.nanoseconds(), staging_nanoseconds(bytes, cost.bytes)});
    }
  if (readers.empty()) return;
  costs = setup_.comm.max(std::move(costs));  // the slowest rank counts, and all ranks choose alike
  bool is_allowed = true;
  for (std::size_t i = 0; i < readers.size() && is_allowed; ++i) {
    if (costs[2 * i] >= costs[2 * i + 1]) continue;
    if (!across_) across_ = std::make_unique<CrossMemory>(host_->host());
    is_allowed = across_->allowed();
    if (host_->host().size() < setup_.comm.size()) is_allowed = setup_.comm.min(std::int64_t{is_allowed ? 1 : 0}) == 1;
    readers[i]->reads_across = is_allowed;
    if (is_allowed) readers[i]->operation->read_across(across_.get());
  }
}

void Executor::size_workspace() {
  planned_bytes_ = window_bytes_ = 0;
  const auto bytes_of = [this](const State& state) {
    return host_ ? max_state_bytes(state, setup_.precision) : state_bytes(state, setup_.precision, setup_.comm.rank());
  };
  for (int program = 0; program < static_cast<int>(programs_.size()); ++program) {
    const std::size_t copied = has_planned_copy(program) ? input_bytes(program) : 0;
    ProgramPlaces& places = now(program).places;
    places = places_of(now(program).tasks, bytes_of, host_ != nullptr, copied);
    planned_bytes_ = std::max(planned_bytes_, places.workspace_bytes);
    window_bytes_ = std::max(window_bytes_, places.window_bytes);
  }
}

RunnerMemory Executor::memory() const {
  RunnerMemory bytes;
  bytes.workspace = planned_bytes() + (input_copy_ ? input_copy_.get_deleter().bytes : 0);
  for (const Prepared& program : prepared_) {
    for (const Task& task : program.tasks) bytes.table += task.operation->table_bytes();
    if (program.verifier) bytes.table += program.verifier->table_bytes();
  }
  bytes.library = library_bytes_;
  bytes.window = window_bytes();
  return bytes;
}

void Executor::set_workspace(std::byte* memory, std::size_t bytes) {
  check_workspace(memory, bytes, planned_bytes(), cache_line);
  workspace_ = memory;
  workspace_size_ = bytes;
  own_workspace_.reset();
}

std::shared_ptr<void> Executor::allocate(int /*member*/, std::size_t bytes) {
  std::shared_ptr<void> memory;
  agree(setup_.comm, [&] {
    if (!host_) {
      memory = allocate_aligned(bytes);
      return;
    }
    const auto most = static_cast<std::size_t>(host_->host().max(static_cast<std::int64_t>(bytes)));
    const auto window = host_->allocate(most, HostWindow::InChildren::copy);
    memory = {window, window->mine()};
  });
  return memory;
}

/// One rank or host may run out of memory, so all agree at the first run.
void Executor::allocate_workspace() {
  if (ready_) return;
  agree(setup_.comm, [this] {
    if (window_bytes() > (window_ ? window_->bytes() : 0)) window_ = host_->allocate(window_bytes());
    if (planned_bytes() > workspace_size_) {
      own_workspace_.reset();
      workspace_size_ = 0;
      own_workspace_ = allocate_aligned(planned_bytes());
      workspace_ = own_workspace_.get();
      workspace_size_ = planned_bytes();
    }
    require_threads(setup_.options.threads);
  });
  ready_ = true;
}

std::byte* Executor::at(const ArrayPlace& place) const {
  if (place.room < 0) return nullptr;
  return (place.room == ProgramPlaces::window ? window_->mine() : workspace_) + place.begin;
}

/// Only the first step reads the input: equal buffers matter only if that step also writes the output.
bool Executor::starts_in_place(int program) const {
  const Task& first = now(program).tasks.front();
  return first.to != output_array || first.operation->runs_in_place() || first.operation->writes_host_memory();
}

/// Whether it runs on a copy of the input: if it would overwrite it, or if others must read it and cannot.
bool Executor::copies_input(int program, const std::byte* in, const std::byte* out) const {
  if (in == nullptr) return false;
  if (in == out && !starts_in_place(program)) return true;
  return now(program).tasks.front().reads_across && host_->locate(in).window < 0 &&
         !across_->lendable(in, input_bytes(program));
}

/// Makes missing memory an error of all ranks before they wait for this one.
void Executor::check_arrays(int program, InputArrays in, OutputArrays out) {
  refuse_if_half_way();
  require_threads(setup_.options.threads);
  require_one_array(0, in.front(), out.front());
  if (has_planned_copy(program) || input_copy_) return;
  const bool keeps = now(program).tasks.front().keeps && in.front() != nullptr && in.front() == out.front();
  if (keeps || copies_input(program, in.front(), out.front())) make_input_copy();
}

std::size_t Executor::input_bytes(int program) const {
  return state_bytes(program_at(program).states.front(), setup_.precision, setup_.comm.rank());
}

void Executor::make_input_copy() {
  std::size_t most = 0;
  for (int program = 0; program < static_cast<int>(programs_.size()); ++program)
    for (const State* end : {&program_at(program).states.front(), &program_at(program).states.back()})
      most = std::max(most, state_bytes(*end, setup_.precision, setup_.comm.rank()));
  input_copy_ = allocate_aligned(most);
}

const std::byte* Executor::copied(int program, const std::byte* data) {
  std::byte* const copy = has_planned_copy(program) ? at(now(program).places.copy) : input_copy_.get();
  copy_bytes(data, copy, input_bytes(program));
  return copy;
}

/// The input at an address that the other ranks of the host can read: its own, or that of a copy in the window.
const std::byte* Executor::readable_input(const Task& task, const std::byte* in, Prepared& program) {
  if (host_->locate(in).window >= 0) {
    ++program.reads.in_window;
    return in;
  }
  if (task.reads_across) {
    ++program.reads.across;
    return in;
  }
  const ArrayPlace& stage = program.places.tasks[task.number].stage;
  wait_for_readers(stage);  // of the array that was staged last, by any program
  const Scope scope(&trace_, Activity::stage);
  const std::size_t bytes = state_bytes(task.from_state, setup_.precision, setup_.comm.rank());
  if (task.checks.empty() && installed<HostStepHook>() == nullptr)
    task.operation->stage(in, at(stage), bytes);
  else
    copy_bytes(in, at(stage), bytes);  // checks and hooks look at all of it
  ++program.reads.staged;
  return at(stage);
}

/// The result at an address to which the other ranks of the host can write: its own, or one in the window. The latter
/// if a user's array is input and output, because others may still read the input.
std::byte* Executor::writable_output(const Task& task, const TaskPlaces& places, const std::byte* from, std::byte* to) {
  if (!task.operation->writes_host_memory() || lies_between(task.to)) return to;
  if (host_->locate(to).window >= 0 && from != to) return to;
  wait_for_readers(places.receive_buffer);
  return at(places.receive_buffer);
}

/// Waits until the other ranks have read the arrays of all tasks in these bytes.
void Executor::wait_for_readers(const ArrayPlace& place) {
  const Scope scope(&trace_, Activity::wait);
  for (Prepared& program : prepared_)
    for (Task& task : program.tasks) {
      const TaskPlaces& its = program.places.tasks[task.number];
      if (place.overlaps(its.from) || place.overlaps(its.stage)) task.operation->wait_readers();
    }
}

void Executor::run(int program, InputArrays inputs, OutputArrays outputs) {
  refuse_if_half_way();
  allocate_workspace();
  const std::byte* const in = inputs.front();
  std::byte* const out = outputs.front();
  Prepared& mine = now(program);
  half_way_ = true;
  Failure verdict;
  try {
    const double begin = trace_.now();
    const bool copies = copies_input(program, in, out);
    if (mine.verifier) {
      const bool summed = copies || mine.tasks.front().operation->reads_host_memory();
      mine.verifier->begin(summed ? std::optional<std::uint64_t>(word_sum(in, input_bytes(program))) : std::nullopt);
    }
    const std::byte* const source = copies ? copied(program, in) : in;
    std::byte* const kept = source == out && mine.tasks.front().keeps ? input_copy_.get() : out;
    for (Task& task : mine.tasks) {
      const double step_begin = trace_.keeps_spans() ? trace_.now() : 0;
      trace_.set_step(task.trace_step);
      const TaskArrays arrays = before_task(task, source, out, mine);
      if (task.keeps) task.operation->keep(kept);
      task.operation->run(arrays.from, arrays.written, at(mine.places.tasks[task.number].scratch));
      after_task(task, arrays, source, mine);
      if (trace_.keeps_spans()) trace_.add_frame({task.trace_step, program, step_begin, trace_.now()});
    }
    const double end = trace_.now();
    trace_.add_frame({-1, program, begin, end});
    mine.seconds += end - begin;
    ++mine.runs;
    if (mine.verifier) verdict = mine.verifier->conclude(setup_.comm, *all_reduce_, setup_.watch);
  } catch (...) {
    give_up();
    throw;
  }
  half_way_ = false;
  throw_failure(verdict);
}

/// Late messages must not be written into arrays of the user. Collective calls cannot be cancelled, and slow ranks may
/// still read sent data. Memory that messages use is therefore kept, also if ranks share memory: some steps send
/// messages there.
void Executor::give_up() {
  if (setup_.watch != nullptr) setup_.watch->withdraw_messages();
  for (Prepared& program : prepared_)
    keep_for_mpi(std::make_shared<std::vector<Task>>(std::exchange(program.tasks, {})));
  for (AlignedMemory* const memory : {&own_workspace_, &input_copy_})
    if (*memory) keep_for_mpi(std::shared_ptr<std::byte>(std::move(*memory)));
  if (window_) keep_for_mpi(window_);
}

void Executor::make_verifier(Prepared& program) {
  if (!all_reduce_ && !setup_.comm.imagined()) all_reduce_ = make_all_reduce(setup_.comm, host_.get());
  std::vector<std::vector<std::shared_ptr<StepCheck>>> checks;
  std::vector<std::string> names;
  for (Task& task : program.tasks) {
    checks.emplace_back(task.checks.begin(), task.checks.end());
    names.push_back(task.operation->describe());
  }
  program.verifier =
      std::make_unique<Verifier>(setup_.comm.rank(), setup_.comm.size(), std::move(checks), std::move(names));
}

Executor::TaskArrays Executor::before_task(Task& task, const std::byte* source, std::byte* out, Prepared& program) {
  const TaskPlaces& places = program.places.tasks[task.number];
  const auto array = [&](int number, const ArrayPlace& place) {
    if (number == input_array) return const_cast<std::byte*>(source);  // only read, but a c2r may write there
    return number == output_array ? out : at(place);
  };
  wait_for_readers(places.to);
  const std::byte* from = array(task.from, places.from);
  if (task.lends_input()) from = readable_input(task, from, program);
  std::byte* const to = array(task.to, places.to);
  std::byte* const written = writable_output(task, places, from, to);
  if (HostStepHook* const hook = installed<HostStepHook>())
    hook->reached(task.number, const_cast<std::byte*>(from),
                  state_bytes(task.from_state, setup_.precision, setup_.comm.rank()));
  for (const auto& check : task.checks) check->before(from, program.verifier->compares_bits());
  return {from, written, to};
}

void Executor::after_task(Task& task, const TaskArrays& arrays, const std::byte* source, Prepared& program) {
  if (task.lends_input() && arrays.from == source) {
    // The caller may change the array as soon as this call returns.
    const Scope scope(&trace_, Activity::wait);
    task.operation->wait_readers();
  }
  if (arrays.written != arrays.to) {
    const Scope scope(&trace_, Activity::stage);
    const Box all = Box::run(0, task.to_state.layout.count(setup_.comm.rank()));
    copy_box(arrays.written, all, arrays.to, all, element_bytes(task.to_state, setup_.precision),
             setup_.options.threads);
  }
  for (const auto& check : task.checks) check->after(arrays.to);
  if (program.verifier) program.verifier->judge(task.number);
}

/// The note for a step that the option `chunks` does not cut; empty for all other steps.
std::string Executor::uncut_text(const Operation& operation) const {
  if (setup_.options.chunks < 2 || setup_.comm.size() < 2) return {};
  if (operation.role() == Role::computes || operation.pieces() != nullptr) return {};
  if (operation.reads_host_memory()) return " (not cut in chunks: shared memory has its own overlap)";
  if (operation.role() == Role::moves_and_computes) return " (not cut in chunks: its rounds overlap as they are)";
  return " (not cut in chunks)";
}

Account Executor::account(int program, Runs /*which*/) {
  const Prepared& mine = now(program);
  Account account{{}, mine.runs, mine.runs, mine.seconds};
  for (const Task& task : mine.tasks) {
    const Operation& operation = *task.operation;
    StepReport& report = account.steps.emplace_back();
    report.text = operation.describe() + uncut_text(operation);
    report.bytes_sent = operation.bytes_sent();
    report.messages_sent = operation.messages_sent();
    report.steps = task.steps;
    report.reads_memory = operation.reads_host_memory();
    const TaskPlaces& places = mine.places.tasks[task.number];
    report.copied_bytes = places.stage.bytes + (operation.writes_host_memory() ? places.receive_buffer.bytes : 0);
    report.trace_step = task.trace_step;
    report.role = operation.role();
    report.loss = operation.loss();
    if (operation.pieces() != nullptr) report.pieces = *operation.pieces();
  }
  if (mine.verifier) account.verified = {mine.verifier->checks(), mine.verifier->largest_residual()};
  account.input_reads = mine.reads;
  return account;
}

}  // namespace shardfft
