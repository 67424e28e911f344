// In which pieces plans over GPUs run reshapes and the transforms beside them.
#include <regex>
#include <sstream>

#include "gpu/group_kit.hpp"
#include "support/fewer_buffers.hpp"

namespace shardfft::test {
namespace {

/// Lines of the vendor's library are no faster alone, and planes can be cut along the axis that is left.
TEST(Cuts, AxesWithoutLinePassesStayTogether) {
  for (const auto& [kind, planes] :
       {std::pair{Kind::c2c, "fft c2c 331 331 by cufft"}, std::pair{Kind::r2c, "fft r2c 331 331 by cufft"}}) {
    const TransformCase c{{331, 331, 331}, "slab", "left", kind, Precision::f64, on_gpu("slab")};
    const std::vector<PlanReport::Step> steps = make_plan_over(devices_for(2), c).report().forward.steps;
    ASSERT_EQ(steps.size(), 1);
    EXPECT_NE(steps.front().text.find(planes), std::string::npos) << steps.front().text;
  }
}

/// What leaves whole before the transform behind the reshape may begin: "1:2:4 along ... the first 2 whole".
double share_sent_whole(const std::string& text) {
  std::smatch told;
  if (!std::regex_search(text, told, std::regex("chunks, ([0-9:]+) along .* the first ([0-9]+) whole"))) return 0;
  double sum = 0, first = 0;
  std::istringstream sizes(told[1]);
  std::string size;
  for (int k = 0; std::getline(sizes, size, ':'); ++k) {
    sum += std::stod(size);
    if (k < std::stoi(told[2])) first += std::stod(size);
  }
  return first / sum;
}

/// Planes in one pass take longer than lines: backward they begin sooner than lines do forward.
TEST(Cuts, LessIsSentBesideLinesThanBesidePlanes) {
  constexpr std::size_t terabyte = 1000UL * 1000 * 1000 * 1000;
  const ChangedFacts plenty(of_memory(terabyte));
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const Shape& shape : {Shape{1024, 1024, 1024}, Shape{640, 720, 800}}) {
      const TransformCase c{shape, "slab", "left", kind, Precision::f64, on_gpu("slab")};
      const PlanReport report = make_plan_over(devices_for(2), c).report();
      const std::string &forward = report.forward.steps.at(0).text, &backward = report.backward.steps.at(0).text;
      EXPECT_GT(share_sent_whole(forward), share_sent_whole(backward)) << forward << '\n' << backward;
    }
}

}  // namespace
}  // namespace shardfft::test
