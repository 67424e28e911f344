#include "contenders.hpp"

#include <fftw3-mpi.h>

#include <cstddef>
#include <shardfft/shardfft.hpp>
#include <stdexcept>

namespace claims {

namespace {

class Ours : public Contender {
 public:
  Ours(MPI_Comm comm, std::int64_t n, const OurOptions& wanted)
      : name_("shardfft (" + wanted.local_fft + ")"), plan_(make_plan(comm, n, wanted)) {
    in_ = plan_.allocate_input();
    out_ = plan_.allocate_output();
  }
  std::string name() const override { return name_; }
  Complex* field() override { return in_.as<Complex>(); }
  Complex* spectrum() override { return out_.as<Complex>(); }
  std::vector<shardfft::Piece> field_pieces() const override { return pieces(plan_.input()); }
  std::vector<shardfft::Piece> spectrum_pieces() const override { return pieces(plan_.output()); }
  void forward() override { plan_.forward(in_.data(), out_.data()); }
  void backward() override { plan_.backward(out_.data(), in_.data()); }

 private:
  static shardfft::Plan make_plan(MPI_Comm comm, std::int64_t n, const OurOptions& wanted) {
    int ranks = 0;
    MPI_Comm_size(comm, &ranks);
    shardfft::Options options;
    options.algorithm = wanted.algorithm;
    options.exchange = wanted.exchange;
    options.local_fft = wanted.local_fft;
    options.norm = shardfft::Norm::none;
    options.effort = wanted.measure ? shardfft::Effort::measure : shardfft::Effort::estimate;
    return {comm, shardfft::c2c<double>, shardfft::Layout::slab({n, n, n}, ranks), shardfft::default_output, options};
  }
  static std::vector<shardfft::Piece> pieces(const shardfft::Side& side) { return side.layout.pieces(side.rank); }

  std::string name_;
  shardfft::Plan plan_;
  shardfft::Buffer in_;
  shardfft::Buffer out_;
};

class FftwMpi : public Contender {
 public:
  FftwMpi(MPI_Comm comm, std::int64_t n, bool destroy, bool measure) : n_(n), destroy_(destroy) {
    fftw_mpi_init();
    const std::ptrdiff_t count =
        fftw_mpi_local_size_3d_transposed(n, n, n, comm, &rows_, &first_row_, &columns_, &first_column_);
    in_ = fftw_alloc_complex(static_cast<std::size_t>(count));
    out_ = fftw_alloc_complex(static_cast<std::size_t>(count));
    if (in_ == nullptr || out_ == nullptr) throw std::runtime_error("FFTW could not allocate its arrays");
    const unsigned flags = (measure ? FFTW_MEASURE : FFTW_ESTIMATE) | (destroy ? FFTW_DESTROY_INPUT : 0U);
    forward_ = fftw_mpi_plan_dft_3d(n, n, n, in_, out_, comm, FFTW_FORWARD, flags | FFTW_MPI_TRANSPOSED_OUT);
    backward_ = fftw_mpi_plan_dft_3d(n, n, n, out_, in_, comm, FFTW_BACKWARD, flags | FFTW_MPI_TRANSPOSED_IN);
    if (forward_ == nullptr || backward_ == nullptr) throw std::runtime_error("FFTW made no plan");
  }
  ~FftwMpi() override {
    fftw_destroy_plan(forward_);
    fftw_destroy_plan(backward_);
    fftw_free(in_);
    fftw_free(out_);
  }
  FftwMpi(const FftwMpi&) = delete;
  FftwMpi& operator=(const FftwMpi&) = delete;

  std::string name() const override { return destroy_ ? "FFTW-MPI (may destroy input)" : "FFTW-MPI"; }
  Complex* field() override { return reinterpret_cast<Complex*>(in_); }
  Complex* spectrum() override { return reinterpret_cast<Complex*>(out_); }
  std::vector<shardfft::Piece> field_pieces() const override {
    shardfft::Piece piece;
    piece.set = shardfft::box({first_row_, 0, 0}, {first_row_ + rows_, n_, n_});
    piece.stride = {n_ * n_, n_, 1};
    return {piece};
  }
  std::vector<shardfft::Piece> spectrum_pieces() const override {
    shardfft::Piece piece;  // in memory: axis 1, axis 0, axis 2
    piece.set = shardfft::box({0, first_column_, 0}, {n_, first_column_ + columns_, n_});
    piece.stride = {n_, n_ * n_, 1};
    return {piece};
  }
  void forward() override { fftw_execute(forward_); }
  void backward() override { fftw_execute(backward_); }

 private:
  std::int64_t n_;
  bool destroy_;
  std::ptrdiff_t rows_ = 0;
  std::ptrdiff_t first_row_ = 0;
  std::ptrdiff_t columns_ = 0;
  std::ptrdiff_t first_column_ = 0;
  fftw_complex* in_ = nullptr;
  fftw_complex* out_ = nullptr;
  fftw_plan forward_ = nullptr;
  fftw_plan backward_ = nullptr;
};

}  // namespace

std::unique_ptr<Contender> make_ours(MPI_Comm comm, std::int64_t n, const OurOptions& options) {
  return std::make_unique<Ours>(comm, n, options);
}

std::unique_ptr<Contender> make_fftw_mpi(MPI_Comm comm, std::int64_t n, bool destroy, bool measure) {
  return std::make_unique<FftwMpi>(comm, n, destroy, measure);
}

}  // namespace claims
