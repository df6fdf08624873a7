// Feeds mutated CSV, TSV and JSON Lines to the streaming evaluation. Every instruction set, number
// of threads, size of stretches and of pieces must give the same values, or say that the table must
// be read whole.
//
//   fuzz_tables COUNT SEED [FOLDER]
//
// Input number i is made from SEED + i alone: `fuzz_tables 1 N` repeats input N. An input that fails
// is left in the working directory as fuzz-failure.table.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "delimited.hpp"
#include "error.hpp"
#include "json_lines.hpp"
#include "kernels.hpp"
#include "trec.hpp"

#include "random.hpp"

namespace {

using fuzz::Random;
using relyon::Batch;
using relyon::JudgmentTable;
using std::string_view_literals::operator""sv;

constexpr std::string_view queries[] = {"q1", "q2", "1", "unjudged", "query-number-5", "\xe9\x97\xae"};
constexpr std::string_view documents[] = {
    "d1", "d2", "d3", "1", "2", "\xe6\x96\x87", "a b", "it's", "a-document-with-a-name-as-long-as-it-takes-to-cross"};
constexpr std::string_view numbers[] = {"1", "0.5", "-3.25", "1e-3", "12345678", "28.515255", "-0", "9007199254740993",
                                        "0.1234567890123456789", "100000000.5"};
constexpr std::string_view pieces[] = {
    "\0"sv, "\r"sv, "\n"sv, "\r\n"sv, "\n\n"sv, "\t"sv, " "sv, "\""sv, "\"\""sv, ","sv, ";"sv, "'"sv, "'="sv, "\\"sv,
    "\\n"sv, "\\u00e9"sv, "\\ud83d\\ude00"sv, "\\ud800"sv, "\\u0000"sv, "{"sv, "}"sv, "["sv, "]"sv, ":"sv, "null"sv,
    "true"sv, "\xff"sv, "\xc3"sv, "\xed\xa0\x80"sv, "\xf0\x9f\x98\x80"sv, "\xef\xbb\xbf"sv, "nan"sv, "1e999"sv, "1e-999"sv,
    "+1"sv, "01"sv, "1."sv, ".5"sv, "q1,d1,1\n"sv, "\n{\"query\":\"q1\",\"document\":\"d9\",\"score\":1}\n"sv};

struct Input {
  std::string text;
  std::unique_ptr<relyon::TableFormat> format;
};

std::string quoted(std::string_view value) {
  std::string text = "\"";
  for (const char sign : value) {
    if (sign == '"') text += '"';
    text += sign;
  }
  return text + '"';
}

Input make_delimited(Random& random) {
  const char separator = random.pick(",\t;|"sv);
  const bool ranked = random.one_in(3), titled = random.one_in(2), all = random.one_in(4);
  const std::string end = random.one_in(4) ? "\r\n" : "\n";
  Input input;
  const auto field = [&](std::string_view value, bool last) {
    const bool need = value.find_first_of(std::string{separator, '"', '\n', '\r'}) != std::string_view::npos;
    input.text += need || all ? quoted(value) : std::string(value);
    input.text += last ? end : std::string(1, separator);
  };
  if (random.one_in(6)) input.text = "\xef\xbb\xbf";
  if (titled) field("title", false);
  field("query", false);
  field("document", false);
  if (ranked) field("rank", false);
  field("score", true);
  for (const std::string_view query : queries) {
    if (random.one_in(3)) continue;
    for (const std::string_view document : documents) {
      if (random.one_in(2)) continue;
      if (titled) field(random.one_in(4) ? "a \"title\"\nof two, lines" : std::string(random.below(90), 't'), false);
      field(query, false);
      field(document, false);
      if (ranked) field(std::to_string(random.below(1000)), false);
      field(random.pick(numbers), true);
    }
    if (random.one_in(8)) input.text += end;
  }
  const std::uint32_t first = titled ? 1 : 0, score = first + 2 + (ranked ? 1 : 0);
  input.format = std::make_unique<relyon::Delimited>(
      separator, score + 1,
      relyon::Delimited::Places{first, first + 1, score, ranked ? first + 2 : relyon::Delimited::absent});
  return input;
}

Input make_json_lines(Random& random) {
  const bool ranked = random.one_in(3);
  const std::string comma = random.one_in(2) ? "," : " , ", colon = random.one_in(2) ? ":" : ": ";
  Input input;
  for (const std::string_view query : queries) {
    if (random.one_in(3)) continue;
    for (const std::string_view document : documents) {
      if (random.one_in(2)) continue;
      std::vector<std::string> members{"\"query\"" + colon + "\"" + std::string(query) + "\"",
                                       "\"document\"" + colon + "\"" + std::string(document) + "\"",
                                       "\"score\"" + colon + std::string(random.pick(numbers))};
      if (ranked) members.push_back("\"rank\"" + colon + std::to_string(random.below(1000)));
      if (random.one_in(2)) members.push_back("\"x\"" + colon + R"({"query":[1,{"\u00e9":"]}\""},null,-1e-2],"b":{}})");
      if (random.one_in(4)) std::swap(members[0], members[random.below(members.size())]);
      input.text += "{";
      for (std::size_t member = 0; member < members.size(); ++member) {
        input.text += (member == 0 ? "" : comma) + members[member];
      }
      input.text += "}\n";
    }
  }
  std::optional<std::string> rank;
  if (ranked) rank = "rank";
  input.format = std::make_unique<relyon::JsonLines>(relyon::JsonLines::Keys{"query", "document", "score", rank});
  return input;
}

void mutate(Random& random, std::string& text) {
  const std::size_t at = random.below(text.size() + 1);
  switch (random.below(6)) {
    case 0:
      if (at < text.size()) text[at] = static_cast<char>(random.below(256));
      break;
    case 1:
      text.erase(at, 1 + random.below(4));
      break;
    case 2:
      text.resize(at);
      break;
    case 3:
      text.insert(at, std::string(random.below(700), random.one_in(2) ? 'x' : '"'));
      break;
    default:
      text.insert(at, random.pick(pieces));
  }
}

Input make_input(std::uint64_t seed) {
  Random random = fuzz::random_of(seed);
  Input input = random.one_in(2) ? make_delimited(random) : make_json_lines(random);
  for (std::size_t change = random.below(4); change > 0; --change) mutate(random, input.text);
  if (input.text.empty()) input.text = "\n";
  return input;
}

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

std::string describe(const std::optional<Batch>& batch) {
  if (!batch) return "to be read whole";
  std::string text = std::to_string(batch->rows) + " rows, " + std::to_string(batch->matched) + " matched, " +
                     std::to_string(batch->unjudged_queries) + " unjudged\n";
  for (std::size_t row = 0; row < batch->queries.size(); ++row) {
    text += batch->queries[row];
    for (const relyon::Column& column : batch->columns) {
      text += " " + std::to_string(std::bit_cast<std::uint64_t>(column.values[row]));
    }
    text += "\n";
  }
  return text;
}

[[noreturn]] void fail(std::uint64_t seed, const Input& input, const std::string& one, const std::string& other) {
  std::ofstream("fuzz-failure.table", std::ios::binary) << input.text;
  std::fprintf(stderr, "input %llu failed; it is in fuzz-failure.table\n--- one\n%s\n--- other\n%s\n",
               static_cast<unsigned long long>(seed), one.c_str(), other.c_str());
  std::_Exit(1);
}

// Returns whether the table could be streamed.
bool check(std::uint64_t seed, const JudgmentTable& judgments, const relyon::Plan& plan, const std::string& path) {
  const Input input = make_input(seed);
  Random random = fuzz::random_of(seed + 77);
  std::ofstream(path, std::ios::binary) << input.text;
  const auto evaluate = [&](const char* lanes, std::size_t stretch, int threads) {
    ::setenv("RELYON_SIMD", lanes, 1);
    ::setenv("RELYON_STRETCH", std::to_string(stretch).c_str(), 1);
    return describe(relyon::evaluate_table_file(judgments, plan, path, *input.format, threads));
  };
  const std::string first = evaluate("scalar", 0, 1);
  const auto same = [&](const std::string& other) {
    if (other != first) fail(seed, input, first, other);
  };
  same(evaluate("avx2", 0, 1));
  same(evaluate("", 0, 1));
  same(evaluate("", 1 + random.below(input.text.size() + 1), 1));
  same(evaluate("avx2", 1 + random.below(80), random.one_in(8) ? 3 : 1));
  Pieces bytes(input.text, 1 + random.below(200));
  same(describe(relyon::evaluate_table_stream(judgments, plan, bytes, "x", *input.format)));
  return first.ends_with('\n');
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    std::fprintf(stderr, "usage: fuzz_tables COUNT SEED [FOLDER]\n");
    return 2;
  }
  const std::uint64_t inputs = std::strtoull(arguments[1], nullptr, 10);
  const std::uint64_t start = std::strtoull(arguments[2], nullptr, 10);
  const std::string folder = count > 3 ? arguments[3] : ".";
  const std::string path = folder + "/fuzz-" + std::to_string(start) + ".table";
  Pieces bytes("q1 0 d1 1\nq1 0 d2 3\nq1 0 1 -1\n1 0 d3 1\nq2 0 d1 0\n\xe9\x97\xae 0 2 2\n", 1000);
  const JudgmentTable judgments = relyon::read_qrels(bytes, "x.qrels");
  relyon::Plan plan;
  for (const char* name : {"ndcg", "rr", "num_ret"}) {
    plan.kernels.push_back(relyon::make_kernel({name, {}}, plan.rules));
  }
  std::uint64_t streamed = 0;
  for (std::uint64_t seed = start; seed < start + inputs; ++seed) streamed += check(seed, judgments, plan, path);
  std::remove(path.c_str());
  std::printf("%llu inputs, %llu streamed\n", static_cast<unsigned long long>(inputs),
              static_cast<unsigned long long>(streamed));
  return 0;
}
