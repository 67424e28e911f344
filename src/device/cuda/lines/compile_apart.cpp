// The other end of the socket is compiler/main.cpp.
#include "device/cuda/lines/compile_apart.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "base/environment.hpp"
#include "device/cuda/lines/kernel_sources.hpp"
#include "device/cuda/lines/texts.hpp"

namespace shardfft::device::lines {
namespace {

/// The start of a program. Its standard input is an end of a socket, and it has no output. It inherits neither blocked
/// or ignored signals of this process nor LD_PRELOAD.
class Start {
 public:
  explicit Start(int socket) {
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_adddup2(&files_, socket, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&files_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files_, STDOUT_FILENO, STDERR_FILENO);
    posix_spawnattr_init(&how_);
    posix_spawnattr_setflags(&how_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&how_, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&how_, &signals);
    for (char** variable = environ; *variable != nullptr; ++variable)
      if (std::strncmp(*variable, "LD_PRELOAD=", 11) != 0) environment_.push_back(*variable);
    environment_.push_back(nullptr);
  }
  ~Start() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&how_);
  }
  Start(const Start&) = delete;
  Start& operator=(const Start&) = delete;

  bool run(const std::string& program, pid_t& process) {
    std::string name = "kernel-compiler";
    char* words[] = {name.data(), nullptr};
    return posix_spawn(&process, program.c_str(), &files_, &how_, words, environment_.data()) == 0;
  }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t how_{};
  std::vector<char*> environment_;
};

/// A compiler at work.
class Process {
 public:
  Process(const std::string& program, std::chrono::seconds patience) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
    const timeval limit{patience.count(), 0};
    for (const int wait : {SO_SNDTIMEO, SO_RCVTIMEO}) setsockopt(ends[0], SOL_SOCKET, wait, &limit, sizeof limit);
    started_ = Start(ends[1]).run(program, process_);
    socket_ = ends[0];
    ::close(ends[1]);
  }
  /// Kills the program if it still runs: not every program ends with its socket. If another part of this process has
  /// already waited for it, its number may belong to another process, which must not be killed.
  ~Process() {
    if (socket_ >= 0) ::close(socket_);
    if (!started_ || waitpid(process_, nullptr, WNOHANG) != 0) return;
    kill(process_, SIGKILL);
    while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) continue;
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  std::optional<std::vector<std::string>> answer(const std::vector<std::string>& request) const {
    if (!started_ || !send_texts(socket_, request) || ::shutdown(socket_, SHUT_WR) != 0) return std::nullopt;
    return receive_texts(socket_);
  }

 private:
  int socket_ = -1;
  pid_t process_ = 0;
  bool started_ = false;
};

/// The program beside the file that holds the library.
std::string installed_program() {
  Dl_info here{};
  if (dladdr(reinterpret_cast<const void*>(&compiler_program), &here) == 0) return {};
  const std::string file = here.dli_fname;
  return file.substr(0, file.rfind('/')) + "/shardfft/kernel-compiler";
}

/// Reads the stack's bytes and the code from an answer, and checks both: the program may be any.
std::optional<MachineCode> code_in(std::vector<std::string> answer) {
  if (answer.size() != 2) return std::nullopt;
  const std::string& digits = answer[0];
  MachineCode code{std::move(answer[1]), 0};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code.stack_bytes);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  return whole && code.stack_bytes >= 0 && !code.cubin.empty() ? std::optional(std::move(code)) : std::nullopt;
}

}  // namespace

std::string compiler_program() {
  // If a program has more rights than its user, the user's environment must not choose another program to start.
  if (getauxval(AT_SECURE) != 0) return {};
  const auto said = environment("SHARDFFT_COMPILER");
  std::string program = said ? *said : installed_program();
  // A relative name would depend on the working directory.
  return program.rfind('/', 0) == 0 ? program : std::string();
}

bool has_compiler_program() { return access(compiler_program().c_str(), X_OK) == 0; }

std::optional<MachineCode> compile_apart(const std::string& source, int architecture, std::chrono::seconds patience) {
  const std::string program = compiler_program();
  if (program.empty()) return std::nullopt;
  std::vector<std::string> request = {nvrtc_file(), nvrtc_version(), std::to_string(architecture), source};
  for (const KernelSource& header : kernel_sources()) {
    request.emplace_back(header.name);
    request.emplace_back(header.text);
  }
  auto answer = Process(program, patience).answer(request);
  if (!answer) return std::nullopt;
  if (answer->size() == 1 && !answer->front().empty()) fail(Status::backend_failure, answer->front());
  return code_in(*std::move(answer));
}

}  // namespace shardfft::device::lines
