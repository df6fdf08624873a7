// Feeds damaged LETOR text to its reader. Wherever the text is cut into stretches, the same rows and
// values must come out, and the same line must be refused; single precision is double, rounded.
//
//   fuzz_letor COUNT SEED [FOLDER]
//
// Input number i is made from SEED + i alone: `fuzz_letor 1 N` repeats input N. An input that fails
// is left in the working directory as fuzz-failure.letor.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "letor.hpp"

#include "damaged_text.hpp"

namespace {

using fuzz::Random;
using relyon::letor::Block;
using relyon::letor::Entries;
using relyon::letor::Part;
using relyon::letor::Plan;
using std::string_view_literals::operator""sv;

constexpr std::string_view pieces[] = {
    "1:1"sv, "1048576:1"sv, "1048577:1"sv, "0:1"sv, "01:1"sv, "99999999:1"sv, "999999999:1"sv, "-1:1"sv, "1:"sv, ":1"sv,
    "1::1"sv, "1:1:1"sv, "2:0.5 1:0.25"sv, "3:1 3:2"sv, "qid:"sv, "qid:7"sv, " qid:7 "sv, "Qid:7"sv, "#docid = d1"sv,
    "# documentno=\xe6\x96\x87"sv, "#"sv, "1:12345678"sv, "1:123456789"sv, "1:1.123456789"sv, "1:3.5e38"sv, "1:-0"sv,
    "1:1e-46"sv, "\n2 qid:3 1:1\n"sv, "\xc2\xa0"sv, "\xe3\x80\x80"sv, "\xe2\x80\xa8"sv, "\x1c"sv, "\x85"sv};

std::string make_text(Random& random) {
  std::string text;
  const std::size_t rows = 1 + random.below(8);
  for (std::size_t row = 0; row < rows; ++row) {
    text += fuzz::number(random) + (random.one_in(40) ? " " : " qid:" + fuzz::query_name(random));
    std::size_t number = 0;
    const std::size_t features = random.below(7);
    for (std::size_t at = 0; at < features; ++at) {
      number += 1 + random.below(random.one_in(20) ? 3000 : 3);
      text += " " + std::to_string(number) + ":" + fuzz::number(random);
    }
    if (random.one_in(3)) text += " # docid = " + fuzz::document_name(random) + " inc = 1";
    text += random.one_in(9) ? "\r\n" : "\n";
  }
  for (std::size_t change = random.below(4); change > 0; --change) {
    if (random.one_in(2)) {
      fuzz::mutate(random, text);
    } else {
      text.insert(random.below(text.size() + 1), random.pick(pieces));
    }
  }
  if (text.empty() || text.back() != '\n') text += '\n';
  return text;
}

// What was read: one line per row, and the line that was refused.
template <class Value>
struct Read {
  std::string rows;
  std::vector<std::map<std::uint32_t, Value>> features;
};

// Reads the text in stretches of so many bytes, each in memory of its own size.
template <class Value>
Read<Value> read(std::string_view text, const Plan& plan, std::size_t stretch) {
  Read<Value> found;
  Entries<Value> entries;
  std::uint64_t lines = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n', std::min(stretch, text.size()) - 1) + 1;
    const auto bytes = std::make_unique<char[]>(end + relyon::letor::padding);
    std::memcpy(bytes.get(), text.data(), end);
    const Part part = relyon::letor::parse({bytes.get(), end}, plan, entries);
    std::size_t run = 0, left = part.sizes.empty() ? 0 : static_cast<std::size_t>(part.sizes[0]);
    for (std::size_t row = 0; row < part.labels.size(); ++row) {
      const double label = part.labels[row];
      found.rows += plan.named ? std::string(part.label_names[static_cast<std::size_t>(label)])
                               : std::to_string(std::bit_cast<std::uint64_t>(label));
      if (!plan.grouped) {
        if (left == 0) left = static_cast<std::size_t>(part.sizes[++run]);
        --left;
        found.rows += " of " + std::string(part.queries[run]);
      }
      found.rows += "\n";
    }
    if (plan.features) {
      const Block<Value> block = relyon::letor::pack(entries);
      for (std::size_t row = 0; row < block.rows; ++row) {
        auto& values = found.features.emplace_back();
        const std::size_t from = block.dense ? row * block.width : block.offsets[row];
        const std::size_t to = block.dense ? from + block.width : block.offsets[row + 1];
        for (std::size_t at = from; at < to; ++at) {
          const auto column = block.dense ? static_cast<std::uint32_t>(at - from) : block.columns.data()[at];
          if (block.values.data()[at] != 0) values[column] = block.values.data()[at];
        }
      }
    }
    if (part.wrong) {
      found.rows += "refused: line " + std::to_string(lines + part.wrong->line) + ": " + part.wrong->text;
      return found;
    }
    lines += part.lines;
    text.remove_prefix(end);
  }
  return found;
}

[[noreturn]] void fail(std::uint64_t seed, const std::string& text, const std::string& one, const std::string& other) {
  std::ofstream("fuzz-failure.letor", std::ios::binary) << text;
  std::fprintf(stderr, "input %llu failed; it is in fuzz-failure.letor\n--- one\n%s\n--- other\n%s\n",
               static_cast<unsigned long long>(seed), one.c_str(), other.c_str());
  std::_Exit(1);
}

// Whether the line that was refused holds a value that single precision cannot.
bool beyond_single(const std::string& rows) {
  const std::size_t refused = rows.rfind("refused: line ");
  if (refused == std::string::npos) return false;
  for (std::size_t at = rows.find(':', refused); at != std::string::npos; at = rows.find(':', at + 1)) {
    const double value = std::strtod(rows.c_str() + at + 1, nullptr);
    if (std::isfinite(value) && std::abs(value) > std::numeric_limits<float>::max()) return true;
  }
  return false;
}

// Returns whether all of it was read.
bool check(std::uint64_t seed) {
  Random random = fuzz::random_of(seed);
  const std::string text = make_text(random);
  const Plan plan{random.one_in(3), random.one_in(3), !random.one_in(5)};
  const Read<double> whole = read<double>(text, plan, text.size());
  for (const std::size_t stretch : {std::size_t{1}, 1 + random.below(text.size())}) {
    const Read<double> again = read<double>(text, plan, stretch);
    if (again.rows != whole.rows) fail(seed, text, whole.rows, again.rows);
    if (again.features != whole.features) fail(seed, text, "features", "differ by stretches");
  }
  const Read<float> narrow = read<float>(text, plan, 1 + random.below(text.size()));
  for (std::size_t row = 0; row < std::min(narrow.features.size(), whole.features.size()); ++row) {
    std::map<std::uint32_t, float> rounded;
    for (const auto& [column, value] : whole.features[row]) {
      if (static_cast<float>(value) != 0) rounded[column] = static_cast<float>(value);
    }
    if (narrow.features[row] != rounded) fail(seed, text, "features", "differ in single precision");
  }
  if (narrow.rows != whole.rows && !beyond_single(narrow.rows)) fail(seed, text, whole.rows, narrow.rows);
  return whole.rows.find("refused") == std::string::npos;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    std::fprintf(stderr, "usage: fuzz_letor COUNT SEED [FOLDER]\n");
    return 2;
  }
  const std::uint64_t inputs = std::strtoull(arguments[1], nullptr, 10);
  const std::uint64_t start = std::strtoull(arguments[2], nullptr, 10);
  std::uint64_t taken = 0;
  for (std::uint64_t seed = start; seed < start + inputs; ++seed) taken += check(seed) ? 1 : 0;
  std::printf("%llu inputs, %llu taken\n", static_cast<unsigned long long>(inputs),
              static_cast<unsigned long long>(taken));
  return 0;
}
