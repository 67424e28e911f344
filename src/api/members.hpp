#pragma once
// The inside of plans and redistributions: the members whose arrays they work on (each process of a communicator is
// one, or each GPU of this process), the runner of their programs, the agreement of ranks on a call, and the calls.
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "api/call_array.hpp"
#include "api/call_check.hpp"
#include "api/trace_file.hpp"
#include "base/forks.hpp"
#include "mpi/communicator.hpp"
#include "run/runner.hpp"
#include "run/setup.hpp"
#include "shardfft/buffer.hpp"
#include "shardfft/option_table.hpp"
#include "shardfft/ranks.hpp"

namespace shardfft {

/// Facts of a call's arrays by its types.
struct CallFacts {
  detail::ArrayFacts in{}, out{};
};

struct Members {
  /// The arrays that calls need of a member.
  struct Arrays {
    NeededArray input, output;
  };
  /// The words of errors for the object with these members.
  struct Words {
    const char* plural;
    const char* whose;
  };

  Words words;
  HomeProcess home;
  std::vector<int> devices;  ///< none over a communicator
  bool alike = false;        ///< all ranks of `comm` have the same mark
  Communicator comm;         ///< none over devices
  Options options;
  std::shared_ptr<HostMemory> host;  ///< null over devices, and over several hosts
  std::unique_ptr<CallCheck> calls;  ///< null over devices
  std::unique_ptr<Runner> runner;
  std::unique_ptr<TraceFile> trace_file;
  std::vector<Arrays> call_arrays;         ///< by member
  std::span<const std::byte> workspace{};  ///< the part of the caller's that calls write; empty if there is none

  int ranks() const { return comm.valid() ? comm.size() : static_cast<int>(devices.size()); }
  int members() const { return comm.valid() ? 1 : ranks(); }
  int rank_of(int member) const { return comm.valid() ? comm.rank() : member; }
  Place place() const;
  /// Its place in lists of members; throws Error for one that this process does not have.
  std::size_t index_of(int member) const;
  int device(int member) const;
  void* stream(int member) const;
  void set_streams(std::span<void* const> streams);

  /// Throws Error if the object can only be destroyed: after MPI_Finalize, and in a forked child. `what`: "plan".
  void require_usable(const char* what) const;
  /// Throws Error unless there is one array a member.
  void check_count(InputArrays in, OutputArrays out) const;
  /// The beginning of a call. `mine`: the error of this process. `makes`: ranks then make something together that their
  /// first run does not need. `given`: see CallCheck.
  void enter(Call call, const Failure& mine = {}, bool makes = false, std::uint64_t given = 0) const;
  /// Throws Error if this process's arrays are wrong.
  void check(int program, InputArrays in, OutputArrays out, const CallFacts& facts) const;
  /// Forward or backward.
  void run(int program, InputArrays in, OutputArrays out, const CallFacts& facts = {});
  std::size_t in_place_bytes(int member) const;
  /// A member's input or output, by the call.
  Buffer allocate(Call call, int member) const;
  /// Runs the program that all ranks agreed on.
  void start(int program, InputArrays in, OutputArrays out);

 protected:
  /// Throws Error for GPUs that do not exist. Makes nothing if others gave up, because they would not take part.
  /// `mark`: of this rank's arguments. Collective.
  Members(const Ranks& who, const Options& o, Words w, const Communicator::Mark& mark = {});
  /// Members of imagined ranks: their plan can be looked at, and not run.
  Members(Communicator imagined, const Options& o, Words w) : words(w), comm(std::move(imagined)), options(o) {}
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;
  /// In a forked child it ends nothing that other ranks or the parent share.
  ~Members();

  /// Processes agree on failures; devices of one process have no other rank to agree with.
  void together(const std::function<void()>& work) const;
  /// From here on ranks agree on calls, and their times are traced; errors call the object `name`. Collective.
  void watch_calls(const Ranks& who, std::string name);
  /// Work of the runner that all ranks do together. A rank that fails in its middle tells the others.
  void attempt(const std::function<void()>& work);
  /// Throws the failure of such work; if the runner is half-way, it gives up the call and throws the failure with this
  /// rank in its text.
  [[noreturn]] void end(Failure failure);
  using Named = std::function<std::vector<NamedProgram>(const Program&)>;
  /// A runner of the programs that `named` makes from this one as the runner lowered it. `setup` has the rest:
  /// precision, local FFTs, choices. On GPUs the fastest way that fits their memory. Collective.
  void make_runner(ExecutorSetup setup, const Program& program, const Named& named);
  void make_device_runner(const ExecutorSetup& setup, const Program& program, const Named& named);
};

/// The arrays of a call, one a member.
std::vector<const std::byte*> as_bytes(std::span<const void* const> arrays);
std::vector<std::byte*> as_bytes(std::span<void* const> arrays);
/// An array as a list of one, for processes with one member.
template <class Byte>
class One {
 public:
  template <class Void>
  explicit One(Void* array) : array_(static_cast<Byte*>(array)) {}
  operator std::span<Byte* const>() const { return {&array_, 1}; }

 private:
  Byte* array_;
};
using In = One<const std::byte>;
using Out = One<std::byte>;

}  // namespace shardfft
