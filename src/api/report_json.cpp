// The JSON of a report: every object has the names of the fields.
#include "base/json.hpp"
#include "base/words.hpp"
#include "shardfft/predict.hpp"

namespace shardfft {

namespace {

Json time_json(const PlanReport::Time& time) {
  return Json::object({{"activity", time.activity},
                       {"communication", time.communication},
                       {"seconds", time.seconds},
                       {"mean_seconds", time.mean_seconds}});
}

Json step_json(const PlanReport::Step& step) {
  return Json::object({{"number", step.number},
                       {"text", step.text},
                       {"role", step.role},
                       {"bytes_sent", step.bytes_sent},
                       {"messages_sent", step.messages_sent},
                       {"overlaps", step.overlaps},
                       {"times", Json::array(step.times, time_json)},
                       {"error", step.error}});
}

Json program_json(const PlanReport::Program& program) {
  const Json reads = Json::object({{"in_window", program.input_reads.in_window},
                                   {"across", program.input_reads.across},
                                   {"staged", program.input_reads.staged}});
  return Json::object({{"runs", program.runs},
                       {"timed_runs", program.timed_runs},
                       {"graph_runs", program.graph_runs},
                       {"steps", Json::array(program.steps, step_json)},
                       {"seconds", program.seconds},
                       {"mean_seconds", program.mean_seconds},
                       {"mean_communication_seconds", program.mean_communication_seconds},
                       {"ratio", program.ratio},
                       {"checks", program.checks},
                       {"largest_residual", program.largest_residual},
                       {"error", program.error},
                       {"input_reads", reads}});
}

Json choice_json(const Choice& choice) {
  return Json::object({{"what", choice.what}, {"chosen", choice.chosen}, {"why", choice.why}});
}

Json cost_json(const Prediction::Step& step) {
  return Json::object({{"seconds", step.seconds},
                       {"moved_bytes", step.moved_bytes},
                       {"working_bytes", step.working_bytes},
                       {"operations", step.operations},
                       {"products", step.products},
                       {"near_bytes", step.near_bytes},
                       {"far_bytes", step.far_bytes},
                       {"near_messages", step.near_messages},
                       {"far_messages", step.far_messages},
                       {"starts", step.starts},
                       {"pieces", step.pieces}});
}

Json timed_json(const PlanReport::TimedWay& timed) {
  return Json::object({{"way", timed.way}, {"seconds", timed.seconds}});
}

}  // namespace

std::string Prediction::to_json() const {
  return Json::object({{"seconds", seconds},
                       {"error", error},
                       {"input_bytes", input_bytes},
                       {"output_bytes", output_bytes},
                       {"exact", exact},
                       {"forward", Json::array(forward, cost_json)},
                       {"backward", Json::array(backward, cost_json)}})
      .text();
}

std::string PlanReport::to_json() const {
  Json json = Json::object({{"kind", shardfft::to_text(transform.kind)},
                            {"precision", shardfft::to_text(transform.precision)},
                            {"ranks", ranks},
                            {"threads", threads},
                            {"batch", batch},
                            {"input", input},
                            {"output", output},
                            {"algorithm", algorithm},
                            {"exchange", exchange},
                            {"local_fft", local_fft},
                            {"machine", machine},
                            {"way", way},
                            {"workspace_bytes", workspace_bytes},
                            {"window_bytes", window_bytes},
                            {"table_bytes", table_bytes},
                            {"library_bytes", library_bytes},
                            {"pinned_bytes", pinned_bytes},
                            {"planning_bytes", planning_bytes},
                            {"choices", Json::array(choices, choice_json)},
                            {"tried", Json::array(tried, timed_json)},
                            {"forward", program_json(forward)},
                            {"backward", program_json(backward)}});
  if (apply) json.add({"apply", program_json(*apply)});
  return json.text();
}

}  // namespace shardfft
