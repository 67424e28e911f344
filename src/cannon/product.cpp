#include "cannon/product.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <string>

#include "base/available_memory.hpp"
#include "base/check.hpp"
#include "base/team.hpp"
#include "cannon/dft_matrix.hpp"
#include "pack/pack.hpp"
#include "tune/defaults.hpp"

namespace shardfft {

namespace {

Shape mesh_of(const Layout& layout) {
  Shape mesh;
  for (int a = 0; a < layout.axes(); ++a) mesh.push_back(static_cast<std::int64_t>(layout.parts(a).size()));
  return mesh;
}

Link make_link(const ProductSetup& setup) {
  ExchangeSetup link;
  link.comm = setup.comm;
  link.element_bytes = ElementType{setup.precision, true}.bytes();
  return Link(link);
}

bool mpi_allows_threads(const Communicator& comm) {
  if (comm.imagined()) return true;
  int level = MPI_THREAD_SINGLE;
  check_mpi(MPI_Query_thread(&level), "MPI_Query_thread");
  return level != MPI_THREAD_SINGLE;
}

AxisOrder with_fastest(AxisOrder order, int axis) {
  std::iter_swap(std::find(order.begin(), order.end(), axis), order.end() - 1);
  return order;
}

UpdateShape update_shape(const ProductSetup& setup, const AxisOrder& order, int owner) {
  const IndexSet set = setup.after.local(owner);
  UpdateShape shape{setup.precision, 1, 1, set.axis[static_cast<std::size_t>(setup.axis)].count, setup.scale};
  bool slower = true;
  for (const int a : order) {
    if (a == setup.axis)
      slower = false;
    else
      (slower ? shape.outer : shape.inner) *= set.axis[static_cast<std::size_t>(a)].count;
  }
  return shape;
}

void copy_all(const std::vector<LocalCopy>& copies, const std::byte* from, std::byte* to, std::size_t element_bytes,
              int threads) {
  for (const LocalCopy& c : copies) copy_box(from, c.from, to, c.to, element_bytes, threads);
}

std::size_t bytes_for(std::int64_t count, std::size_t element) {
  return round_up(static_cast<std::size_t>(count) * element, cache_line);
}

}  // namespace

CannonProduct::CannonProduct(const ProductSetup& setup)
    : setup_(setup),
      rank_(setup.comm.rank()),
      element_(ElementType{setup.precision, true}.bytes()),
      formation_(mesh_of(setup.before), setup.axis, setup.global_transpose),
      rounds_(make_rounds(formation_, rank_, setup.local_matrix)),
      data_link_(make_link(setup)),
      matrix_link_(make_link(setup)),
      may_thread_(mpi_allows_threads(setup.comm)),
      requests_(setup.watch) {
  AxisOrder order = setup.before.order();
  transposes_ = setup.global_transpose && ring_size() > 1 && order.back() != setup.axis;
  if (transposes_) {
    order = with_fastest(order, setup.axis);
    to_transposed_ = make_schedule(setup.before, setup.before.with_order(order), rank_).self;
    from_transposed_ = make_schedule(setup.after.with_order(order), setup.after, rank_).self;
  }
  update_ = LocalUpdate(update_shape(setup, order, formation_.owner(rank_)));
  keep_matrix_blocks();
  size_buffers();
}

void CannonProduct::keep_matrix_blocks() {
  const auto axis = static_cast<std::size_t>(setup_.axis);
  const std::int64_t n = std::max(setup_.before.shape()[axis], setup_.after.shape()[axis]);
  const auto rows = [this](BlockName name) {
    return setup_.before.parts(setup_.axis)[static_cast<std::size_t>(name.first)];
  };
  const auto columns = [this](BlockName name) {
    return setup_.after.parts(setup_.axis)[static_cast<std::size_t>(name.second)];
  };
  std::set<BlockName> names;
  for (const Round& round : rounds_) {
    if (round.matrix_from == rank_) names.insert({round.block, formation_.ring_place(rank_)});
    for (const MatrixMessage& message : round.matrix_to)
      if (message.kept) names.insert({message.row_block, message.column_block});
  }
  double numbers = 2 * static_cast<double>(n);
  for (const BlockName& name : names)
    numbers += static_cast<double>(rows(name).count) * static_cast<double>(columns(name).count);
  // Blocks are allocated one by one, and the system may end a process that runs out of memory.
  require_memory(numbers * static_cast<double>(element_),
                 "algorithm cannon: the matrix of " + std::to_string(n) + " points");
  const DftMatrix matrix(n, setup_.direction, setup_.half && setup_.direction == Direction::backward);
  for (const BlockName& name : names) kept_[name] = matrix.block(rows(name), columns(name), setup_.precision);
}

void CannonProduct::size_buffers() {
  for (const Round& round : rounds_) {
    if (ring_size() > 1) block_count_ = std::max(block_count_, data_count(round));
    if (round.matrix_from != rank_)
      matrix_count_ = std::max(matrix_count_, matrix_count({round.block, formation_.ring_place(rank_)}));
  }
  const int owner = formation_.owner(rank_);
  if (transposes_) block_count_ = std::max({block_count_, setup_.before.count(rank_), setup_.after.count(rank_)});
  if (transposes_ || owner != rank_) result_count_ = setup_.after.count(owner);
}

std::int64_t CannonProduct::data_count(const Round& round) const {
  return setup_.before.count(formation_.owner(formation_.on_ring(rank_, round.block)));
}

std::int64_t CannonProduct::matrix_count(BlockName name) const {
  return setup_.before.parts(setup_.axis)[static_cast<std::size_t>(name.first)].count *
         setup_.after.parts(setup_.axis)[static_cast<std::size_t>(name.second)].count;
}

std::size_t CannonProduct::scratch_bytes() const {
  return 2 * bytes_for(block_count_, element_) + 2 * bytes_for(matrix_count_, element_) +
         bytes_for(result_count_, element_);
}

std::size_t CannonProduct::table_bytes() const {
  std::size_t bytes = 0;
  for (const auto& [name, block] : kept_) bytes += block.get_deleter().bytes;
  return bytes;
}

std::int64_t CannonProduct::bytes_sent() const {
  std::int64_t elements = 0;
  for (std::size_t r = 0; r < rounds_.size(); ++r) {
    if (rounds_[r].data_to != rank_) elements += r == 0 ? setup_.before.count(rank_) : data_count(rounds_[r - 1]);
    for (const MatrixMessage& m : rounds_[r].matrix_to) elements += matrix_count({m.row_block, m.column_block});
  }
  if (formation_.owner(rank_) != rank_) elements += result_count_;
  return elements * static_cast<std::int64_t>(element_);
}

std::int64_t CannonProduct::messages_sent() const {
  std::int64_t messages = formation_.owner(rank_) != rank_ ? 1 : 0;
  for (const Round& round : rounds_) messages += std::ssize(round.matrix_to) + (round.data_to != rank_ ? 1 : 0);
  return messages;
}

void CannonProduct::run(const std::byte* in, std::byte* out, std::byte* scratch) {
  align(in, out, scratch);
  multiply();
  deliver();
}

void CannonProduct::align(const std::byte* in, std::byte* out, std::byte* scratch) {
  const auto take = [&scratch](std::size_t bytes) {
    std::byte* const taken = scratch;
    scratch += bytes;
    return taken;
  };
  call_ = {};
  for (std::byte*& buffer : call_.data_buffer) buffer = take(bytes_for(block_count_, element_));
  for (std::byte*& buffer : call_.matrix_buffer) buffer = take(bytes_for(matrix_count_, element_));
  call_.result = result_count_ > 0 ? scratch : out;
  call_.out = out;
  call_.own = in;
  if (transposes_) {
    const Scope scope(setup_.trace, Activity::pack);
    copy_all(to_transposed_, in, call_.data_buffer[0], element_, setup_.threads);
    call_.own = call_.data_buffer[0];
  }
  const Operands first = start(0);
  wait();
  call_.operands = first;
}

void CannonProduct::multiply(ProductParts parts) {
  const int rounds = ring_size();
  for (int r = 0; r < rounds; ++r) {
    Operands next = call_.operands;
    if (r + 1 < rounds && parts != ProductParts::update) next = start(r + 1);
    // Without messages, the operands of the first round are used again.
    if (parts != ProductParts::messages) update(parts == ProductParts::update ? 0 : r);
    wait();
    call_.operands = next;
  }
}

void CannonProduct::deliver() {
  const int owner = formation_.owner(rank_);
  const std::byte* mine = call_.result;
  if (owner != rank_) {
    std::byte* const target = transposes_ ? call_.data_buffer[0] : call_.out;
    {
      const Scope scope(setup_.trace, Activity::exchange);
      data_link_.receive(target, setup_.after.count(rank_), formation_.worker(rank_), requests_);
      data_link_.send(call_.result, result_count_, owner, requests_);
    }
    wait();
    mine = target;
  }
  if (!transposes_) return;
  const Scope scope(setup_.trace, Activity::unpack);
  copy_all(from_transposed_, mine, call_.out, element_, setup_.threads);
}

CannonProduct::Operands CannonProduct::start(int r) {
  const Scope scope(setup_.trace, Activity::exchange);
  return {start_data(r), start_matrix(r)};
}

std::byte* CannonProduct::free_buffer(std::byte* const (&buffers)[2], const std::byte* used) {
  return buffers[0] == used ? buffers[1] : buffers[0];
}

const std::byte* CannonProduct::start_data(int r) {
  const Round& round = rounds_[static_cast<std::size_t>(r)];
  const std::byte* const held = r == 0 ? call_.own : call_.operands.data;
  if (round.data_from == rank_) return held;
  std::byte* const target = free_buffer(call_.data_buffer, held);
  const std::int64_t held_count =
      r == 0 ? setup_.before.count(rank_) : data_count(rounds_[static_cast<std::size_t>(r - 1)]);
  data_link_.receive(target, data_count(round), round.data_from, requests_);
  data_link_.send(held, held_count, round.data_to, requests_);
  return target;
}

const std::byte* CannonProduct::start_matrix(int r) {
  const Round& round = rounds_[static_cast<std::size_t>(r)];
  const BlockName wanted{round.block, formation_.ring_place(rank_)};
  const std::byte* const held = call_.operands.matrix;
  const std::byte* arriving = nullptr;
  if (round.matrix_from == rank_) {
    arriving = kept_.at(wanted).get();
  } else {
    std::byte* const target = free_buffer(call_.matrix_buffer, held);
    matrix_link_.receive(target, matrix_count(wanted), round.matrix_from, requests_);
    arriving = target;
  }
  for (const MatrixMessage& m : round.matrix_to) {
    const BlockName name{m.row_block, m.column_block};
    matrix_link_.send(m.kept ? kept_.at(name).get() : held, matrix_count(name), m.peer, requests_);
  }
  return arriving;
}

void CannonProduct::wait() {
  if (requests_.size() == 0) return;
  const Scope scope(setup_.trace, Activity::wait);
  requests_.wait_all();
}

void CannonProduct::update(int r) {
  const auto rows_of = [this](const Round& round) {
    return setup_.before.parts(setup_.axis)[static_cast<std::size_t>(round.block)].count;
  };
  Product product;
  product.rows = rows_of(rounds_[static_cast<std::size_t>(r)]);
  if (product.rows == 0) return;
  product.overwrite =
      std::all_of(rounds_.begin(), rounds_.begin() + r, [&](const Round& q) { return rows_of(q) == 0; });
  const bool in_flight = requests_.size() > 0;
  if (setup_.threads == 1)
    update_alone(product, in_flight);
  else if (in_flight && may_thread_)
    update_beside_messages(product);
  else
    update_by_all(product);
}

void CannonProduct::multiply_slices(const Product& p, std::int64_t first, std::int64_t last) const {
  update_.run(first, last, call_.operands.data, p.rows, call_.operands.matrix, call_.result, p.overwrite);
}

void CannonProduct::update_alone(const Product& product, bool in_flight) {
  const std::int64_t slices = update_.slices();
  const std::int64_t parts = in_flight ? std::min(host_defaults().progress_calls_a_product, slices) : 1;
  for (std::int64_t i = 0; i < parts; ++i) {
    {
      const Scope scope(setup_.trace, Activity::fft);
      multiply_slices(product, slices * i / parts, slices * (i + 1) / parts);
    }
    if (requests_.size() == 0) continue;
    const Scope scope(setup_.trace, Activity::exchange);
    requests_.test_all();
  }
}

void CannonProduct::update_by_all(const Product& product) {
  const Scope scope(setup_.trace, Activity::fft);
  run_team(setup_.threads, [&](int thread) {
    const Share share = share_of(update_.slices(), setup_.threads, thread);
    multiply_slices(product, share.first, share.last);
  });
}

void CannonProduct::update_beside_messages(const Product& product) {
  const int workers = setup_.threads - 1;
  const auto now = [this] { return setup_.trace != nullptr ? setup_.trace->now() : 0; };
  const double begin = now();
  std::vector<double> done(static_cast<std::size_t>(setup_.threads), begin);
  run_team(setup_.threads, [&](int thread) {
    if (thread == 0) {
      requests_.wait_all();
    } else {
      const Share share = share_of(update_.slices(), workers, thread - 1);
      multiply_slices(product, share.first, share.last);
    }
    done[static_cast<std::size_t>(thread)] = now();
  });
  if (setup_.trace == nullptr) return;
  const double multiplied = *std::max_element(done.begin() + 1, done.end());
  setup_.trace->add(Activity::fft, begin, multiplied);
  if (done[0] > multiplied) setup_.trace->add(Activity::wait, multiplied, done[0]);
}

}  // namespace shardfft
