// Bad input is a shardfft::Error with the right code and words on every rank; nothing hangs, and the library goes on.
#include <gtest/gtest.h>

#include "base/aligned.hpp"
#include "shardfft/redistribution.hpp"
#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

const Shape shape{4, 6, 8};

int ranks() { return world().size(); }

/// The arguments of a plan, right unless a case changes them.
struct Arguments {
  Transform transform = c2c<double>;
  Layout input = Layout::slab(shape, ranks());
  Layout output;
  OutputLayout output_kind = default_output;
  Options options = quick();

  Plan plan() const {
    if (output.axes() > 0) return Plan(MPI_COMM_WORLD, transform, input, output, options);
    return Plan(MPI_COMM_WORLD, transform, input, output_kind, options);
  }
};

struct BadPlan {
  std::string name;
  Status code;
  std::string words;
  std::function<void(Arguments&)> spoil;
};

void library_still_works() { check_case({{3, 4, 5}, "slab", "natural", Kind::c2c, Precision::f64, quick()}); }

void check_refused(const std::vector<BadPlan>& cases) {
  for (const BadPlan& c : cases) {
    SCOPED_TRACE(c.name);
    Arguments arguments;
    c.spoil(arguments);
    expect_error(c.code, c.words, [&] { arguments.plan(); });
  }
  library_still_works();
}

Layout slabs_of(const std::vector<std::pair<std::int64_t, std::int64_t>>& runs) {
  std::vector<IndexSet> sets;
  for (const auto& [low, high] : runs) sets.push_back(box({low, 0, 0}, {high, shape[1], shape[2]}));
  sets.resize(static_cast<std::size_t>(ranks()), empty_set(shape));
  return Layout::boxes(shape, sets);
}

TEST(BadInput, Layouts) {
  const Status bad = Status::invalid_argument;
  check_refused({
      {"no layout", bad, "input layout is empty", [](Arguments& a) { a.input = Layout(); }},
      {"five axes", bad, "5 axes",
       [](Arguments& a) {
         a.input = Layout::slab({2, 2, 2, 2, 2}, ranks());
       }},
      {"another number of ranks", bad, "made for " + std::to_string(ranks() + 1) + " ranks",
       [](Arguments& a) { a.input = Layout::slab(shape, ranks() + 1); }},
      {"another number of ranks in the output", bad, "output layout is made for",
       [](Arguments& a) { a.output = Layout::slab(shape, ranks() + 2); }},
      {"incomplete boxes", bad, "without an owner",
       [](Arguments& a) {
         a.input = slabs_of({{0, 3}});
       }},
      {"incomplete output", bad, "output layout does not tile",
       [](Arguments& a) {
         a.output = slabs_of({{1, 4}});
       }},
      {"box outside", bad, "outside 0 to 3",
       [](Arguments& a) {
         a.input = slabs_of({{0, 5}});
       }},
      {"output of another shape", bad, "4x6x9",
       [](Arguments& a) {
         a.output = Layout::slab({4, 6, 9}, ranks());
       }},
      {"output with fewer axes", bad, "4x6",
       [](Arguments& a) {
         a.output = Layout::slab({4, 6}, ranks());
       }},
  });
  if (ranks() < 2) return;
  check_refused({{"overlapping boxes", bad, "boxes overlap: ranks 0 and 1", [](Arguments& a) {
                    a.input = slabs_of({{0, 3}, {2, 4}});
                  }}});
}

TEST(BadInput, EmptyOutputLayout) {
  expect_error(Status::invalid_argument, "output layout is empty",
               [] { Plan(MPI_COMM_WORLD, c2c<double>, Layout::slab(shape, ranks()), Layout(), quick()); });
}

TEST(BadInput, RealTransforms) {
  const Status bad = Status::invalid_argument;
  check_refused({
      {"r2c halved on the wrong axis", bad, "4x6x5",
       [](Arguments& a) {
         a.transform = r2c<double>;
         a.output = Layout::slab({3, 6, 8}, ranks());
       }},
      {"r2c not halved", bad, "halved axis",
       [](Arguments& a) {
         a.transform = r2c<double>;
         a.output = Layout::slab(shape, ranks());
       }},
      {"c2r halved on the wrong axis", bad, "halved axis",
       [](Arguments& a) {
         a.transform = shardfft::c2r<double>;
         a.input = Layout::slab({4, 6, 5}, ranks());
         a.output = Layout::slab({6, 6, 5}, ranks());
       }},
      {"c2r of another axis", bad, "halved axis",
       [](Arguments& a) {
         a.transform = shardfft::c2r<double>;
         a.input = Layout::slab({4, 6, 5}, ranks());
         a.output = Layout::slab({4, 6, 8}, ranks());
         a.options.axes = {2, 0};
       }},
      {"real extent that has other modes", bad, "modes",
       [](Arguments& a) {
         a.transform = shardfft::c2r<double>;
         a.options.real_extent = 9;
       }},
      {"real array without points", bad, "has 1 mode along axis 2",
       [](Arguments& a) {
         a.transform = shardfft::c2r<double>;
         a.input = Layout::slab({4, 6, 1}, ranks());
       }},
      {"negative real extent", bad, "real_extent is -1",
       [](Arguments& a) {
         a.transform = shardfft::c2r<double>;
         a.input = Layout::slab({4, 6, 1}, ranks());
         a.options.real_extent = -1;
       }},
      {"real extent of a complex transform", bad, "c2r only", [](Arguments& a) { a.options.real_extent = 8; }},
  });
}

TEST(BadInput, Options) {
  const Status bad = Status::invalid_argument;
  check_refused({
      {"exchange", bad, "unknown exchange 'pigeon'", [](Arguments& a) { a.options.exchange = "pigeon"; }},
      {"algorithm", bad, "unknown algorithm 'sofa'", [](Arguments& a) { a.options.algorithm = "sofa"; }},
      {"local FFT", bad, "unknown local_fft 'abacus'", [](Arguments& a) { a.options.local_fft = "abacus"; }},
      {"no axis", bad, "axis 3",
       [](Arguments& a) {
         a.options.axes = {0, 3};
       }},
      {"negative axis", bad, "option axes has an entry of -1", [](Arguments& a) { a.options.axes = {-1}; }},
      {"axis twice", bad, "axis 1 is named twice",
       [](Arguments& a) {
         a.options.axes = {1, 0, 1};
       }},
      {"batch", bad, "batch is 0", [](Arguments& a) { a.options.batch = 0; }},
      {"chunks", bad, "chunks is -1", [](Arguments& a) { a.options.chunks = -1; }},
      {"threads", bad, "threads is -2", [](Arguments& a) { a.options.threads = -2; }},
      {"too many threads", bad, "threads is 20000; less than 1025", [](Arguments& a) { a.options.threads = 20000; }},
      {"hosts", bad, "fake_ranks_per_host is -1", [](Arguments& a) { a.options.fake_ranks_per_host = -1; }},
      {"norm", bad, "norm has the value 9, which stands for none of: backward, ortho",
       [](Arguments& a) { a.options.norm = static_cast<Norm>(9); }},
      {"effort", bad, "effort has the value -1", [](Arguments& a) { a.options.effort = static_cast<Effort>(-1); }},
      {"processor", bad, "none of: cpu, gpu", [](Arguments& a) { a.options.processor = static_cast<Processor>(2); }},
      {"memory", bad, "none of: auto, host", [](Arguments& a) { a.options.memory = static_cast<MemoryModel>(17); }},
      {"kind", bad, "kind has the value 4", [](Arguments& a) { a.transform.kind = static_cast<Kind>(4); }},
      {"precision", bad, "precision has the value 2",
       [](Arguments& a) { a.transform.precision = static_cast<Precision>(2); }},
      {"kind of output", bad, "output layout has the value 5",
       [](Arguments& a) { a.output_kind = static_cast<OutputLayout>(5); }},
      {"grid of zero", bad, "grid has an entry of 0",
       [](Arguments& a) {
         a.options.grid = {0, 1};
       }},
      {"product of the grid", bad, "product is the number of ranks",
       [](Arguments& a) {
         a.options.algorithm = "pencil";
         a.options.grid = {ranks(), 2};
       }},
      {"length of the grid", bad, "option grid needs 2 entries",
       [](Arguments& a) {
         a.options.algorithm = "brick";
         a.options.grid = {ranks()};
       }},
      {"grid of an algorithm without one", bad, "algorithm slab has no process grid",
       [](Arguments& a) {
         a.options.algorithm = "slab";
         a.options.grid = {1, ranks()};
       }},
      {"six-step in three dimensions", bad, "1-D arrays", [](Arguments& a) { a.options.algorithm = "six_step"; }},
  });
  if (ranks() < 2) return;
  for (const std::string name : {"slab", "pencil", "brick"})
    check_refused({{name + " of one dimension", bad, "algorithm " + name + " needs two axes", [&](Arguments& a) {
                      a.input = Layout::slab({24}, ranks());
                      a.options.algorithm = name;
                    }}});
}

/// Wrong on one rank only: all are told, by the words of the one.
TEST(BadInput, OneRankOnly) {
  if (ranks() < 2) GTEST_SKIP() << "one rank";
  const std::string who = "[rank " + std::to_string(ranks() - 1) + "]";
  const auto on_last = [](std::function<void(Arguments&)> spoil) {
    return [spoil](Arguments& a) {
      if (last_rank()) spoil(a);
    };
  };
  const Status bad = Status::invalid_argument;
  check_refused({
      {"exchange", bad, who, on_last([](Arguments& a) { a.options.exchange = "pigeon"; })},
      {"batch", bad, who, on_last([](Arguments& a) { a.options.batch = -3; })},
      {"no layout", bad, who, on_last([](Arguments& a) { a.input = Layout(); })},
      {"incomplete boxes", bad, who, on_last([](Arguments& a) {
         a.input = slabs_of({{0, 3}});
       })},
      {"local FFT", bad, who, on_last([](Arguments& a) { a.options.local_fft = "abacus"; })},
  });
}

TEST(BadInput, RanksDisagree) {
  if (ranks() < 2) GTEST_SKIP() << "one rank";
  const auto on_last = [](std::function<void(Arguments&)> spoil) {
    return [spoil](Arguments& a) {
      if (last_rank()) spoil(a);
    };
  };
  const Status other = Status::mismatch;
  check_refused({
      {"cuts", other, "input layouts", on_last([](Arguments& a) { a.input = Layout::slab(shape, ranks(), 1); })},
      {"sizes", other, "input layouts", on_last([](Arguments& a) {
         a.input = Layout::slab({4, 6, 9}, ranks());
       })},
      {"orders", other, "input layouts", on_last([](Arguments& a) {
         a.input = Layout::slab(shape, ranks(), 0, {0, 2, 1});
       })},
      {"owner", other, "input layouts",
       [](Arguments& a) { a.input = Layout::single(shape, ranks(), last_rank() ? 1 : 0); }},
      {"output layout", other, "output layouts",
       [](Arguments& a) { a.output = Layout::slab(shape, ranks(), last_rank() ? 1 : 2); }},
      {"kind of output", other, "", on_last([](Arguments& a) { a.output_kind = natural_output; })},
      {"given output", other, "output", on_last([](Arguments& a) { a.output = a.input; })},
      {"kind", other, "", on_last([](Arguments& a) { a.transform = r2c<double>; })},
      {"precision", other, "", on_last([](Arguments& a) { a.transform = c2c<float>; })},
      {"norm", other, "option norm", on_last([](Arguments& a) { a.options.norm = Norm::ortho; })},
      {"batch", other, "option batch", on_last([](Arguments& a) { a.options.batch = 2; })},
      {"exchange", other, "option exchange", on_last([](Arguments& a) { a.options.exchange = "p2p"; })},
      {"algorithm", other, "option algorithm", on_last([](Arguments& a) { a.options.algorithm = "pencil"; })},
      {"axes", other, "option axes", on_last([](Arguments& a) {
         a.options.axes = {0, 1};
       })},
      {"order of axes", other, "option axes",
       [](Arguments& a) {
         a.options.axes = last_rank() ? std::vector<int>{0, 1} : std::vector<int>{1, 0};
       }},
      {"grid", other, "option grid",
       [](Arguments& a) {
         a.options.grid = last_rank() ? Shape{1, ranks()} : Shape{ranks(), 1};
       }},
      {"checks", other, "option check_calls", on_last([](Arguments& a) { a.options.check_calls = false; })},
      {"in place", other, "option in_place", on_last([](Arguments& a) { a.options.in_place = true; })},
  });
}

TEST(BadInput, NullCommunicator) {
  expect_error(Status::invalid_argument, "MPI_COMM_NULL",
               [] { Plan(MPI_COMM_NULL, c2c<double>, Layout::slab(shape, 1), default_output, quick()); });
}

TEST(BadInput, Intercommunicator) {
  if (ranks() < 2) GTEST_SKIP() << "one rank";
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm both = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, world().rank() == 0 ? 0 : 1, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, world().rank() == 0 ? 1 : 0, 0, &both);
  expect_error(Status::invalid_argument, "intercommunicator",
               [&] { Plan(both, c2c<double>, Layout::slab(shape, ranks()), default_output, quick()); });
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

/// A null pointer on one rank is everybody's error; the plan can be used afterwards.
TEST(BadInput, NullBuffers) {
  TransformCase c{shape, "slab", "left", Kind::r2c, Precision::f64, quick()};
  c.shape[0] = 2 * ranks();
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  LocalArray in(plan.input());
  LocalArray out(plan.output());
  const auto unless_last = [](void* p) { return last_rank() ? nullptr : p; };
  const Status bad = Status::invalid_argument;
  expect_error(bad, "input is a null pointer", [&] { plan.forward(unless_last(in.data()), out.data()); });
  if (plan.output().layout.count(ranks() - 1) > 0) {
    expect_error(bad, "output is a null pointer", [&] { plan.forward(in.data(), unless_last(out.data())); });
    expect_error(bad, "input is a null pointer", [&] { plan.backward(unless_last(out.data()), in.data()); });
  }
  expect_error(bad, "output is a null pointer", [&] { plan.backward(out.data(), unless_last(in.data())); });
  expect_error(bad, "null pointer", [&] { plan.forward(nullptr, nullptr); });
  check_plan(plan, c);
}

TEST(BadInput, Processors) {
  const Status bad = Status::invalid_argument;
  check_refused({
      {"memory without gpu", bad,
       "option memory is device, but has no effect with processor = cpu. The memory of the arrays",
       [](Arguments& a) { a.options.memory = MemoryModel::device; }},
      {"device without gpu", bad, "option device is 0, but has no effect with processor = cpu",
       [](Arguments& a) { a.options.device = 0; }},
  });
  if (!device_exchange_names().empty()) return;
  check_refused({{"built without GPUs", Status::unsupported, "configure with -DSHARDFFT_GPU=CUDA",
                  [](Arguments& a) { a.options.processor = Processor::gpu; }}});
}

/// Who owns nothing needs no buffer.
TEST(BadInput, NullBuffersOfEmptyRanks) {
  Plan plan(MPI_COMM_WORLD, c2c<double>, Layout::single({4, 4}, ranks(), 0), Layout::single({4, 4}, ranks(), 0),
            quick());
  std::vector<Value> data(16, 1.0);
  const bool owner = world().rank() == 0;
  plan.forward(owner ? data.data() : nullptr, owner ? data.data() : nullptr);
  EXPECT_NEAR(std::abs(data[0] - (owner ? 16.0 : 1.0)), 0, 1e-12);
}

/// Arrays are allocated together: a member that one rank does not have is an error of all ranks.
TEST(BadInput, MembersOfArrays) {
  Options options = quick();
  const Layout slab = Layout::slab(shape, ranks());
  Redistribution moved(MPI_COMM_WORLD, slab, slab, 8);
  for (const Workspace workspace : {Workspace::fast, Workspace::least}) {
    options.workspace = workspace;
    Plan plan(MPI_COMM_WORLD, c2c<double>, slab, default_output, options);
    const int member = last_rank() ? 1 : 0;
    const std::string words = "member 1 does not exist: this process has 1 of";
    expect_error(Status::invalid_argument, words, [&] { plan.allocate_input(member); });
    expect_error(Status::invalid_argument, words, [&] { plan.allocate_output(member); });
    expect_error(Status::invalid_argument, words, [&] { moved.allocate_output(member); });
    EXPECT_NO_THROW(plan.allocate_input()) << "the plan goes on";
  }
}

TEST(BadInput, Workspace) {
  TransformCase c{{8, 6, 4}, "slab", "natural", Kind::c2c, Precision::f64, quick("slab")};
  c.options.exchange = "alltoallv";
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  const std::size_t bytes = plan.workspace_bytes();
  const AlignedMemory memory = allocate_aligned(bytes + 128);
  const Status bad = Status::invalid_argument;
  if (bytes > 0) {
    expect_error(bad, "the plan needs", [&] { plan.set_workspace(memory.get(), bytes - 1); });
    expect_error(bad, "null pointer", [&] { plan.set_workspace(nullptr, bytes); });
  }
  expect_error(bad, "aligned", [&] { plan.set_workspace(memory.get() + 8, bytes + 64); });
  check_plan(plan, c);
}

/// Many failures in a row use up nothing, communicators for one.
TEST(BadInput, ManyFailures) {
  for (int i = 0; i < 200; ++i) {
    Arguments arguments;
    arguments.options.algorithm = "sofa";
    EXPECT_THROW(arguments.plan(), Error);
  }
  library_still_works();
}

}  // namespace
}  // namespace shardfft::test
