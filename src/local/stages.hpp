#pragma once
// Parts that the front adds around a backend: each class does one thing that the backend cannot do.
#include "local/blocking.hpp"

namespace shardfft {

/// Makes the transform of a smaller problem.
using SubFactory = std::function<std::unique_ptr<LocalFft>(const FftSpec&)>;

/// Transforms of one point, or of none: copy and scale.
std::unique_ptr<LocalFft> make_copy(const FftSpec& spec);
/// The batch in calls of `blocking`, dealt to `spec.threads` OpenMP threads.
std::unique_ptr<LocalFft> make_batched(const FftSpec& spec, const Blocking& blocking, const SubFactory& make);
/// Scale, and the conjugation that makes r2c backward-signed, as a pass over the output.
std::unique_ptr<LocalFft> make_finished(const FftSpec& spec, const SubFactory& make);
/// With one side in scratch: the output of a transform in place whose strides do not name the same bytes or, if it
/// `conjugates`, the input of a forward-signed c2r, which becomes the usual one.
std::unique_ptr<LocalFft> make_staged(const FftSpec& spec, const SubFactory& make, bool conjugates);
/// Several axes as two transforms: the first axis, and the others.
std::unique_ptr<LocalFft> make_split(const FftSpec& spec, const SubFactory& make);
/// A cosine or sine transform of one axis, with one batch loop at most, as the Fourier transforms of fourier_spec().
std::unique_ptr<LocalFft> make_cosine(const FftSpec& spec, const SubFactory& make);

}  // namespace shardfft
