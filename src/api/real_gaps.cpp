// Real arrays with gaps between their rows: plans are made as if there were none, and their first transform reads the
// rows, and the last one of the way back writes them, in place.
#include <utility>

#include "api/problem.hpp"
#include "base/check.hpp"
#include "geometry/gaps.hpp"

namespace shardfft {

void close_gaps(ProblemSpec& spec) {
  const Kind kind = spec.transform.kind;
  if (kind != Kind::r2c && (kind != Kind::c2r || !spec.output)) return;
  Layout& real = kind == Kind::c2r ? *spec.output : spec.input;
  if (auto dense = without_gaps(real)) spec.with_gaps = std::exchange(real, std::move(*dense));
}

void validate_gaps(const ProblemSpec& spec) {
  if (!spec.with_gaps) return;
  // Such plans read all places of an array alike.
  const auto refuse_for = [](const std::string& what) {
    fail(Status::unsupported, "the layout of the real array has gaps between its elements, which plans with ", what,
         " do not support");
  };
  if (spec.place != Place::cpu) refuse_for(place_text(spec.place));
  if (spec.options.verify) refuse_for("option verify");
  if (spec.options.workspace == Workspace::least) refuse_for("option workspace = least");
}

bool begins_with_transform(const Program& program) {
  return !program.steps.empty() && std::holds_alternative<TransformStep>(program.steps.front());
}

void open_gaps(const ProblemSpec& spec, Program& lowered) {
  if (!spec.with_gaps) return;
  if (!begins_with_transform(lowered))
    fail(Status::unsupported, "the layout of the real array has gaps between its elements, but algorithm ",
         lowered.algorithm, " does not begin with a transform in that layout");
  lowered.states.front().layout = spec.with_gaps->with_batch(spec.options.batch);
}

}  // namespace shardfft
