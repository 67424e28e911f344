#pragma once
// File descriptors that other processes of the same user receive through a socket. The socket has an abstract name, so
// that only processes of the same network namespace find it: process numbers and folders do not matter.
#include <cstdint>

#include "base/forks.hpp"
#include "base/proof.hpp"

namespace shardfft {

/// The name by which other processes ask for a descriptor: plain bytes.
struct LentTicket {
  std::uint64_t lender = 0;  ///< random word of the socket
  Proof proof;               ///< of this descriptor alone
};

/// Lends a descriptor, which it owns, as long as it lives. A thread of the process sends it to all who show the ticket.
class LentDescriptor {
 public:
  /// Throws Error(backend_failure), and closes the descriptor, if there can be no socket.
  explicit LentDescriptor(int descriptor);
  ~LentDescriptor();
  LentDescriptor(const LentDescriptor&) = delete;
  LentDescriptor& operator=(const LentDescriptor&) = delete;
  LentTicket ticket() const { return ticket_; }

 private:
  int descriptor_;
  LentTicket ticket_;
  HomeProcess home_;
};

/// A descriptor of what another process lends, which the caller closes. Throws Error(backend_failure) if that process
/// has ended, is of another user, or lends nothing by this ticket any more.
int borrow_descriptor(const LentTicket& ticket);

}  // namespace shardfft
