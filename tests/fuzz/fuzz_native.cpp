// Feeds mutated qrels and runs to the readers and to the streaming evaluation. Every input must end
// in a result or in an InputError, and every way to read it must say the same.
//
//   fuzz_native COUNT SEED [FOLDER]
//
// Input number i is made from SEED + i alone: `fuzz_native 1 N` repeats input N. An input that fails
// is left in the working directory as fuzz-failure.qrels and fuzz-failure.run.
#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "error.hpp"
#include "kernels.hpp"
#include "total.hpp"
#include "trec.hpp"

#include "damaged_text.hpp"
#include "random.hpp"

#if defined(__SANITIZE_ADDRESS__)
extern "C" void __sanitizer_set_death_callback(void (*callback)());
// Memory that is used again soon is faster by far; a freed block still rests for thousands of others.
extern "C" const char* __asan_default_options() { return "quarantine_size_mb=8:max_malloc_fill_size=64:malloc_context_size=5:allocator_release_to_os_interval_ms=-1"; }
#endif

namespace {

using fuzz::Input;
using fuzz::Random;
using relyon::Batch;
using relyon::InputError;
using relyon::JudgmentTable;
using relyon::Plan;
using relyon::RunTable;

// Bytes from memory, a few at a time.
class Pieces final : public relyon::Bytes {
 public:
  Pieces(std::string_view text, std::size_t piece) : text_(text), piece_(piece) {}
  std::size_t read(char* into, std::size_t size) override {
    const std::size_t got = std::min({size, piece_, text_.size()});
    std::memcpy(into, text_.data(), got);
    text_.remove_prefix(got);
    return got;
  }

 private:
  std::string_view text_;
  std::size_t piece_;
};

std::uint64_t current = 0;
Input given;
std::string run_path;

void save() {
  std::ofstream("fuzz-failure.qrels", std::ios::binary) << given.qrels;
  std::ofstream("fuzz-failure.run", std::ios::binary) << given.run;
  std::fprintf(stderr, "\ninput %llu failed; it is in fuzz-failure.qrels and fuzz-failure.run\n",
               static_cast<unsigned long long>(current));
}

[[noreturn]] void fail(const std::string& what, const std::string& one = {}, const std::string& other = {}) {
  save();
  std::fprintf(stderr, "%s\n--- one\n%s\n--- other\n%s\n", what.c_str(), one.c_str(), other.c_str());
  std::_Exit(1);
}

// What a reading says, as text: equal texts are equal to the last bit.
struct Outcome {
  bool good = true;
  std::string text;
  std::uint64_t line = 0;
  std::string message;
  bool repeated() const { return !good && message.find("stands twice") != std::string::npos; }
  // A measure or a rule refuses the data, not the reader.
  bool refused() const {
    if (good) return false;
    for (const char* words : {"compares predicted grades", "negative grade", "the rank is not", "ties=rank needs",
                              "met a grade of"}) {
      if (message.find(words) != std::string::npos) return true;
    }
    return false;
  }
};

std::string bits(double value) {
  char text[20];
  if (value != value) return "nan";
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(std::bit_cast<std::uint64_t>(value)));
  return text;
}

template <class Work>
Outcome attempt(const Work& work) {
  Outcome outcome;
  try {
    outcome.text = work();
  } catch (const InputError& error) {
    outcome.good = false;
    outcome.line = error.line;
    outcome.message = error.what();
    outcome.text = error.path + ":" + std::to_string(error.line) + ": " + error.what() + " | " + error.hint.english();
    if (outcome.text.size() > 1000) fail("a message of " + std::to_string(outcome.text.size()) + " bytes");
    if (outcome.message.empty()) fail("an empty message");
  } catch (const std::exception& error) {
    fail(std::string("another exception: ") + error.what());
  } catch (...) {
    fail("an exception that is no InputError");
  }
  return outcome;
}

std::string describe(const Batch& batch, bool totals) {
  std::string text;
  const auto missing = static_cast<std::uint64_t>(std::count(batch.missing.begin(), batch.missing.end(), 1));
  for (std::size_t row = 0; row < batch.queries.size(); ++row) {
    text += batch.queries[row] + (batch.missing[row] != 0 ? " missing" : "");
    for (const relyon::Column& column : batch.columns) {
      text += " " + bits(column.values[row]) + "/" + bits(column.numerators[row]) + "/" + bits(column.denominators[row]);
    }
    text += "\n";
  }
  for (const relyon::Column& column : batch.columns) {
    text += std::to_string(column.tie_sensitive) + " ";
    if (!totals) continue;
    relyon::Total total;
    total.add(column, missing);
    if (relyon::Total::from_bytes(total.to_bytes()).to_bytes() != total.to_bytes()) fail("a total changed");
    text += bits(total.mean(relyon::Undefined::zero)) + " " + bits(total.auc()) + "\n";
  }
  text += std::to_string(batch.rows) + " rows, " + std::to_string(batch.matched) + " matched, " +
          std::to_string(batch.unjudged_queries) + " unjudged:";
  for (const std::string& query : batch.unjudged_examples) text += " " + query;
  return text;
}

std::string describe(const JudgmentTable& table) {
  std::string text;
  for (std::uint32_t number = 0; number < table.size(); ++number) {
    for (const auto& judged : table.query(number).documents) {
      text += std::string(table.id(number)) + " " + std::string(judged.document) + " " + bits(judged.grade) + "\n";
    }
  }
  return text + std::to_string(table.rows) + " " + std::to_string(table.duplicates) + " " +
         std::to_string(table.negatives) + " " + bits(table.highest) + (table.fractional ? " f" : "");
}

std::string describe(const RunTable& table) {
  std::string text;
  for (std::uint32_t number = 0; number < table.size(); ++number) {
    for (const auto& row : table.rows(number)) {
      text += std::string(table.id(number)) + " " + std::string(row.document()) + " " +
              (table.has_ranks ? std::to_string(row.rank) : "-") + " " + bits(row.score) + "\n";
    }
  }
  return text + std::to_string(table.count) + " " + table.tag + (table.grouped ? "" : " not grouped");
}

Plan build_plan(relyon::Ties ties, relyon::Unjudged unjudged, relyon::Negative negative, bool few = false) {
  Plan plan;
  plan.rules.ties = ties;
  plan.rules.unjudged = unjudged;
  plan.rules.negative = negative;
  using Given = std::map<std::string, relyon::Parameter>;
  const auto k = [](std::int64_t cutoff) { return Given{{"k", cutoff}}; };
  const std::pair<const char*, Given> wanted[] = {
      {"ndcg", k(10)},
      {"ndcg", {{"gain", std::string("exp")}}},
      {"ap", {}},
      {"rr", k(3)},
      {"recall", k(2)},
      {"p", k(5)},
      {"rbp", {}},
      {"err", {{"max", 4.0}}},
      {"bpref", {}},
      {"infap", {}},
      {"judged", k(3)},
      {"pnr", {}},
      {"auc", {}},
      {"gauc", {}},
      {"tau", {}},
      {"spearman", {}},
      {"kappa", {}},
      {"num_ret", {}},
  };
  for (const auto& [name, parameters] : wanted) {
    if (few && name != std::string_view("ndcg") && name != std::string_view("pnr")) continue;
    // Kappa refuses most scores, so that little else would be seen.
    if (name == std::string_view("kappa") && negative != relyon::Negative::error) continue;
    try {
      plan.kernels.push_back(relyon::make_kernel({name, parameters}, plan.rules));
    } catch (const InputError& error) {
      // Not every measure has an expectation.
      if (ties != relyon::Ties::expected) {
        std::fprintf(stderr, "%s: %s\n", name, error.what());
        std::exit(2);
      }
    }
  }
  return plan;
}

std::vector<Plan> make_plans() {
  using relyon::Negative, relyon::Ties, relyon::Unjudged;
  std::vector<Plan> plans;
  plans.push_back(build_plan(Ties::doc_desc, Unjudged::nonrelevant, Negative::nonrelevant, true));
  plans.push_back(build_plan(Ties::doc_desc, Unjudged::nonrelevant, Negative::nonrelevant));
  plans.push_back(build_plan(Ties::doc_asc, Unjudged::removed, Negative::unjudged));
  plans.push_back(build_plan(Ties::rank, Unjudged::nonrelevant, Negative::unjudged));
  plans.push_back(build_plan(Ties::expected, Unjudged::nonrelevant, Negative::nonrelevant));
  plans.push_back(build_plan(Ties::worst, Unjudged::nonrelevant, Negative::error));
  return plans;
}

void write_file(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr || std::fwrite(text.data(), 1, text.size(), file) != text.size() || std::fclose(file) != 0) {
    std::perror(path.c_str());
    std::_Exit(2);
  }
}

// A document that a judged query of a run holds twice.
bool judged_twice(const JudgmentTable& judgments, const RunTable& run) {
  for (std::uint32_t number = 0; number < run.size(); ++number) {
    if (judgments.find(run.id(number)) == relyon::Index::none) continue;
    std::set<std::string_view> seen;
    for (const RunTable::Row& row : run.rows(number)) {
      if (!seen.insert(row.document()).second) return true;
    }
  }
  return false;
}

struct Counts {
  std::uint64_t judgments = 0;
  std::uint64_t runs = 0;
};

void check(std::uint64_t seed, const std::vector<Plan>& plans, Counts& counts) {
  current = seed;
  given = fuzz::make_input(seed);
  Random random(seed + 77);

  JudgmentTable judgments;
  const auto read_judgments = [&](std::size_t piece) {
    return attempt([&] {
      Pieces bytes(given.qrels, piece);
      judgments = relyon::read_qrels(bytes, "x.qrels");
      return describe(judgments);
    });
  };
  const Outcome in_pieces = read_judgments(1 + random.below(given.qrels.size() > 4096 ? 50000 : 90));
  const Outcome whole = read_judgments(std::size_t{1} << 30);
  if (in_pieces.text != whole.text) fail("judgments differ when read in pieces", whole.text, in_pieces.text);
  if (whole.good) {
    ++counts.judgments;
  } else {
    Pieces bytes("q1 0 d1 1\nq1 0 d2 3\nq1 0 doc-1 -1\n1 0 d3 1\nq2 0 d1 0\n#4 0 #1 2\n", 1000);
    judgments = relyon::read_qrels(bytes, "y.qrels");
  }

  RunTable table;
  const auto read_table = [&](std::size_t piece) {
    return attempt([&] {
      Pieces bytes(given.run, piece);
      table = relyon::read_run(bytes, run_path);
      return describe(table);
    });
  };
  const Outcome run_in_pieces = read_table(1 + random.below(given.run.size() > 4096 ? 50000 : 90));
  const Outcome read = read_table(std::size_t{1} << 30);
  if (run_in_pieces.text != read.text) fail("runs differ when read in pieces", read.text, run_in_pieces.text);

  write_file(run_path, given.run);
  const Plan& plan = random.one_in(6) ? random.pick(plans) : plans[0];
  const bool totals = random.one_in(50);
  const auto evaluate = [&](const char* simd, std::size_t stretch, int threads) {
    ::setenv("RELYON_SIMD", simd, 1);
    ::setenv("RELYON_STRETCH", std::to_string(stretch).c_str(), 1);
    return attempt([&] { return describe(relyon::evaluate_run_file(judgments, plan, run_path, threads), totals); });
  };
  const Outcome first = evaluate("scalar", 0, 1);
  counts.runs += first.good;
  // Where the rows of a query are not together the file is read whole, and of two faults, one of
  // them a repeated document, either may be named.
  const bool whole_file = !read.good || !table.grouped;
  const auto same = [&](const Outcome& other, const std::string& how) {
    if (whole_file && !first.good && !other.good &&
        (first.repeated() || first.refused() || other.repeated() || other.refused())) {
      return;
    }
    if (other.text != first.text) fail("the evaluation differs: " + how, first.text, other.text);
  };
  same(evaluate("best", 0, 1), "best instruction set");
  const std::size_t least = 1 + given.run.size() / (random.one_in(8) ? 24 : 4);
  const std::size_t stretch = least + random.below(given.run.size() + 1);
  static constexpr const char* levels[] = {"scalar", "avx2", "best"};
  const char* level = random.pick(levels);
  const int threads = random.one_in(12) ? 3 : 1;
  same(evaluate(level, stretch, threads),
       std::string(level) + ", stretches of " + std::to_string(stretch) + ", threads " + std::to_string(threads));

  // The run read whole must say the same. Documents that stand twice are looked for in judged
  // queries, and come to light at the end of a query, so that a bad line may be named instead.
  if (!read.good) {
    if (first.good) fail("only the table refuses the run", first.text, read.text);
    if (first.text != read.text && !first.refused() && !first.repeated()) {
      fail("the table refuses the run for another reason", first.text, read.text);
    }
    return;
  }
  if (judged_twice(judgments, table)) {
    if (!first.repeated() && !first.refused()) fail("a document stands twice", first.text);
    if (first.repeated() && first.line == 0) fail("a repeated document has no line", first.text);
    return;
  }
  const Outcome again = attempt([&] { return describe(relyon::evaluate_run(judgments, plan, table, threads), totals); });
  // The table looks at the ranks of queries that nobody judged, too.
  if (again.good != first.good && !again.refused()) fail("only one of the two accepts the run", first.text, again.text);
  if (again.good && again.text != first.text) fail("the table gives other values", first.text, again.text);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    std::fprintf(stderr, "usage: fuzz_native COUNT SEED [FOLDER]\n");
    return 2;
  }
  const std::uint64_t inputs = std::strtoull(arguments[1], nullptr, 10);
  const std::uint64_t seed = std::strtoull(arguments[2], nullptr, 10);
  const std::string folder = count > 3 ? arguments[3] : "/tmp";
  run_path = folder + "/relyon-fuzz-" + std::to_string(seed) + ".run";
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_set_death_callback(save);
#endif
  const std::vector<Plan> plans = make_plans();
  Counts counts;
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t input = 0; input < inputs; ++input) check(seed + input, plans, counts);
  std::remove(run_path.c_str());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::printf("%llu inputs in %.1f s, no failure: %llu judgment files and %llu runs were accepted\n",
              static_cast<unsigned long long>(inputs), took.count(),
              static_cast<unsigned long long>(counts.judgments), static_cast<unsigned long long>(counts.runs));
  return 0;
}
