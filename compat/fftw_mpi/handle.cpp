#include "handle.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <utility>

#include "end_all.hpp"

namespace shardfft::compat {

namespace {

struct Printer {
  void (*print)(Printer*, const char* format, ...);
};

struct Body;

/// The functions of a plan.
struct Table {
  void (*solve)(const Body*, const void* problem);
  void (*awake)(Body*, int state);
  void (*print)(const Body*, Printer*);
  void (*destroy)(Body*);
};

/// FFTW's internal plan; its functions free the memory after `destroy`.
struct Body {
  const Table* table;
  double flops[4];  ///< additions, multiplications, both in one, others
  double cost;
  int state;
  int may_prune;
  void (*apply)(const Body*, void* in, void* out);  ///< new-array execute
  // FFTW does not know the members from here on.
  Chain* chain;
  std::string* text;
  const void* in;
  void* out;
};

/// FFTW's calls of a problem: it asks whether this is one of its own MPI problems, and frees it.
struct ProblemTable {
  int kind;
  void (*hash)(const void*, void*);
  void (*zero)(const void*);
  void (*print)(const void*, void*);
  void (*destroy)(void*);
};
struct Problem {
  const ProblemTable* table;
};

/// The object that users hold. FFTW before 3.3.11 has `sign` in the place of `references`, and does not read it for MPI
/// plans.
struct Handle {
  Body* body;
  Problem* problem;
  std::size_t references;
  int sign;
};

void run(const Body* body, const void* in, void* out) noexcept {
  try {
    body->chain->run(in, out);
  } catch (const std::exception& e) {
    end_all("fftw_execute", e.what());
  }
}

void solve(const Body* body, const void*) { run(body, body->in, body->out); }
void apply(const Body* body, void* in, void* out) { run(body, in, out); }
void awake(Body*, int) {}
void print(const Body* body, Printer* printer) { printer->print(printer, "(%s)", body->text->c_str()); }
void destroy(Body* body) {
  delete body->chain;
  delete body->text;
}

constexpr Table table{solve, awake, print, destroy};
constexpr ProblemTable problem_table{0, [](const void*, void*) {}, [](const void*) {}, [](const void*, void*) {},
                                     [](void*) {}};
Problem the_problem{&problem_table};

/// FFTW frees this memory by free().
template <class T>
T* allocated(T value) {
  void* const memory = std::malloc(sizeof(T));
  if (!memory) throw std::bad_alloc();
  return new (memory) T(value);
}

}  // namespace

void* make_handle(Chain chain, const void* in, void* out, std::string text, double flops) {
  auto owned_chain = std::make_unique<Chain>(std::move(chain));
  auto owned_text = std::make_unique<std::string>(std::move(text));
  std::unique_ptr<Body, void (*)(void*)> body(
      allocated(Body{&table, {flops, 0, 0, 0}, flops, 1, 0, apply, owned_chain.get(), owned_text.get(), in, out}),
      std::free);
  Handle* const handle = allocated(Handle{body.get(), &the_problem, 1, -1});
  owned_chain.release();
  owned_text.release();
  body.release();
  return handle;
}

void run_on(void* plan, const void* in, void* out) {
  const Body* const body = static_cast<const Handle*>(plan)->body;
  body->apply(body, const_cast<void*>(in), out);
}

std::string foreign_fftw(Precision precision) {
  const bool f64 = precision == Precision::f64;
  void* const execute = dlsym(RTLD_DEFAULT, f64 ? "fftw_execute" : "fftwf_execute");
  void* const cost = dlsym(RTLD_DEFAULT, f64 ? "fftw_cost" : "fftwf_cost");
  Dl_info of_execute{}, of_cost{};
  if (!execute || !cost || !dladdr(execute, &of_execute) || !dladdr(cost, &of_cost)) return {};
  if (of_execute.dli_fbase != of_cost.dli_fbase) return {};
  // FFTW's own function finds the cost at FFTW's place for it; it accesses nothing else.
  constexpr double mark = 1234.5;
  Body body{&table, {}, mark, 0, 0, apply, nullptr, nullptr, nullptr, nullptr};
  Handle handle{&body, &the_problem, 1, -1};
  if (reinterpret_cast<double (*)(void*)>(cost)(&handle) == mark) return {};
  return std::string("fftw_execute comes from ") + of_execute.dli_fname +
         ", which is not FFTW 3.3 and cannot run these plans: link FFTW before it";
}

}  // namespace shardfft::compat
