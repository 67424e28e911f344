#pragma once
// One axis of a distributed array times the DFT matrix, by Cannon's algorithm on blocks (S3DFT algorithms 3 to 7):
// point-to-point messages only, hidden behind the local products.
#include <map>
#include <utility>
#include <vector>

#include "base/aligned.hpp"
#include "base/trace.hpp"
#include "cannon/local_update.hpp"
#include "cannon/rounds.hpp"
#include "exchange/link.hpp"
#include "geometry/schedule.hpp"
#include "shardfft/layout.hpp"

namespace shardfft {

/// With more than one thread, the calling thread drives the messages while the others multiply. All threads multiply if
/// MPI allows no threads (MPI_THREAD_SINGLE), and in rounds without messages.
struct ProductSetup : OperationContext {
  /// Grid layouts of complex numbers on one mesh (rank row-major), equal except for the parts of `axis`. Axis 0: the
  /// batch.
  Layout before{};
  Layout after{};
  int axis = 1;
  Direction direction = Direction::forward;
  Precision precision = Precision::f64;
  double scale = 1;
  /// One side has n/2+1 of the n indices of the axis: the spectrum of a real array.
  bool half = false;
  bool global_transpose = false;
  bool local_matrix = false;
};

/// The parts of a product that are run; benchmarks of the overlap run one without the other.
enum class ProductParts { all, messages, update };

/// Construction is not collective, but all ranks must make their products in the same order (message tags).
class CannonProduct {
 public:
  explicit CannonProduct(const ProductSetup& setup);
  std::size_t scratch_bytes() const;
  /// Bytes of the matrix blocks that this rank keeps.
  std::size_t table_bytes() const;
  /// Bytes this rank sends to others in one run: data and matrix blocks.
  std::int64_t bytes_sent() const;
  std::int64_t messages_sent() const;
  int ring_size() const { return formation_.ring_size(); }
  int row_size() const { return formation_.row_size(); }

  /// Collective. `in` and `out` are distinct; `in` is not changed.
  void run(const std::byte* in, std::byte* out, std::byte* scratch);
  /// The three phases of run, in this order.
  void align(const std::byte* in, std::byte* out, std::byte* scratch);
  void multiply(ProductParts parts = ProductParts::all);
  void deliver();

 private:
  using BlockName = std::pair<int, int>;  ///< row block, column block
  /// The blocks that a round multiplies.
  struct Operands {
    const std::byte* data = nullptr;
    const std::byte* matrix = nullptr;
  };
  /// The pointers of one call.
  struct CallPointers {
    const std::byte* own = nullptr;  ///< this rank's block of the input
    std::byte* out = nullptr;
    std::byte* result = nullptr;
    Operands operands;
    std::byte* data_buffer[2] = {};
    std::byte* matrix_buffer[2] = {};
  };
  /// One local update.
  struct Product {
    std::int64_t rows = 0;
    bool overwrite = false;
  };

  void keep_matrix_blocks();
  void size_buffers();
  std::int64_t data_count(const Round& round) const;
  std::int64_t matrix_count(BlockName name) const;
  /// Starts the messages that bring the operands of round `r`, and returns the operands' places.
  Operands start(int r);
  const std::byte* start_data(int r);
  const std::byte* start_matrix(int r);
  void wait();
  static std::byte* free_buffer(std::byte* const (&buffers)[2], const std::byte* used);
  void update(int r);
  void multiply_slices(const Product& product, std::int64_t first, std::int64_t last) const;
  void update_alone(const Product& product, bool in_flight);
  void update_by_all(const Product& product);
  void update_beside_messages(const Product& product);

  ProductSetup setup_;
  int rank_;
  std::size_t element_;
  Formation formation_;
  std::vector<Round> rounds_;
  std::map<BlockName, AlignedMemory> kept_;  ///< matrix blocks that this rank is the home of
  LocalUpdate update_;
  Link data_link_;
  Link matrix_link_;
  bool may_thread_;
  bool transposes_ = false;  ///< blocks travel with the axis as their fastest one
  std::vector<LocalCopy> to_transposed_;
  std::vector<LocalCopy> from_transposed_;
  std::int64_t block_count_ = 0;   ///< elements of the largest data block that passes through
  std::int64_t matrix_count_ = 0;  ///< of the largest matrix block
  std::int64_t result_count_ = 0;  ///< of the result, if it is another rank's or transposed
  RequestSet requests_;
  CallPointers call_;
};

}  // namespace shardfft
