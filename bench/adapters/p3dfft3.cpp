// P3DFFT++ (version 3): pencils along its x (our axis 2) in; pencils along z, z fastest, out, or x again where natural
// order is asked. How hard FFTW plans was chosen when the library was built.
#define HAVE_CONFIG_H  // its header reads how it was built only then
#include <p3dfft.h>

#include <functional>

#include "../native/adapter_base.hpp"

namespace shardfft::bench {
namespace {

class P3dFft3 : public AdapterBase {
 public:
  Description describe() const override { return description_of("p3dfft++", VERSION); }

  std::string refuse(const Case& wanted, int ranks) const override {
    const auto least = std::min({wanted.shape[0], wanted.shape[1], wanted.spectrum()[2]});
    if (ranks > least) return "p3dfft++ wants a plane for every rank";
    // Its inverse gives wrong numbers there, on one rank as well.
    if (wanted.real() && wanted.shape[2] % 2 && wanted.direction != Direction::forward)
      return "p3dfft++ wants an even last size for the way back to real data";
    if (wanted.real() && wanted.in_place()) return "p3dfft++ wants real transforms out of place";
    return refuse_by_capabilities(describe(), wanted, ranks);
  }

  void plan(const Case& wanted, MPI_Comm comm) override {
    int ranks = 1;
    MPI_Comm_size(comm, &ranks);
    const auto grid = wanted.layout == LayoutKind::slab ? std::array<int, 2>{ranks, 1} : pencil_grid(wanted, ranks);
    p3dfft::setup();
    // Its grid names x first.
    int processes[3] = {1, grid[1], grid[0]};
    processes_ = std::make_unique<p3dfft::ProcGrid>(processes, comm);
    int straight[3] = {0, 1, 2}, turned[3] = {1, 2, 0};
    int* const layout = wanted.natural() ? straight : turned;
    int points[3], modes[3];
    for (int axis = 0; axis < 3; ++axis) {
      points[axis] = int(wanted.shape[2 - axis]);
      modes[axis] = int(wanted.spectrum()[2 - axis]);
    }
    field_grid_ = std::make_unique<p3dfft::DataGrid>(points, -1, processes_.get(), straight, straight);
    const int halved = wanted.real() ? 0 : -1;
    spectrum_grid_ = std::make_unique<p3dfft::DataGrid>(modes, halved, processes_.get(), layout, layout);
    field_part_ = part_of(*field_grid_);
    spectrum_part_ = part_of(*spectrum_grid_);
    allocate(wanted, field_part_.volume(), spectrum_part_.volume());
    scale_ = double(wanted.points());
    make_transforms(wanted);
  }

  void forward() override { forward_(); }
  void backward() override { backward_(); }

 private:
  static Part part_of(const p3dfft::DataGrid& grid) {
    Triple lower{}, count{};
    std::array<int, 3> order{};
    for (int axis = 0; axis < 3; ++axis) {
      lower[2 - axis] = grid.GlobStart[axis];
      count[2 - axis] = grid.Ldims[axis];
      order[2 - grid.MemOrder[axis]] = 2 - axis;
    }
    return packed_part(lower, count, order);
  }

  void make_transforms(const Case& wanted) {
    using namespace p3dfft;
    if (wanted.single())
      wanted.real() ? bind<float, mycomplex>({R2CFFT_S, CFFT_FORWARD_S}, {C2RFFT_S, CFFT_BACKWARD_S})
                    : bind<mycomplex, mycomplex>({CFFT_FORWARD_S, CFFT_FORWARD_S}, {CFFT_BACKWARD_S, CFFT_BACKWARD_S});
    else
      wanted.real()
          ? bind<double, complex_double>({R2CFFT_D, CFFT_FORWARD_D}, {C2RFFT_D, CFFT_BACKWARD_D})
          : bind<complex_double, complex_double>({CFFT_FORWARD_D, CFFT_FORWARD_D}, {CFFT_BACKWARD_D, CFFT_BACKWARD_D});
  }

  // One kind of 1-D transform along x and another along y and z, for each direction.
  template <class Value, class Complex>
  void bind(std::array<int, 2> there, std::array<int, 2> back) {
    int kinds_there[3] = {there[0], there[1], there[1]}, kinds_back[3] = {back[0], back[1], back[1]};
    const p3dfft::trans_type3D type_there(kinds_there), type_back(kinds_back);
    // Never destroyed, nor is p3dfft::cleanup called: it hands single precision plans to the double precision FFTW.
    auto* to = new p3dfft::transform3D<Value, Complex>(*field_grid_, *spectrum_grid_, &type_there);
    auto* from = new p3dfft::transform3D<Complex, Value>(*spectrum_grid_, *field_grid_, &type_back);
    auto* values = static_cast<Value*>(field());
    auto* modes = static_cast<Complex*>(spectrum());
    forward_ = [=] { to->exec(values, modes, true); };
    backward_ = [=] { from->exec(modes, values, true); };
  }

  std::unique_ptr<p3dfft::ProcGrid> processes_;
  std::unique_ptr<p3dfft::DataGrid> field_grid_, spectrum_grid_;
  std::function<void()> forward_, backward_;
};

}  // namespace

std::unique_ptr<Adapter> make_adapter() { return std::make_unique<P3dFft3>(); }

}  // namespace shardfft::bench
