#include "exchange/shortened.hpp"

#include <utility>

#include "base/aligned.hpp"
#include "base/round_up.hpp"
#include "pack/shorten.hpp"

namespace shardfft {

namespace {

/// Bytes of an element of the inner exchange: larger elements make smaller counts.
constexpr std::int64_t unit = 16;
constexpr auto units_of_a_line = static_cast<std::int64_t>(cache_line) / unit;

std::int64_t units(const ExchangeSetup& setup, std::int64_t elements) {
  const auto bytes = static_cast<std::int64_t>(short_bytes(setup.numbers, elements, setup.element_bytes));
  return (bytes + unit - 1) / unit;
}

/// Turns messages into runs of one array, each of which begins on a cache line. Returns the units of that array.
std::int64_t as_runs(const ExchangeSetup& setup, std::vector<Message>& messages) {
  std::int64_t offset = 0, end = 0;
  for (Message& message : messages) {
    message.count = message.count == 0 ? 0 : units(setup, message.count);
    message.offset = offset;
    message.boxes.clear();
    if (message.count > 0) message.boxes.push_back(Box::run(end, message.count));
    offset += message.count;
    end += round_up(message.count, units_of_a_line);
  }
  return end;
}

/// Overlap: everything is packed before the inner exchange starts, and unpacked after it has finished.
class Shortened : public Exchange {
 public:
  Shortened(const ExchangeFactory& make, const ExchangeSetup& setup)
      : send_(setup.schedule.send),
        recv_(setup.schedule.recv),
        numbers_(setup.numbers),
        element_bytes_(setup.element_bytes),
        threads_(setup.threads),
        trace_(setup.trace) {
    const ExchangeSetup runs = setup_of_runs(setup);
    sent_bytes_ = static_cast<std::size_t>(runs.schedule.send_count * unit);
    received_bytes_ = static_cast<std::size_t>(runs.schedule.recv_count * unit);
    send_runs_ = runs.schedule.send;
    recv_runs_ = runs.schedule.recv;
    exchange_ = make(runs);
  }

  std::size_t workspace_bytes() const override { return sent_bytes_ + received_bytes_ + exchange_->workspace_bytes(); }

  void start(const ExchangeBuffers& b) override {
    const ExchangeBuffers runs = runs_of(b);
    {
      const Scope scope(trace_, Activity::pack);
      for (std::size_t i = 0; i < send_.size(); ++i)
        if (send_[i].count > 0)
          loss_ += shorten_boxes(b.source, send_[i].boxes, b.workspace + begin(send_runs_[i]), element_bytes_, numbers_,
                                 threads_);
    }
    exchange_->start(runs);
  }

  void progress(const ExchangeBuffers& b) override { exchange_->progress(runs_of(b)); }

  void finish(const ExchangeBuffers& b) override {
    const ExchangeBuffers runs = runs_of(b);
    exchange_->finish(runs);
    const Scope scope(trace_, Activity::unpack);
    for (std::size_t i = 0; i < recv_.size(); ++i)
      if (recv_[i].count > 0)
        restore_boxes(runs.destination + begin(recv_runs_[i]), recv_[i].boxes, b.destination, element_bytes_, numbers_,
                      threads_);
  }

  Loss loss() const override { return loss_; }

 private:
  static std::int64_t begin(const Message& run) { return run.boxes.front().offset * unit; }
  ExchangeBuffers runs_of(const ExchangeBuffers& b) const {
    return {b.workspace, b.workspace + sent_bytes_, b.workspace + sent_bytes_ + received_bytes_};
  }

  std::vector<Message> send_, recv_;            ///< of elements
  std::vector<Message> send_runs_, recv_runs_;  ///< the same as units
  ShortNumbers numbers_;
  std::size_t element_bytes_;
  int threads_;
  Trace* trace_;
  std::size_t sent_bytes_ = 0, received_bytes_ = 0;
  std::unique_ptr<Exchange> exchange_;
  Loss loss_;
};

}  // namespace

ExchangeSetup setup_of_runs(const ExchangeSetup& setup) {
  ExchangeSetup runs = setup;
  runs.numbers = {};
  runs.element_bytes = unit;
  runs.schedule.self.clear();
  runs.schedule.send_count = as_runs(setup, runs.schedule.send);
  runs.schedule.recv_count = as_runs(setup, runs.schedule.recv);
  return runs;
}

std::unique_ptr<Exchange> make_shortened(const ExchangeFactory& make, const ExchangeSetup& setup) {
  return std::make_unique<Shortened>(make, setup);
}

std::int64_t message_bytes(const ExchangeSetup& setup, std::int64_t elements) {
  return setup.numbers.active() ? units(setup, elements) * unit
                                : elements * static_cast<std::int64_t>(setup.element_bytes);
}

}  // namespace shardfft
