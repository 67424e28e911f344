// shardfft itself: every algorithm, exchange and local FFT as options of the case.
#include <optional>
#include <shardfft/shardfft.hpp>

#include "../native/adapter_base.hpp"
#include "shardfft_case.hpp"
#include "shardfft_local.hpp"

namespace shardfft::bench {
namespace {

class Shardfft : public AdapterBase {
 public:
  Description describe() const override { return description_of("shardfft", SHARDFFT_BENCH_VERSION, options()); }

  void plan(const Case& wanted, MPI_Comm comm) override {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    plan_.emplace(comm, transform_of(wanted), input_layout(wanted, ranks),
                  wanted.natural() ? natural_output : default_output, options_of(wanted));
    field_part_ = part_of(plan_->input().layout, rank);
    spectrum_part_ = part_of(plan_->output().layout, rank);
    scale_ = wanted.scale();
    if (!wanted.apply.empty()) filter_ = Operator::gaussian(0.05);
    if (wanted.in_place() || wanted.options.value("buffers", "plan") == "user") {
      allocate(wanted, field_part_.span(), spectrum_part_.span());
      return;
    }
    planned_field_ = plan_->allocate_input();
    planned_spectrum_ = plan_->allocate_output();
  }

  void* field() override { return field_.get() ? field_.get() : planned_field_.data(); }
  void* spectrum() override {
    return spectrum_.get() ? spectrum_.get() : field_.get() ? field_.get() : planned_spectrum_.data();
  }
  void forward() override { plan_->forward(field(), spectrum()); }
  void backward() override { plan_->backward(spectrum(), field()); }
  bool applies() const override { return true; }
  void apply() override { plan_->apply(*filter_, field(), field()); }
  Json breakdown() const override { return breakdown_of(plan_->report()); }
  FftAccount fft_account() const override { return account_of(plan_->report()); }
  std::function<void()> local_ffts(const Case& wanted, MPI_Comm comm) override {
    if (!wanted.features().empty() || wanted.real_spectrum()) return {};
    const auto ffts = std::make_shared<LocalFfts>(wanted, comm);
    return [ffts, direction = wanted.direction] { ffts->run(direction); };
  }

 private:
  static Json options() {
    Json options = plan_options(Place::cpu);
    options["buffers"] = {"plan", "user"};
    return options;
  }

  std::optional<Plan> plan_;
  std::optional<Operator> filter_;
  Buffer planned_field_, planned_spectrum_;
};

}  // namespace

std::unique_ptr<Adapter> make_adapter() { return std::make_unique<Shardfft>(); }

}  // namespace shardfft::bench
