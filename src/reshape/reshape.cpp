#include "reshape/reshape.hpp"

#include "exchange/blocks.hpp"
#include "exchange/shortened.hpp"
#include "pack/pack.hpp"

namespace shardfft {

Reshape::Reshape(const Layout& from, const Layout& to, const ReshapeSetup& setup)
    : element_bytes_(setup.element_bytes), threads_(setup.threads), trace_(setup.trace) {
  const int rank = setup.comm.rank();
  const std::vector<int> group = exchange_group(from, to, rank);
  group_size_ = static_cast<int>(group.size());
  ExchangeSetup exchange{setup};
  exchange.comm = setup.groups != nullptr ? setup.groups->of(group) : Groups(setup.comm, {group}).of(group);
  exchange.element_bytes = setup.element_bytes;
  Alone own(setup.comm);
  Alone& alone = setup.alone != nullptr ? *setup.alone : own;
  // A rank that failed still continues: then both ends of later links draw the same tags.
  const auto try_to = [&alone](const std::function<void()>& work) {
    const Failure failure = failure_of(work);
    alone.run([&] { throw_failure(failure); });
  };
  try_to([&] {
    exchange.schedule = make_schedule(from, to, rank, setup.from_slice, setup.to_slice);
    self_ = exchange.schedule.self;
    table_bytes_ = shardfft::table_bytes(exchange.schedule);
    for (auto* messages : {&exchange.schedule.send, &exchange.schedule.recv}) renumber(*messages, group);
    for (const Message& message : exchange.schedule.send) bytes_sent_ += message_bytes(exchange, message.count);
    messages_sent_ = std::ssize(exchange.schedule.send);
  });
  if (meets_while_made(setup.exchange)) alone.settle();
  try_to([&] {
    if (group.size() > 1) exchange_ = make_exchange(setup.exchange, exchange);
  });
  if (setup.alone == nullptr) own.settle();
}

void Reshape::start(const ExchangeBuffers& buffers) {
  if (exchange_) exchange_->start(buffers);
  const Scope scope(trace_, Activity::copy);
  for (const LocalCopy& c : self_)
    copy_box(buffers.source, c.from, buffers.destination, c.to, element_bytes_, threads_);
}

void Reshape::finish(const ExchangeBuffers& buffers) {
  if (exchange_) exchange_->finish(buffers);
}

}  // namespace shardfft
