#pragma once
// RAII over MPI datatypes, with counts and strides of 64 bits.
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace shardfft {

/// Largest count that MPI is given in one call: MPI-3's limit, or the installed CountLimit.
std::int64_t mpi_count_limit();

/// A committed datatype; copies share it and the last one frees it. Predefined types are not freed. Imagined ranks,
/// which send nothing, make none.
class Datatype {
 public:
  struct Part;

  /// None: MPI_DATATYPE_NULL.
  Datatype() = default;
  /// The predefined type of 1, 2, 4, 8 or 16 bytes; throws Error(unsupported) for any other size.
  static Datatype element(std::size_t bytes);
  /// `count` times `of`, each `stride_bytes` after the one before. Counts above mpi_count_limit(), or above 2 if that
  /// is more, are nested.
  static Datatype repeat(std::int64_t count, std::int64_t stride_bytes, const Datatype& of);
  /// `count` of `of`, contiguous.
  static Datatype contiguous(std::int64_t count, const Datatype& of);
  /// Several types, each at its displacement, in this order.
  static Datatype join(const std::vector<Part>& parts);

  MPI_Datatype get() const { return type_; }

 private:
  explicit Datatype(MPI_Datatype predefined) : type_(predefined) {}
  static Datatype adopt(MPI_Datatype made);

  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  std::shared_ptr<void> owner_;
};

struct Datatype::Part {
  std::int64_t displacement_bytes = 0;
  Datatype type;
};

}  // namespace shardfft
