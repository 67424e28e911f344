// shardfft itself: every algorithm, exchange and local FFT as options of the case.
#include <optional>
#include <shardfft/shardfft.hpp>

#include "../native/adapter_base.hpp"
#include "shardfft_case.hpp"

namespace shardfft::bench {
namespace {

Json with_auto(const std::vector<std::string>& names) {
  Json list = names;
  if (std::find(names.begin(), names.end(), "auto") == names.end()) list.push_back("auto");
  return list;
}

class Shardfft : public AdapterBase {
 public:
  Description describe() const override {
    return {.library = "shardfft",
            .version = SHARDFFT_BENCH_VERSION,
            .language = "C++",
            .licence = "BSD-3-Clause",
            .backend = "FFTW or MKL",
            .capabilities = {{"kinds", {"c2c", "r2c"}},
                             {"precisions", {"double", "single"}},
                             {"placements", {"out", "in"}},
                             {"layouts", {"slab", "pencil", "brick"}},
                             {"outputs", {"any", "natural"}},
                             {"threads", true}},
            .options = {{"algorithm", with_auto(algorithm_names())},
                        {"exchange", with_auto(exchange_names())},
                        {"local_fft", with_auto(local_fft_names())},
                        {"chunks", Json::array()},
                        {"buffers", {"plan", "user"}}}};
  }

  std::string refuse(const Case& wanted, int ranks) const override {
    return refuse_by_capabilities(describe(), wanted, ranks);
  }

  void plan(const Case& wanted, MPI_Comm comm) override {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    plan_.emplace(comm, transform_of(wanted), input_layout(wanted, ranks),
                  wanted.natural() ? natural_output : default_output, options_of(wanted));
    field_part_ = part_of(plan_->input().layout, rank);
    spectrum_part_ = part_of(plan_->output().layout, rank);
    scale_ = double(wanted.points());
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
  Json breakdown() const override { return breakdown_of(plan_->report()); }

 private:
  std::optional<Plan> plan_;
  Buffer planned_field_, planned_spectrum_;
};

}  // namespace

std::unique_ptr<Adapter> make_adapter() { return std::make_unique<Shardfft>(); }

}  // namespace shardfft::bench
