// Descriptors that another process borrows, and those that it does not get.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <memory>

#include "base/lent_descriptor.hpp"
#include "shardfft/error.hpp"

namespace shardfft {
namespace {

int file_with(char letter) {
  const int descriptor = memfd_create("shardfft-test", MFD_CLOEXEC);
  EXPECT_EQ(pwrite(descriptor, &letter, 1, 0), 1);
  return descriptor;
}

/// The first letter of the file, or '-' if it is not lent.
char borrowed(const LentTicket& ticket) {
  try {
    const int descriptor = borrow_descriptor(ticket);
    char letter = '?';
    if (pread(descriptor, &letter, 1, 0) != 1) letter = '!';
    close(descriptor);
    return letter;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Status::backend_failure) << error.what();
    return '-';
  }
}

/// A process that lends a file until it is told to end.
class Other {
 public:
  explicit Other(char letter) {
    std::array<int, 2> to{}, from{};
    if (pipe(to.data()) != 0 || pipe(from.data()) != 0) ADD_FAILURE() << "no pipes";
    process_ = fork();
    if (process_ == 0) {
      close(to[1]);
      const LentDescriptor lent(file_with(letter));
      const LentTicket ticket = lent.ticket();
      char end = 0;
      const bool told = write(from[1], &ticket, sizeof ticket) == ssize_t{sizeof ticket} && read(to[0], &end, 1) == 1;
      _exit(told ? 0 : 1);
    }
    close(to[0]);
    close(from[1]);
    end_ = to[1];
    EXPECT_EQ(read(from[0], &ticket_, sizeof ticket_), ssize_t{sizeof ticket_});
    close(from[0]);
  }
  void end() {
    EXPECT_EQ(write(end_, "e", 1), 1);
    close(end_);
    waitpid(process_, nullptr, 0);
  }
  const LentTicket& ticket() const { return ticket_; }

 private:
  pid_t process_ = -1;
  int end_ = -1;
  LentTicket ticket_;
};

TEST(LentDescriptors, AreThoseOfTheOtherProcess) {
  Other one('a'), two('b');
  EXPECT_EQ(borrowed(one.ticket()), 'a');
  EXPECT_EQ(borrowed(two.ticket()), 'b');
  EXPECT_EQ(borrowed(one.ticket()), 'a');
  LentTicket mixed = one.ticket();
  mixed.proof = two.ticket().proof;
  EXPECT_EQ(borrowed(mixed), '-') << "the proof of another lender";
  LentTicket changed = one.ticket();
  ++changed.proof.word;
  EXPECT_EQ(borrowed(changed), '-');
  changed = one.ticket();
  ++changed.proof.owner;
  EXPECT_EQ(borrowed(changed), '-');
  one.end();
  EXPECT_EQ(borrowed(one.ticket()), '-') << "of a process that has ended";
  EXPECT_EQ(borrowed(two.ticket()), 'b');
  two.end();
}

TEST(LentDescriptors, EndWithTheirOwner) {
  auto first = std::make_unique<LentDescriptor>(file_with('c'));
  const LentDescriptor second(file_with('d'));
  const LentTicket ticket = first->ticket();
  EXPECT_EQ(borrowed(ticket), 'c');
  first.reset();
  EXPECT_EQ(borrowed(ticket), '-');
  EXPECT_EQ(borrowed(second.ticket()), 'd');
}

TEST(LentDescriptors, AreNotLentByChildren) {
  auto lent = std::make_unique<LentDescriptor>(file_with('e'));
  const LentTicket ticket = lent->ticket();
  const pid_t child = fork();
  if (child == 0) {
    const bool parent = borrowed(ticket) == 'e';
    lent.reset();  // the child's copy: the parent goes on
    const LentDescriptor own(file_with('f'));
    _exit(parent && own.ticket().lender != ticket.lender && borrowed(own.ticket()) == 'f' ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(borrowed(ticket), 'e');
}

}  // namespace
}  // namespace shardfft
