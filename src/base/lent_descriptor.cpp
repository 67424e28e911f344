#include "base/lent_descriptor.hpp"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "base/check.hpp"

namespace shardfft {

namespace {

[[noreturn]] void fail_for(const char* what) { fail(Status::backend_failure, what, ": ", std::strerror(errno)); }

/// A Unix socket. No call waits longer than `seconds`: the other process may be stopped.
class Socket {
 public:
  explicit Socket(int descriptor, int seconds) : descriptor_(descriptor) {
    if (descriptor < 0) return;
    const timeval time{seconds, 0};
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  int get() const { return descriptor_; }
  bool with_same_user() const {
    ucred other{};
    socklen_t bytes = sizeof other;
    return getsockopt(descriptor_, SOL_SOCKET, SO_PEERCRED, &other, &bytes) == 0 && other.uid == geteuid();
  }

 private:
  int descriptor_;
};

int make_socket() { return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0); }

/// bind() or connect() with the abstract name of a lender, which no file has.
template <class Call>
bool with_name(Call call, const Socket& socket, std::uint64_t lender) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = "shardfft-" + std::to_string(lender);
  std::memcpy(&address.sun_path[1], name.data(), name.size());
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return call(socket.get(), reinterpret_cast<const sockaddr*>(&address), bytes) == 0;
}

/// A message of one byte, with a descriptor unless that is negative.
struct Message {
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr header{nullptr, 0, &part, 1, control.data(), control.size(), 0};

  void send(const Socket& to, int descriptor) {
    cmsghdr* const head = CMSG_FIRSTHDR(&header);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
    if (descriptor < 0) header.msg_controllen = 0;
    sendmsg(to.get(), &header, MSG_NOSIGNAL);
  }
  int receive(const Socket& from) {
    int descriptor = -1;
    if (recvmsg(from.get(), &header, MSG_CMSG_CLOEXEC) != 1) return descriptor;
    const cmsghdr* const head = CMSG_FIRSTHDR(&header);
    if (head != nullptr && head->cmsg_type == SCM_RIGHTS) std::memcpy(&descriptor, CMSG_DATA(head), sizeof descriptor);
    return descriptor;
  }
};

/// The socket of this process, its thread, and all that it lends.
class Lender {
 public:
  static Lender& instance() {
    static std::mutex& making = *new std::mutex;
    const std::lock_guard<std::mutex> lock(making);
    if (current() == nullptr) current() = new Lender;
    return *current();
  }
  /// A child has neither the thread nor a right to the name. It gets a lender of its own if it lends anything.
  static void leave_to_parent() {
    if (const Lender* one = current().exchange(nullptr)) close(one->socket_.get());
  }

  const std::uint64_t word = random_word();
  void add(const Proof& proof, int descriptor) {
    const std::lock_guard<std::mutex> lock(mutex_);
    lent_[proof.word] = descriptor;
  }
  /// Nobody receives the descriptor once this returns.
  void remove(const Proof& proof) {
    const std::lock_guard<std::mutex> lock(mutex_);
    lent_.erase(proof.word);
  }

 private:
  Lender() : socket_(make_socket(), 0) {
    if (!with_name(bind, socket_, word) || listen(socket_.get(), SOMAXCONN) != 0)
      fail_for("there is no socket for descriptors");
    std::thread([this] { serve(); }).detach();
  }
  static std::atomic<Lender*>& current() {
    static std::atomic<Lender*>& one = *new std::atomic<Lender*>{nullptr};
    return one;
  }
  void serve() {
    sigset_t all;  // signals are for the threads of the program
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    for (;;) {
      const Socket caller(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC), 1);
      if (caller.get() < 0) usleep(10000);  // perhaps this process has too many descriptors
      Proof proof;
      if (caller.get() < 0 || !caller.with_same_user() ||
          recv(caller.get(), &proof, sizeof proof, 0) != ssize_t{sizeof proof})
        continue;
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto found = lent_.find(proof.word);
      Message().send(caller, found != lent_.end() && proof.owner == process_word() ? found->second : -1);
    }
  }

  Socket socket_;
  std::mutex mutex_;
  std::map<std::uint64_t, int> lent_;
};

const InEachChild leaves(Lender::leave_to_parent);

}  // namespace

LentDescriptor::LentDescriptor(int descriptor) : descriptor_(descriptor) {
  try {
    Lender& lender = Lender::instance();
    ticket_ = {lender.word, {random_word(), process_word()}};
    lender.add(ticket_.proof, descriptor_);
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

LentDescriptor::~LentDescriptor() {
  if (!home_.left()) Lender::instance().remove(ticket_.proof);
  close(descriptor_);
}

int borrow_descriptor(const LentTicket& ticket) {
  const Socket socket(make_socket(), 10);
  if (!with_name(connect, socket, ticket.lender)) fail_for("the process that lends a descriptor cannot be reached");
  if (!socket.with_same_user()) fail(Status::backend_failure, "a descriptor is lent by another user");
  if (send(socket.get(), &ticket.proof, sizeof ticket.proof, MSG_NOSIGNAL) != ssize_t{sizeof ticket.proof})
    fail_for("a descriptor cannot be asked for");
  const int descriptor = Message().receive(socket);
  if (descriptor < 0) fail(Status::backend_failure, "its process does not lend this descriptor any more");
  return descriptor;
}

}  // namespace shardfft
