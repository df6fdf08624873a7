// Feeds damaged lines of traces to their reader: each input must be read, left to the slow reader, or
// refused with an error. What is read is walked to its last byte.
//
//   fuzz_traces COUNT SEED [FOLDER]
//
// Input number i is made from SEED + i alone: `fuzz_traces 1 N` repeats input N.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "random.hpp"
#include "traces.hpp"

namespace {

using fuzz::Random;
using std::string_view_literals::operator""sv;

constexpr std::string_view rows[] = {
    R"({"task": "t1", "call": 1, "query": "sky", "results": [{"document": "d1", "score": 2.5, "start": 0, "end": 9}, {"document": "d2", "score": 1}], "read": ["d1"], "tokens": 10, "seconds": 0.5})"sv,
    R"({"task":"t1","call":2,"query":"\u5929\ud83d\ude00","results":[{"document":"d3","score":-1e-5}]})"sv,
    R"({"task": 2, "results": ["d1", "d\u00e9"], "tokens": 3})"sv,
    R"({"task": "t3", "other": {"a": [1, null, "x"]}, "results": [], "read": []})"sv};
constexpr std::string_view pieces[] = {
    "\0"sv, "\n"sv, "\r"sv, "\""sv, "\\"sv, "\\u"sv, "\\ud83d"sv, "\\udc00"sv, "\\u00"sv, "{"sv, "}"sv, "["sv, "]"sv,
    ","sv, ":"sv, " "sv, "\t"sv, "null"sv, "true"sv, "NaN"sv, "1e999"sv, "-0"sv, "01"sv, "1."sv, ".5"sv, "1e"sv,
    "99999999999999999999"sv, "\xef\xbb\xbf"sv, "\xff"sv, "\xc3"sv, "\xed\xa0\x80"sv, "\xf0\x9f\x98"sv,
    "\xf0\x9f\x98\x80"sv, "\"task\":"sv, "\"results\":["sv, "\"document\":\"d1\""sv, "\"start\":5,\"end\":2"sv,
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["sv, "{\"a\":{\"a\":{\"a\":{\"a\":"sv};

std::string made(Random& random) {
  std::string text;
  for (std::size_t line = random.below(6); line < 6; ++line) text += std::string(random.pick(rows)) + "\n";
  for (std::size_t edits = random.below(5); edits > 0 && !text.empty(); --edits) {
    const std::size_t place = random.below(text.size() + 1);
    const std::size_t length = random.one_in(2) ? 0 : random.below(random.one_in(4) ? 60 : 3);
    if (random.one_in(3)) {
      text.erase(place, length);
    } else if (random.one_in(4)) {
      text.insert(place, text.substr(random.below(text.size()), random.below(80)));
    } else {
      text.replace(place, length, random.pick(pieces));
    }
  }
  if (random.one_in(12)) text.resize(random.below(text.size() + 1));
  return text;
}

// Returns the bytes of all that was read, so that each is looked at.
std::uint64_t walked(const relyon::TraceTable& table) {
  std::uint64_t sum = table.calls().size();
  for (std::size_t task = 0; task < table.size(); ++task)
    for (const char letter : table.task(task)) sum += static_cast<unsigned char>(letter);
  for (std::uint64_t row = 0; row < table.rows(); ++row) sum += table.document(row) + (table.score(row) > 0);
  for (std::size_t task = 0; task < table.size(); ++task) {
    const std::uint64_t end = task + 1 < table.size() ? table.first_name(task + 1) : table.names();
    for (std::uint64_t name = table.first_name(task); name < end; ++name)
      for (const char letter : table.name(task, static_cast<std::uint32_t>(name - table.first_name(task))))
        sum += static_cast<unsigned char>(letter);
  }
  return sum;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    std::fprintf(stderr, "usage: fuzz_traces COUNT SEED [FOLDER]\n");
    return 2;
  }
  const std::uint64_t inputs = std::strtoull(arguments[1], nullptr, 10);
  const std::uint64_t start = std::strtoull(arguments[2], nullptr, 10);
  std::uint64_t taken = 0, left = 0, refused = 0, sum = 0;
  for (std::uint64_t seed = start; seed < start + inputs; ++seed) {
    Random random(seed);
    const std::string text = made(random);
    try {
      const auto found = relyon::read_trace_lines(relyon::TraceText(text), "traces.jsonl", random.one_in(2) ? 1 : 3);
      if (found) {
        sum += walked(*found);
        ++taken;
      } else {
        ++left;
      }
    } catch (const std::exception&) {
      ++refused;
    }
  }
  std::printf("%llu inputs, %llu taken, %llu left to the slow reader, %llu refused (%llu)\n",
              static_cast<unsigned long long>(inputs), static_cast<unsigned long long>(taken),
              static_cast<unsigned long long>(left), static_cast<unsigned long long>(refused),
              static_cast<unsigned long long>(sum));
  return 0;
}
