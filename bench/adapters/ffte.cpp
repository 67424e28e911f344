// FFTE: pencils along its x (our axis 2) in; pencils along z out, or x again where natural order is asked. Lengths of
// the factors 2, 3 and 5 that the process grid divides. Complex data go out of place, real data in place.
#include <initializer_list>

#include "../native/adapter_base.hpp"

extern "C" {
void pzfft3dv_(void* from, void* to, const int* nx, const int* ny, const int* nz, const int* comm_y, const int* comm_z,
               const int* ranks_y, const int* ranks_z, const int* what);
void pdzfft3dv_(void* data, void* work, const int* nx, const int* ny, const int* nz, const int* comm_y,
                const int* comm_z, const int* me_y, const int* ranks_y, const int* ranks_z, const int* what);
void pzdfft3dv_(void* data, void* work, const int* nx, const int* ny, const int* nz, const int* comm_y,
                const int* comm_z, const int* me_y, const int* ranks_y, const int* ranks_z, const int* what);
}

namespace shardfft::bench {
namespace {

constexpr int longest = 4096;  // NDA3 of its param.h as it is shipped

class Ffte : public AdapterBase {
 public:
  Description describe() const override { return description_of("ffte", "no version of its own"); }

  std::string refuse(const Case& wanted, int ranks) const override {
    if (wanted.real() != wanted.in_place())
      return wanted.real() ? "ffte wants real transforms in place" : "ffte wants complex transforms out of place";
    for (auto n : wanted.shape) {
      if (n > longest) return "ffte wants lengths up to " + std::to_string(longest);
      for (const int factor : {2, 3, 5})
        while (n % factor == 0) n /= factor;
      if (n != 1) return "ffte wants lengths of the factors 2, 3 and 5";
    }
    const auto grid = grid_of(wanted, ranks);
    const auto [nz, ny, nx] = wanted.shape;
    if (nz % grid[0] || ny % grid[0] || ny % grid[1] || nx % (wanted.real() ? 2 * grid[1] : grid[1]))
      return "ffte wants sizes that the process grid divides";
    return refuse_by_capabilities(describe(), wanted, ranks);
  }

  ~Ffte() override {
    if (comm_y_ == MPI_COMM_NULL) return;
    MPI_Comm_free(&comm_y_);
    MPI_Comm_free(&comm_z_);
  }

  void plan(const Case& wanted, MPI_Comm comm) override {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    const auto grid = grid_of(wanted, ranks);
    ranks_z_ = grid[0];
    ranks_y_ = grid[1];
    const int me_z = rank / ranks_y_;
    me_y_ = rank % ranks_y_;
    MPI_Comm_split(comm, me_z, me_y_, &comm_y_);
    MPI_Comm_split(comm, me_y_, me_z, &comm_z_);
    for (int axis = 0; axis < 3; ++axis) n_[axis] = int(wanted.shape[2 - axis]);
    real_ = wanted.real();
    natural_ = wanted.natural();
    const std::int64_t nx = n_[0], ny = n_[1], nz = n_[2], rows = nz / ranks_z_, columns = ny / ranks_y_;
    const Triple lower{me_z * rows, me_y_ * columns, 0};
    field_part_ = packed_part(lower, {rows, columns, nx});
    spectrum_part_ = natural_ ? packed_part(lower, {rows, columns, wanted.spectrum()[2]}) : z_pencil(me_z);
    const auto room = std::max(field_part_.volume(), (nx / 2 + ranks_y_) * rows * columns);
    allocate(wanted, room, room);
    if (real_) work_ = HostBuffer(std::size_t(room) * sizeof(std::complex<double>));
    scale_ = 1;  // its inverse divides by the number of points
    run(field(), spectrum(), true, 0);
    if (real_) run(field(), spectrum(), false, 0);
  }

  void forward() override { run(field(), spectrum(), true, natural_ ? -1 : -2); }
  void backward() override { run(spectrum(), field(), false, natural_ ? 1 : 2); }

 private:
  static std::array<int, 2> grid_of(const Case& wanted, int ranks) {
    return wanted.layout == LayoutKind::slab ? std::array<int, 2>{ranks, 1} : pencil_grid(wanted, ranks);
  }

  // x over the ranks of y, y over those of z; of a real field's nx / 2 + 1 modes the first rank has the odd one.
  Part z_pencil(int me_z) const {
    const std::int64_t block = (real_ ? n_[0] / 2 : n_[0]) / ranks_y_, rows = n_[1] / ranks_z_;
    const int extra = real_ ? 1 : 0;
    const std::int64_t first = me_y_ * block + (me_y_ > 0 ? extra : 0);
    return packed_part({0, me_z * rows, first}, {n_[2], rows, block + (me_y_ == 0 ? extra : 0)});
  }

  void run(void* from, void* to, bool forward, int what) {
    const int comm_y = MPI_Comm_c2f(comm_y_), comm_z = MPI_Comm_c2f(comm_z_);
    if (!real_)
      pzfft3dv_(from, to, &n_[0], &n_[1], &n_[2], &comm_y, &comm_z, &ranks_y_, &ranks_z_, &what);
    else
      (forward ? pdzfft3dv_ : pzdfft3dv_)(from, work_.get(), &n_[0], &n_[1], &n_[2], &comm_y, &comm_z, &me_y_,
                                          &ranks_y_, &ranks_z_, &what);
  }

  HostBuffer work_;
  MPI_Comm comm_y_ = MPI_COMM_NULL, comm_z_ = MPI_COMM_NULL;
  int n_[3]{}, ranks_y_ = 1, ranks_z_ = 1, me_y_ = 0;
  bool real_ = false, natural_ = false;
};

}  // namespace

std::unique_ptr<Adapter> make_adapter() { return std::make_unique<Ffte>(); }

}  // namespace shardfft::bench
