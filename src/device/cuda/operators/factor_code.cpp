// The source of kernels for operators with CUDA text, for the compiler at run time.
#include "device/factor_code.hpp"

#include <map>
#include <vector>

#include "base/check.hpp"
#include "base/text.hpp"
#include "device/cuda/lines/jit.hpp"
#include "device/factor_limits.hpp"

namespace shardfft::device {
namespace {

/// Writes a line of code for each term. The value of term i is named v followed by i.
class TermWriter {
 public:
  explicit TermWriter(ElementType element) : element_(element) {}

  void add(const SpectralFactors::Term& term) {
    std::visit([this](const auto& one) { write(one); }, term);
    ++number_;
  }
  std::string body() const { return body_.str() + "    return v" + std::to_string(waiting_.back()) + ";\n"; }
  /// Each text once, in a namespace of its own. Error messages count lines within the text.
  std::string texts() const { return texts_.str(); }

 private:
  void write(std::complex<double> /*constant*/) { push() << "pass.terms.term[" << number_ << "].constant;\n"; }
  void write(const SpectralFactors::OfAxis& axis) {
    push() << "pass.numbers[pass.terms.term[" << number_ << "].numbers + index[" << axis.axis + 1 << "]];\n";
  }
  void write(const SpectralFactors::OfArray& /*array*/) { fail(Status::internal, "a kernel has no arrays of factors"); }
  void write(const SpectralFactors::OfText& text) {
    const std::size_t first = waiting_.size() - static_cast<std::size_t>(text.axes);
    body_ << "    const double k" << number_ << "[] = {";
    for (std::size_t v = first; v < waiting_.size(); ++v) body_ << (v == first ? "v" : ", v") << waiting_[v] << ".re";
    body_ << "};\n";
    waiting_.resize(first);
    const char* const real = element_.is_complex ? "" : "real_factor";
    push() << real << "(text_" << number_of(*text.text) << "::factor(k" << number_ << ", index + 1));\n";
  }
  void write(SpectralFactors::Join join) {
    const int last = pop(), first = pop();
    if (join == SpectralFactors::Join::over)
      push() << "quotient(v" << first << ", v" << last << ");\n";
    else
      push() << "v" << first << ' ' << "+-*"[static_cast<int>(join)] << " v" << last << ";\n";
  }

  std::ostream& push() {
    waiting_.push_back(number_);
    return body_ << "    const complex v" << number_ << " = ";
  }
  int pop() {
    const int value = waiting_.back();
    waiting_.pop_back();
    return value;
  }
  std::size_t number_of(const std::string& text) {
    const auto [at, is_new] = numbers_.emplace(text, numbers_.size());
    if (is_new)
      texts_ << "namespace text_" << at->second
             << " {\nusing shardfft::device::complex;\nusing shardfft::device::conj;\n#line 1 \"operator\"\n"
             << text << "\n}\n";
    return at->second;
  }

  ElementType element_;
  int number_ = 0;
  std::vector<int> waiting_;
  std::map<std::string, std::size_t> numbers_;
  Text body_, texts_;
};

std::string name_of(ElementType element) {
  const std::string real = element.precision == Precision::f64 ? "double" : "float";
  return element.is_complex ? "Complex<" + real + ">" : real;
}

}  // namespace

std::string factor_source(const SpectralFactors& factors, ElementType element) {
  TermWriter writer(element);
  for (const SpectralFactors::Term& term : factors.terms) writer.add(term);
  return "#include \"device/cuda/text_factors.cuh\"\n" + writer.texts() +
         "#line 1 \"multiply\"\nusing namespace shardfft::device;\n"
         "extern \"C\" __global__ void __launch_bounds__(256) multiply(const __grid_constant__ FactorPass pass) {\n"
         "  multiply_lines<" +
         name_of(element) +
         ">(pass, [](const long long*) { return 0; },\n"
         "      [&](int, const long long* index) -> Complex<double> {\n" +
         writer.body() + "  });\n}\n";
}

std::string factor_code(const SpectralFactors& factors, ElementType element, int architecture) {
  if (factors.has_arrays())
    fail(Status::unsupported,
         "an operator of CUDA source text cannot be joined with arrays or functions of the host: write these as text "
         "too");
  if (factors.terms.size() > static_cast<std::size_t>(most_factor_terms))
    fail(Status::unsupported, "an operator with CUDA source text has ", factors.terms.size(),
         " terms, but a kernel takes ", most_factor_terms,
         ": each operator, number and sign is one, a text one and one for each axis");
  if (lines::nvrtc_version().empty())
    fail(Status::unsupported, "operators of CUDA source text need libnvrtc, which was not found");
  const std::string source = factor_source(factors, element);
  try {
    return lines::machine_code(source, architecture).cubin;
  } catch (const Error& e) {
    fail(Status::invalid_argument, "the operator's CUDA source text: ", e.what());
  }
}

}  // namespace shardfft::device
