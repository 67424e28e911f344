// One call of a GPU plan: places its arrays, meets other processes, and enqueues its work.
#include <algorithm>
#include <array>
#include <exception>

#include "base/check.hpp"
#include "base/hooks.hpp"
#include "base/succeeds.hpp"
#include "gpu/run/executor.hpp"

namespace shardfft::gpu {

void DeviceExecutor::place_arrays(int program, InputArrays in, OutputArrays out) {
  const DeviceTask& first = now(program).tasks.front();
  if (now(program).replay.ready())
    times_.drop();  // a graph shows no steps
  else
    times_.begin(program, trace_, streams_);
  const bool shares = now(program).shared.contains(in_output);
  const bool is_fast = setup_.way.room == Spare::fast && !team_->all_here();
  for (std::size_t m = 0; m < memories_.size(); ++m) {
    MemberMemory& mine = memories_[m];
    const device::DeviceScope scope(team_->here()[m].device);
    mine.arrays.begin();
    if (least()) {  // one array, even if a rank's input or output is empty
      mine.in = mine.out = mine.result = in_place_bytes(static_cast<int>(m)) == 0 ? nullptr : out[m];
      if (inside()) place_inside(program, m, in[m], out[m]);
      continue;
    }
    const bool clash = in[m] == out[m] && (now(program).uses_input() || copies_input(first, m));
    mine.in = mine.arrays.input(in[m], input_bytes(program, m), clash, streams_[m]);
    const std::size_t room = result_bytes(program, m);
    const std::size_t there = in[m] == out[m] ? room : output_bytes(program, m);
    // The first task may write the result while it reads the input.
    const bool apart = now(program).last_shared >= (in[m] == out[m] ? 1 : 0);
    const UserArrays::Output output = mine.arrays.output(out[m], there, room, {shares, is_fast, apart}, streams_[m]);
    mine.out = output.array, mine.result = output.result;
  }
  if (any_copies()) times_.mark({first.trace_step, Activity::stage}, streams_);
}

/// Whether an input that is also the output must be copied. Only the first step reads the input, so equal arrays matter
/// only if that step also writes the output.
bool DeviceExecutor::copies_input(const DeviceTask& first, std::size_t member) {
  const DeviceOperation& operation = *first.operations[member];
  const bool writes = first.places.to.room == in_output || first.written().room == in_output;
  return (writes || first.waits_in_output() || first.places.middle.room == in_output) && !operation.runs_in_place();
}

/// Copies the input to the array in which everything runs.
void DeviceExecutor::place_inside(int program, std::size_t m, const std::byte* in, std::byte* out) {
  MemberMemory& mine = memories_[m];
  const bool in_result = output_bytes(program, m) > 0 && (in == out || result_has_room(program_at(program), m));
  const std::size_t bytes = output_bytes(program, m);
  mine.out = in_result ? mine.arrays.output(out, bytes, bytes, {}, streams_[m]).array : mine.workspace + between_bytes_;
  mine.in = mine.result = mine.out;
  mine.arrays.copy_input(mine.out, in, input_bytes(program, m), streams_[m]);
}

bool DeviceExecutor::in_place() const {
  return std::any_of(memories_.begin(), memories_.end(),
                     [](const MemberMemory& mine) { return mine.in != nullptr && mine.in == mine.out; });
}

/// If the meeting fails, the rank gives up: it has already announced that others may write after the meeting.
Meeting::Words DeviceExecutor::least_or_give_up(const Meeting::Words& words) {
  try {
    return team_->least(words);
  } catch (...) {
    give_up();
    throw;
  }
}

/// The first meeting of a call, if processes write into each other's memory. A rank that cannot take part comes too, so
/// that nobody waits for it. Returns whether the announcements count.
bool DeviceExecutor::place_and_meet(int program, InputArrays in, OutputArrays out, InCall& in_call) {
  if (!meets_) {
    refuse_if_half_way();
    place_arrays(program, in, out);
    if (changed(program)) share(program, in_call);
    return false;
  }
  // Three words, of which all processes learn the least: the number of the first rank that failed; minus one if any
  // rank has other arrays than before; minus one if any rank has its input and output in one array.
  Meeting::Words words{team_->ranks(), 0, 0};
  std::exception_ptr error;
  try {
    refuse_if_half_way();
    place_arrays(program, in, out);
    words = {team_->ranks(), changed(program) ? -1 : 0, in_place() ? -1 : 0};
    if (!in_place() && !now(program).verifier) enqueue_tasks(program, streams_, false, Phases::early);
  } catch (...) {
    error = std::current_exception();
    words = {team_->comm().rank(), 0, 0};
  }
  const auto [failed, others, one_array] = least_or_give_up(words);
  if (error) std::rethrow_exception(error);
  if (failed < team_->ranks())
    fail(Status::backend_failure, "another rank, ", failed, ", could not prepare its arrays");
  if (others != 0) share(program, in_call);
  return one_array == 0;
}

std::byte* DeviceExecutor::at(const ArrayPlace& place, std::size_t member) const {
  const MemberMemory& mine = memories_[member];
  switch (place.room) {
    case in_input:
      return const_cast<std::byte*>(mine.in);  // read-only, except for a c2r that may write there
    case in_output:
      return mine.out;
    case in_workspace:
      return mine.workspace + place.begin;
    default:
      return nullptr;
  }
}

std::byte* DeviceExecutor::at(const DeviceTask::Place& place, std::size_t member) const {
  std::byte* const array = at(static_cast<const ArrayPlace&>(place), member);
  const auto rank = static_cast<std::size_t>(team_->here()[member].rank);
  return place.divided ? array + place.divided->begin[rank] : array;
}

/// An address is not enough: new memory may have the address of old memory.
std::vector<std::pair<void*, std::uint64_t>> DeviceExecutor::addresses(int program, int room) const {
  std::vector<std::pair<void*, std::uint64_t>> list;
  for (std::size_t m = 0; m < memories_.size(); ++m) {
    const bool empty = room == in_output && result_bytes(program, m) == 0;
    std::byte* const address = empty ? nullptr : at(ArrayPlace{room}, m);
    std::uint64_t id = 0;
    if (address != nullptr) id = room == in_output ? device::allocation_of(address).id : memories_[m].workspace_id;
    list.emplace_back(address, id);
  }
  return list;
}

bool DeviceExecutor::changed(int program) const {
  const auto& shared = now(program).shared;
  return std::any_of(shared.begin(), shared.end(), [&](const auto& entry) {
    const auto& [room, one] = entry;
    return one.addresses.stale() || one.mine != addresses(program, room);
  });
}

void DeviceExecutor::share(int program, InCall& in_call) {
  in_call.unlock();
  // Earlier runs may still write to memory of others that is closed here.
  if (!team_->all_here()) team_->agree([&] { finish_runs(); });
  if (team_->max(std::int64_t{!retired_.empty()}) != 0) {
    close_shared();
    retired_.clear();
  }
  // Opening one buffer may have closed another one; the second time there is room for all.
  for (int attempt = 0; attempt < 3; ++attempt) {
    for (auto& [room, one] : now(program).shared) {
      auto list = addresses(program, room);
      std::vector<void*> mine;
      for (const auto& [address, id] : list) mine.push_back(address);
      one.addresses.share(*team_, mine, imports_);
      one.mine = std::move(list);  // last: after a failure the next call must share again
    }
    in_call.lock();
    if (team_->max(std::int64_t{changed(program)}) == 0) return;
    in_call.unlock();
  }
  fail(Status::backend_failure, "the arrays of other processes cannot be opened together");
}

/// The addresses of an array on each rank, null if a rank has no part of it. A single rank has no shared addresses.
std::vector<std::byte*> DeviceExecutor::on_all_ranks(int program, const ArrayPlace& place, std::size_t member) const {
  if (team_->ranks() == 1) return {at(place, member)};
  if (place.room < 0) return std::vector<std::byte*>(static_cast<std::size_t>(team_->ranks()));
  std::vector<std::byte*> all = now(program).shared.at(place.room).addresses.all();
  for (std::byte*& array : all)
    if (array != nullptr) array += place.begin;
  return all;
}

/// Adds the arrays of the other members into which a task writes. The lists must live as long as the buffers.
void DeviceExecutor::add_peers(int program, const DeviceTask& task, std::size_t member, DeviceBuffers& buffers,
                               std::array<std::vector<std::byte*>, 2>& lists) const {
  const ArrayPlace* const place = task.written_by_peers();
  if (place == nullptr) return;
  lists.front() = on_all_ranks(program, *place, member);
  if (const DividedArray* const divided = task.written().divided.get();
      place == &task.written() && divided != nullptr) {
    lists.back() = on_all_ranks(program, task.written().tail, member);
    for (std::size_t rank = 0; rank < lists.front().size(); ++rank) {  // none if phase 0 comes early
      lists.front()[rank] += divided->begin[rank];
      lists.back()[rank] -= divided->tail_begin(static_cast<int>(rank));
    }
  }
  buffers.outs = lists.front();
  buffers.out_tails = lists.back();
}

/// If others write into a copy of the output (`mine.out`), the last task in which they do reads it there, and writes
/// the result itself.
DeviceBuffers DeviceExecutor::buffers_of(int program, const DeviceTask& task, std::size_t member) const {
  const MemberMemory& mine = memories_[member];
  const DeviceTask::Places& places = task.places;
  const auto behind = &task - now(program).tasks.data() - now(program).last_shared;
  const auto part = [&](const DeviceTask::Place& place, bool in_result) {
    std::byte* const array = at(place, member);
    return in_result && place.room == in_output ? mine.result + (array - mine.out) : array;
  };
  DeviceBuffers buffers{part(places.from, behind > 0), part(places.to, behind >= 0)};
  const bool from_in_to_out =
      places.from.room == in_input && (places.to.room == in_output || task.written().room == in_output);
  const bool overlap = places.from.overlaps(places.to) || places.from.overlaps(task.written());
  buffers.one_array = overlap || (from_in_to_out && mine.in == mine.out);
  buffers.middle = part(places.middle, behind > 0);
  buffers.result = behind > 0 ? mine.result : mine.out;
  buffers.scratch = at(places.scratch, member);
  buffers.receive_buffer = part(places.receive_buffer, behind > 0);
  if (behind == 0 && mine.result != mine.out && !task.receive_buffer) buffers.receive_buffer = at(places.to, member);
  if (const DeviceTask::Place& sent = task.sent(); sent.divided)
    buffers.sent_tail = at(sent.tail, member) - sent.divided->tail_begin(team_->here()[member].rank);
  return buffers;
}

/// Checks a task with the option verify, before its first phase and after its last one.
void DeviceExecutor::around_phase(int program, const DeviceTask& task, std::size_t member, int phase,
                                  const DeviceBuffers& buffers, device::StreamHandle stream, bool after) {
  using Moment = DeviceStepHook::Moment;
  DeviceVerifier* const verifier = now(program).verifier.get();
  if (phase != (after ? task.first().phases() - 1 : 0)) return;
  const auto number = static_cast<std::size_t>(&task - now(program).tasks.data());
  const auto reached = [&](Moment moment) {
    DeviceStepHook* const hook = installed<DeviceStepHook>();
    if (hook == nullptr) return;
    std::byte* const array = after ? buffers.out : const_cast<std::byte*>(buffers.in);
    hook->reached(number, moment, array, bytes_of(after ? task.to_state : task.from_state, member), stream);
  };
  const bool looks_around = verifier == nullptr || verifier->looks_around(number, member);
  if (!after || looks_around) reached(after ? Moment::after : Moment::before);
  if (verifier == nullptr) return;
  if (after) return verifier->after(number, member, buffers, stream);
  verifier->before(number, member, buffers, stream);
  if (looks_around) reached(Moment::in_middle);
}

/// A failure is told to the others at the next meeting, so that all ranks give up and none waits for another one. If
/// others may be waiting for messages instead, the failure is thrown at once: while they wait, they check for news, and
/// the news tells them.
void DeviceExecutor::enqueue_tasks(int program, const std::vector<device::StreamHandle>& streams, bool timed,
                                   Phases which) {
  std::exception_ptr error;
  const auto& tasks = now(program).tasks;
  const bool throws = team_->all_here() || std::any_of(tasks.begin(), tasks.end(), [](const DeviceTask& task) {
                        return task.first().waits_for() == HostWait::messages;
                      });
  DeviceVerifier* const verifier = now(program).verifier.get();
  if (verifier != nullptr) verifier->begin(streams);
  for (const DeviceTask& task : tasks) {
    const int begin = which == Phases::rest && task.announced_early ? 1 : 0;
    const int end = which != Phases::early ? task.first().phases() : task.announced_early ? 1 : 0;
    for (int phase = begin; phase < end; ++phase) {
      if (phase > begin && team_->meet(error != nullptr)) {
        give_up();
        team_->meet();  // from here on no rank writes into another one's arrays
        if (error) std::rethrow_exception(error);
        if (team_->watch() != nullptr) team_->watch()->await_news();
        fail(Status::backend_failure, "another rank failed in the middle of the transform");
      }
      if (error) continue;
      try {
        for (std::size_t m = 0; m < memories_.size(); ++m) {
          const device::DeviceScope scope(team_->here()[m].device);
          DeviceBuffers buffers = buffers_of(program, task, m);
          std::array<std::vector<std::byte*>, 2> lists;
          add_peers(program, task, m, buffers, lists);
          around_phase(program, task, m, phase, buffers, streams[m], false);
          task.operations[m]->enqueue(phase, buffers, streams[m]);
          around_phase(program, task, m, phase, buffers, streams[m], true);
        }
        if (timed && phase == end - 1) times_.mark({task.trace_step, task.first().activity()}, streams);
      } catch (...) {
        if (throws) throw;
        error = std::current_exception();
      }
    }
  }
  if (error) std::rethrow_exception(error);
  if (verifier != nullptr) verifier->fetch(streams);
}

std::vector<std::shared_ptr<const void>> DeviceExecutor::reads(int program) const {
  std::vector<std::shared_ptr<const void>> all;
  for (const DeviceTask& task : now(program).tasks)
    for (const auto& operation : task.operations) all.push_back(operation->reads());
  return all;
}

/// Whether the caller captures this run. A graph cannot contain waits, or work that is done once: memory, kernels and
/// an operator's factors must be there before, and processes meet on the host.
bool DeviceExecutor::is_captured(int program) const {
  bool captured = false;
  for (std::size_t m = 0; m < streams_.size(); ++m) {
    const device::DeviceScope scope(team_->here()[m].device);
    captured = captured || device::is_captured(streams_[m]);
  }
  if (!captured) return false;
  const Prepared& mine = now(program);
  require(team_->all_here() && asynchronous_ && !mine.verifier,
          "a stream that is being captured takes calls of plans of one process, with the caller's streams and without"
          " verify");
  require(ready_ && mine.runs > 0 && mine.reads == reads(program),
          "a stream that is being captured takes only calls that have run before: call forward, backward, or apply with"
          " this operator once outside of the capture");
  return true;
}

/// Whether this run can be one of a graph. Tells the replay on which pointers the graph would depend.
bool DeviceExecutor::replays(int program) {
  const auto& tasks = now(program).tasks;
  // Hooks and traces look into a run while it is enqueued.
  const bool capturable = team_->all_here() && installed<DeviceStepHook>() == nullptr && setup_.options.trace.empty() &&
                          std::all_of(tasks.begin(), tasks.end(), [](const DeviceTask& task) {
                            return task.first().waits_for() == HostWait::nothing;
                          });
  std::vector<const void*> pointers;  // none if not capturable: a graph's memory may end before its next run
  now(program).reads = reads(program);
  if (capturable) {
    for (const MemberMemory& mine : memories_) pointers.insert(pointers.end(), {mine.in, mine.out, mine.workspace});
  }
  now(program).replay.see(pointers, now(program).reads);
  return capturable;
}

void DeviceExecutor::capture(int program) {
  std::vector<device::StreamHandle> own;  // the caller may be capturing its own streams
  for (const device::Stream& stream : own_streams_) own.push_back(stream.get());
  Replay& replay = now(program).replay;
  try {
    replay.capture(*team_, own, [&] { enqueue_tasks(program, own, false, Phases::all); });
  } catch (const Error& error) {
    if (error.code() != Status::out_of_memory) throw;
    replay.leave();  // the run itself is enqueued already
  }
}

bool DeviceExecutor::any_copies() const {
  return std::any_of(memories_.begin(), memories_.end(), [](const MemberMemory& mine) { return mine.arrays.copies(); });
}

/// Copies results to the callers' arrays, and waits for them if it must.
void DeviceExecutor::deliver(int program, OutputArrays out, bool captured) {
  for (std::size_t m = 0; m < memories_.size(); ++m) {
    const device::DeviceScope scope(team_->here()[m].device);
    memories_[m].arrays.deliver(out[m], memories_[m].result, output_bytes(program, m), streams_[m]);
    if (asynchronous_ && !captured) device::record(finished_[m].get(), streams_[m]);
  }
  if (any_copies()) times_.mark({now(program).tasks.back().trace_step, Activity::stage}, streams_);
  times_.end();
  ++now(program).runs;
  const bool wait =
      !asynchronous_ || now(program).verifier ||
      std::any_of(memories_.begin(), memories_.end(), [](const MemberMemory& mine) { return mine.arrays.waits(); });
  for (std::size_t m = 0; wait && m < memories_.size(); ++m) await(m);
}

void DeviceExecutor::run(int program, InputArrays in, OutputArrays out) {
  const bool captured = is_captured(program);
  allocate_workspace();
  InCall in_call = imports_->in_call();
  const bool announced = place_and_meet(program, in, out, in_call);
  Failure verdict;
  try {
    Replay& replay = now(program).replay;
    const bool replays = !captured && this->replays(program);
    if (captured || (replays && replay.ready())) times_.drop();
    if (replays && replay.ready()) {
      replay.launch(*team_, streams_);
    } else {
      enqueue_tasks(program, streams_, true, announced ? Phases::rest : Phases::all);
      if (replays && replay.due()) capture(program);
    }
    deliver(program, out, captured);
    if (now(program).verifier) verdict = now(program).verifier->conclude();
  } catch (...) {
    give_up();
    throw;
  }
  if (!captured) times_.harvest(trace_);
  throw_failure(verdict);
}

}  // namespace shardfft::gpu
