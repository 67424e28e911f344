#pragma once
// Files that may grow beyond a limit on their size.
#include <csignal>
#include <ctime>

namespace shardfft {

/// While it lives, writing beyond RLIMIT_FSIZE is an error of the call in this thread, and no signal that ends the
/// process without a word.
class NoFileSignal {
 public:
  NoFileSignal() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~NoFileSignal() {
    if (sigismember(&before_, SIGXFSZ) == 1) return;
    const timespec now{};
    while (sigtimedwait(&signal_, nullptr, &now) > 0) continue;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoFileSignal(const NoFileSignal&) = delete;
  NoFileSignal& operator=(const NoFileSignal&) = delete;

 private:
  sigset_t signal_{};
  sigset_t before_{};
};

}  // namespace shardfft
