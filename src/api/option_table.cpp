// The table of options: a new option is a field of Options and a row here.
#include "shardfft/option_table.hpp"

#include <algorithm>
#include <charconv>
#include <type_traits>

#include "api/option_field.hpp"
#include "base/check.hpp"
#include "base/text.hpp"
#include "choose/way.hpp"

namespace shardfft {

namespace {

using detail::Field;
using detail::joined;
using detail::Names;

/// A row of the field with the defaults of OptionRow, which the caller may change.
template <class T>
OptionRow row(const char* name, T Options::*field, const char* sentence, const char* example) {
  OptionRow made;
  made.name = name;
  made.type = Field<T>::type;
  made.sentence = sentence;
  made.example = example;
  if constexpr (requires { Field<T>::words(); }) made.choices = Field<T>::words();
  made.get = [field, name](const Options& options) { return Field<T>::get(options.*field, name); };
  made.set = [field, name](Options& options, const OptionValue& value) { options.*field = Field<T>::set(value, name); };
  return made;
}

Names without_auto(Names names) {
  names.erase(std::remove(names.begin(), names.end(), "auto"), names.end());
  return names;
}

Names algorithms_for(Place place) {
  Names names = without_auto(algorithm_names());
  if (place != Place::cpu) std::erase_if(names, [](const std::string& name) { return name.starts_with("cannon"); });
  return names;
}

Names exchanges_for(Place place) { return place == Place::cpu ? exchange_names() : device_exchange_names(); }

Names local_ffts_for(Place place) { return place == Place::cpu ? without_auto(local_fft_names()) : Names{"cufft"}; }

const std::vector<Place> on_cpus{Place::cpu};
const std::vector<Place> on_gpus{Place::gpu};
const std::vector<Place> of_processes{Place::cpu, Place::gpu};

/// Processor, memory, GPU and stream.
void add_places(std::vector<OptionRow>& table) {
  table.push_back(row("processor", &Options::processor,
                      "The processor that transforms: cpu, or gpu (in builds with GPU support). A plan over devices "
                      "of one process takes it as gpu.",
                      "gpu"));

  table.push_back(row("memory", &Options::memory,
                      "The memory of the arrays given to forward and backward: host, registered (host memory that "
                      "the plan pins once), managed or device; auto asks the GPU runtime at every call.",
                      "device"));
  table.back().effect = {Place::gpu, Place::devices};

  table.push_back(row("device", &Options::device,
                      "The number of this rank's GPU; -1 takes the rank's number on its host, modulo "
                      "the number of GPUs there.",
                      "0"));
  table.back().effect = on_gpus;
  table.back().agreement = Agreement::none;
  table.back().in_key = false;
  table.back().least = -1;

  table.push_back(
      row("stream", &Options::stream,
          "The caller's stream (a cudaStream_t): calls return as soon as the work is enqueued, if memory and "
          "exchange allow. Null is a stream of the plan's own, and calls return when the result is there. Plans over "
          "devices of one process are given theirs by set_streams().",
          ""));
  table.back().effect = on_gpus;
  table.back().agreement = Agreement::none;
  table.back().in_key = false;
}

/// Algorithm, exchange and library.
void add_strategies(std::vector<OptionRow>& table) {
  table.push_back(
      row("algorithm", &Options::algorithm,
          "How the array is cut between transforms: a name from algorithm_names(), or auto. auto chooses by a rule, "
          "or by the trial of whole runs if the output layout is fixed and effort is above estimate "
          "(docs/concepts.md).",
          "slab"));
  table.back().known = algorithms_for;

  table.push_back(row("exchange", &Options::exchange,
                      "How data moves between ranks: a name from exchange_names(), on GPUs from "
                      "device_exchange_names(), or auto. auto chooses across hosts by the trial of whole runs "
                      "(effort above estimate; docs/concepts.md), else by a rule.",
                      "p2p"));
  table.back().known = exchanges_for;

  table.push_back(row("tolerance", &Options::tolerance,
                      "Relative L2 error, below 1, that one transform in one direction may have from messages with "
                      "numbers of fewer bytes than the arrays'; 0 sends all numbers as they are. Data that stays on "
                      "its rank, or moves without messages, is exact; report() shows the choice and the error "
                      "(docs/exchanges.md).",
                      "0.25"));
  table.back().below = 1;

  table.push_back(
      row("local_fft", &Options::local_fft,
          "The library that transforms a rank's own data: a name from local_fft_names(), or auto. auto takes for "
          "each step the fastest in a trial of 2 s at most, or with effort estimate the one expected to be the "
          "fastest on this processor; on GPUs cufft.",
          "reference"));
  table.back().known = local_ffts_for;
  table.back().agreement = Agreement::none;

  table.push_back(row("chunks", &Options::chunks,
                      "Chunks into which exchanges and the transforms next to them are cut, so that messages travel "
                      "while other chunks are transformed. 1 cuts nothing; 0 lets the plan choose: on GPUs by the "
                      "bytes sent and the trial of whole runs, on CPUs across hosts by that trial (effort above "
                      "estimate). report() shows the choice (docs/concepts.md).",
                      "3"));
}

/// The choice of these: by measurements, or by earlier ones.
void add_choices(std::vector<OptionRow>& table) {
  table.push_back(row("effort", &Options::effort,
                      "How much a plan measures while it is made. estimate: nothing. measure: local transforms, and "
                      "whole runs of the few ways that are likely to be fast. patient: whole runs of all ways, if "
                      "all ranks are given it (docs/tuning.md). Also the effort of FFTW's own planning.",
                      "patient"));
  table.back().agreement = Agreement::none;
  table.back().in_key = false;

  table.push_back(row("budget", &Options::budget,
                      "Seconds that making the plan may take, with all that it measures; 0: by effort, up to 10 s of "
                      "whole runs with measure, 60 s with patient. A plan is made in any case.",
                      "2.5"));
  table.back().in_key = false;

  const Way example{"slab", "alltoallv"};
  table.push_back(
      row("way", &Options::way,
          "The line that a plan's report shows as its way: algorithm, exchange, chunks, libraries and all its other "
          "choices. The plan takes that way and measures nothing. An option that the line sets too is left out, or "
          "has the line's value; a line of another version of the library, or of a plan that differs from this one, "
          "is refused.",
          example.text().c_str()));
  table.back().type = OptionType::text;
  table.push_back(
      row("wisdom", &Options::wisdom,
          "A file of measured ways (docs/tuning.md). A plan that finds its problem there takes that way and measures "
          "nothing; one that measures writes its way there. Empty: the file of SHARDFFT_WISDOM, else this machine's "
          "in the cache folder, is only read; keep: it is written too; none: no file is used. Rank 0 reads and writes.",
          "wisdom.json"));
  table.back().type = OptionType::path;
  table.back().agreement = Agreement::none;
  table.back().in_key = false;
}

/// Cores and memory.
void add_resources(std::vector<OptionRow>& table) {
  table.push_back(row("threads", &Options::threads, "OpenMP threads of each rank, at most 1024.", "2"));
  table.back().effect = on_cpus;
  table.back().agreement = Agreement::none;
  table.back().least = 1;
  // Far more than a rank has cores; if the system has no more threads, OpenMP ends the program.
  table.back().below = 1025;

  table.push_back(row("grid", &Options::grid,
                      "Process grid: for pencil and brick that of the intermediate pencils, two factors "
                      "(one for arrays of two axes); for brick_groups and cannon* a factor for each "
                      "axis. Empty lets the algorithm choose. With algorithm auto a grid means pencil; "
                      "slab, cyclic and six_step refuse one.",
                      "1,1"));
  table.back().least = 1;

  table.push_back(row("in_place", &Options::in_place,
                      "Plan for forward(x, x): best when input and output are the same buffer. It must hold "
                      "in_place_bytes(), for r2c those of the spectrum. Both ways are always correct. On GPUs memory "
                      "is then needed for one of the two.",
                      "yes"));

  table.push_back(
      row("overwrite_input", &Options::overwrite_input,
          "A c2r transform may overwrite its input, as in cuFFT and FFTW: over several axes it may then need neither "
          "a copy nor an array beside it. Other transforms leave their input as it was.",
          "yes"));

  table.push_back(row("workspace", &Options::workspace,
                      "fast: as much memory as the fastest way takes. least: forward(x, x) alone, with "
                      "at most 5 % of the array and 2 MiB beside it, at the price of more passes over "
                      "memory and more messages (docs/concepts.md). Exchanges: on CPUs p2p and "
                      "pairwise_xor, on GPUs all.",
                      "least"));

  table.push_back(row("datatypes", &Options::datatypes,
                      "derived: exchanges may describe strided data to MPI by datatypes. basic: they pack by hand and "
                      "send runs of plain numbers, for MPI libraries and simulators without derived types; alltoallw "
                      "then works as alltoallv, and alltoall and alltoallv refuse blocks of more than 2^31 - 1 "
                      "elements.",
                      "basic"));
  table.back().effect = on_cpus;
}

/// The result.
void add_meanings(std::vector<OptionRow>& table) {
  table.push_back(row("norm", &Options::norm,
                      "The direction that takes the factor 1/N, in NumPy's words; none scales neither direction.",
                      "ortho"));

  table.push_back(row("axes", &Options::axes,
                      "Axes to transform; empty means all. For real transforms the last entry (with "
                      "transforms, the last that is fft) is the halved axis.",
                      "0,2"));

  table.push_back(row("transforms", &Options::transforms,
                      "The transform along each entry of axes: fft, or a cosine (dct1 to dct4) or sine transform "
                      "(dst1 to dst4); empty means fft along all (docs/transforms.md).",
                      "dct2,fft,fft"));

  table.push_back(row("modes", &Options::modes,
                      "Modes that are kept along each entry of axes, 0 for all of them; empty keeps all "
                      "along all axes. The spectrum then has that extent, in the order of fftfreq, and "
                      "backward pads it with zeroes (docs/transforms.md).",
                      "0,0,0"));

  table.push_back(row("padded", &Options::padded,
                      "Points that are transformed along each entry of axes, 0 for the array's own; empty pads none. "
                      "Zeroes follow the array's points: they are added just before the axis is transformed, and "
                      "backward removes them just behind it (docs/transforms.md).",
                      "0,0,0"));

  table.push_back(row("lone_mode", &Options::lone_mode,
                      "With modes: the treatment of mode -m/2 of an even number m, which has no partner. split is "
                      "the sum of modes -m/2 and m/2, and half of it for each on the way back; keep is mode -m/2 "
                      "alone; zero leaves it out (docs/transforms.md).",
                      "zero"));

  table.push_back(row("real_extent", &Options::real_extent,
                      "c2r only: extent of the halved axis in the real array; 0 means 2 (n - 1), as NumPy's irfft.",
                      "9"));

  table.push_back(row("batch", &Options::batch,
                      "Fields of the same layout, one behind the other in memory, transformed together.", "3"));
  table.back().least = 1;
}

/// How the plan behaves.
void add_manners(std::vector<OptionRow>& table) {
  table.push_back(
      row("check_calls", &Options::check_calls,
          "Agree over all ranks on each call and on bad arguments (one small all-reduce a call), so that none waits "
          "for ever. Without it they agree only if they make something together: at the first run, the first apply, "
          "report and, on CPUs, allocate_input and allocate_output.",
          "no"));
  table.back().effect = of_processes;
  table.back().in_key = false;

  table.push_back(
      row("call_timeout", &Options::call_timeout,
          "Seconds that a rank waits for others, at the beginning of a collective call of the plan or in the middle "
          "of it; 0 waits for ever. After it Error(timed_out), and all plans of the communicator refuse all calls "
          "(docs/reliability.md).",
          "2.5"));
  table.back().effect = of_processes;
  table.back().in_key = false;

  table.push_back(row("verify", &Options::verify,
                      "Check every step of every run by sums over its input and output: a bit that memory, network "
                      "or processor flips then ends in Error(corrupted) on all ranks (docs/reliability.md gives the "
                      "cost). On CPUs chunks do not overlap, and on GPUs calls return when their work has ended. Not "
                      "with the cannon algorithms.",
                      "yes"));

  table.push_back(row("trace", &Options::trace,
                      "Write a Chrome trace (for Perfetto) to this file when the plan is destroyed; empty writes none. "
                      "Rank 0 writes it.",
                      "trace.json"));
  table.back().type = OptionType::path;
  table.back().effect = of_processes;
  table.back().agreement = Agreement::presence;
  table.back().in_key = false;

  table.push_back(row("fake_ranks_per_host", &Options::fake_ranks_per_host,
                      "Simulate hosts of this many ranks, for tests of exchanges that know hosts; 0 asks MPI. GPUs of "
                      "two such hosts do not reach each other's memory.",
                      "1"));
}

bool flag_of(const std::string& text, const std::string& option) {
  for (const char* yes : {"yes", "true", "1"})
    if (text == yes) return true;
  for (const char* no : {"no", "false", "0"})
    if (text == no) return false;
  fail(Status::invalid_argument, "option ", option, " takes yes or no, not '", text, "'");
}

template <class Number>
Number number_of(const std::string& text, const std::string& option) {
  Number value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  require(error == std::errc() && stopped == end, "option ", option, " takes ",
          std::is_integral_v<Number> ? "an integer" : "a number", ", not '", text, "'");
  return value;
}

Names words_of(const std::string& text) {
  Names list;
  WordsOf parts(text);
  for (std::string part; std::getline(parts, part, ',');) list.push_back(part);
  return list;
}

std::vector<std::int64_t> integers_of(const std::string& text, const std::string& option) {
  std::vector<std::int64_t> list;
  for (const std::string& part : words_of(text)) list.push_back(number_of<std::int64_t>(part, option));
  return list;
}

}  // namespace

const std::vector<OptionRow>& option_table() {
  static const std::vector<OptionRow> table = [] {
    std::vector<OptionRow> rows;
    add_meanings(rows);
    add_strategies(rows);
    add_choices(rows);
    add_resources(rows);
    add_places(rows);
    add_manners(rows);
    return rows;
  }();
  return table;
}

const OptionRow& option_row(const std::string& name) {
  Names names;
  for (const OptionRow& row : option_table()) {
    if (row.name == name) return row;
    names.push_back(row.name);
  }
  const std::string hint = option_hint(name);
  fail(Status::invalid_argument, "unknown option '", name, "'; ", hint.empty() ? "" : hint + "; ",
       "known: ", joined(names));
}

void set_option(Options& options, const std::string& name, const std::string& text) {
  const OptionRow& row = option_row(name);
  switch (row.type) {
    case OptionType::flag:
      return row.set(options, flag_of(text, name));
    case OptionType::integer:
    case OptionType::address:
      return row.set(options, number_of<std::int64_t>(text, name));
    case OptionType::number:
      return row.set(options, number_of<double>(text, name));
    case OptionType::integers:
      return row.set(options, integers_of(text, name));
    case OptionType::words:
      return row.set(options, words_of(text));
    case OptionType::choice:
    case OptionType::name:
    case OptionType::path:
    case OptionType::text:
      return row.set(options, text);
  }
}

std::string option_text(const OptionRow& row, const Options& options) {
  struct Writer {
    std::string operator()(bool value) const { return value ? "yes" : "no"; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const {
      Text text;
      text << std::setprecision(17) << value;
      return text.str();
    }
    std::string operator()(const std::string& value) const { return value; }
    std::string operator()(const std::vector<std::int64_t>& values) const {
      Names words;
      for (const std::int64_t value : values) words.push_back(std::to_string(value));
      return (*this)(words);
    }
    std::string operator()(const Names& words) const {
      std::string text;
      for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
      return text;
    }
  };
  return std::visit(Writer(), row.get(options));
}

}  // namespace shardfft
