#include "mpi/watch.hpp"

#include "mpi/request.hpp"

namespace shardfft {

namespace {

/// Seconds between two looks, which cost a call of MPI.
constexpr double look_every = 0.002;

}  // namespace

void Watch::look(Patience& patience) {
  const double waited = patience.waited();
  if (waited < look_every) return;
  const auto now = Patience::Clock::now();
  if (std::chrono::duration<double>(now - looked_).count() < look_every) return;
  looked_ = now;
  if (const auto why = detector_->listen(call_id_)) throw Error(why->code, why->text);
  if (timeout_ > 0 && waited > timeout_)
    fail(Status::timed_out, "call ", call_id_.number, " of the plan waited ", timeout_, " s in the middle of ", call_,
         " for other ranks to send or read data (option call_timeout)");
}

void Watch::await_news() {
  constexpr double seconds = 5;
  for (Patience patience; patience.waited() < seconds; patience.rest())
    if (const auto why = detector_->listen(call_id_)) throw Error(why->code, why->text);
  fail(Status::internal, "another rank failed in the middle of ", call_);
}

void Watch::withdraw_messages() noexcept {
  for (RequestSet* requests : requests_) requests->abandon();
}

}  // namespace shardfft
