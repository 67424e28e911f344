// The JSON of a report: every object has the names of the fields.
#include <nlohmann/json.hpp>

#include "api/report.hpp"
#include "base/words.hpp"

namespace shardfft {

namespace {

using Json = nlohmann::json;

Json program_json(const PlanReport::Program& program) {
  Json steps = Json::array();
  for (const PlanReport::Step& step : program.steps) steps.push_back(step_json(step));
  return {{"runs", program.runs},
          {"timed_runs", program.timed_runs},
          {"graph_runs", program.graph_runs},
          {"steps", steps},
          {"seconds", program.seconds},
          {"mean_seconds", program.mean_seconds},
          {"mean_communication_seconds", program.mean_communication_seconds},
          {"ratio", program.ratio ? Json(*program.ratio) : Json()},
          {"checks", program.checks},
          {"largest_residual", program.largest_residual},
          {"error", program.error},
          {"input_reads",
           {{"in_window", program.input_reads.in_window},
            {"across", program.input_reads.across},
            {"staged", program.input_reads.staged}}}};
}

}  // namespace

Json step_json(const PlanReport::Step& step) {
  Json times = Json::array();
  for (const PlanReport::Time& time : step.times)
    times.push_back({{"activity", time.activity},
                     {"communication", time.communication},
                     {"seconds", time.seconds},
                     {"mean_seconds", time.mean_seconds}});
  return {{"number", step.number},     {"text", step.text}, {"role", step.role},  {"bytes_sent", step.bytes_sent},
          {"overlaps", step.overlaps}, {"times", times},    {"error", step.error}};
}

std::string PlanReport::to_json() const {
  Json chosen = Json::array();
  for (const Choice& choice : choices)
    chosen.push_back({{"what", choice.what}, {"chosen", choice.chosen}, {"why", choice.why}});
  Json json = {{"kind", shardfft::to_text(transform.kind)},
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
               {"workspace_bytes", workspace_bytes},
               {"window_bytes", window_bytes},
               {"table_bytes", table_bytes},
               {"library_bytes", library_bytes},
               {"pinned_bytes", pinned_bytes},
               {"choices", chosen},
               {"forward", program_json(forward)},
               {"backward", program_json(backward)}};
  if (apply) json["apply"] = program_json(*apply);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace shardfft
