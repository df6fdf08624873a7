// A TREC run streamed through the evaluator.
#include <bit>
#include <charconv>
#include <limits>
#include <optional>

#include "error.hpp"
#include "lanes.hpp"
#include "number.hpp"
#include "scan.hpp"
#include "trec.hpp"

namespace relyon {

namespace {

struct TrecScanner : Scanner {
  using Scanner::Scanner;

  RELYON_INLINE void take(std::string_view document, std::string_view rank,
                          std::string_view score) {
    double value = 0.0;
    if (parse_number_padded(score, value) != Number::good) [[unlikely]]
      value = parse_score(score);
    ++out.rows;
    if (!judging) {
      if (skipping) --out.rows;
      return;
    }
    collector.add(document, value);
    if (ranks) take_rank(rank);
  }

  void take_rank(std::string_view rank) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(rank.data(), rank.data() + rank.size(), value);
    if (error != std::errc() || end != rank.data() + rank.size()) {
      throw TextError{TextError::unknown,
                      Sentence("native.rank-is-not-whole", {{"rank", excerpt(rank)}}),
                      "data.choose-another-tie-rule"};
    }
    collector.add_rank(value);
  }

  // Finds the first line: after a byte-order mark, or the first that begins in this stretch.
  const char* first_line() { return skipping ? skip_to_line() : beginning(window); }

  // Any line: blanks in a row, comments, 5 columns, errors. False where the stretch ends.
  bool take_slowly(const char* line, std::size_t size);
};

bool TrecScanner::take_slowly(const char* line, std::size_t size) {
  Tokens tokens;
  const std::string_view text(line, size);
  split(text, tokens);
  if (is_comment(tokens, 5, 6)) return true;
  check_utf8(text);
  if (tokens.count < 5) {  // more than 6: the tag holds spaces, as in trec_eval
    wrong_columns(text, tokens.count, run_columns,
                  tokens.count == 4 ? "native.this-looks-like-judgments" : "");
  }
  const std::string_view id = tokens.token[0];
  const bool same =
      id.size() == query_size && open && std::memcmp(id.data(), query.data(), id.size()) == 0;
  if (line >= stop_at && at_stop(same)) return false;
  if (!same && !change_query(id, line)) return false;
  ++out.rows;
  const double value = parse_score(tokens.token[4]);
  if (!judging) {
    if (skipping) --out.rows;
    return true;
  }
  collector.add(tokens.token[2], value);
  if (ranks) take_rank(tokens.token[3]);
  return true;
}

#define RELYON_LOOP "scan_trec.inc"
#include "each_lanes.inc"

// Runs the loop over one stretch; `line` counts the line of a place for errors.
template <class Line>
Stretch scan(const JudgmentTable& judgments, const Plan& plan, Window& window, Met& met,
             bool within, std::uint64_t stop, const Line& line) {
  TrecScanner scanner(judgments, plan, window, met, within, stop);
  try {
    best_loop()(scanner);
    scanner.out.batch = scanner.collector.evaluator().take();
    return std::move(scanner.out);
  } catch (const TextError& error) {
    const bool here = error.offset == TextError::unknown;
    Sentence message = error.message;
    if (error.other != TextError::unknown) {
      message.values.push_back({"line", std::to_string(line(error.other))});
    }
    throw InputError(message, window.path(), line(here ? window.offset(scanner.at) : error.offset),
                     error.hint);
  } catch (const InputError& error) {
    // From a kernel or the ranker, which do not know the file.
    throw InputError(error.sentence, window.path(), error.line, error.hint);
  }
}

}  // namespace

Batch evaluate_run_file(const JudgmentTable& judgments, const Plan& plan, const std::string& path,
                        int threads) {
  const File file(path);
  if (!file.regular()) {
    // A pipe gives its bytes once: if a query came back, its beginning would be lost.
    FileBytes bytes(file, 0);
    const RunTable table = read_run(bytes, path);
    refuse_duplicates(table, path, nullptr, &judgments);
    return evaluate_run(judgments, plan, table, threads);
  }
  const std::uint64_t step = stretch_of(file.size());
  std::vector<Stretch> stretches(static_cast<std::size_t>((file.size() + step - 1) / step));
  Met met(judgments);
  try {
    each_part(stretches.size(), threads, [&](std::size_t part) {
      if (met.again()) return;
      // A stretch within the file sees the byte before it, to know whether a line begins with it.
      const std::uint64_t from = part == 0 ? 0 : part * step - 1;
      FileBytes bytes(file, from);
      Window window(bytes, path, from);
      stretches[part] = scan(judgments, plan, window, met, part > 0, (part + 1) * step,
                             [&](std::uint64_t place) { return line_of(file, place); });
    });
  } catch (const InputError&) {
    // What the whole file has to say comes first where it is read whole.
    if (!met.again()) throw;
  }
  Batch whole;
  const bool joined = !met.again() && join(stretches, judgments, plan, whole);
  if (joined && whole.rows == 0) throw InputError("native.holds-no-document", path);
  if (joined) return whole;
  stretches.clear();
  FileBytes bytes(file, 0);
  const RunTable table = read_run(bytes, path);
  FileBytes again(file, 0);
  refuse_duplicates(table, path, &again, &judgments);
  return evaluate_run(judgments, plan, table, threads);
}

std::optional<Batch> evaluate_stream(const JudgmentTable& judgments, const Plan& plan, Bytes& bytes,
                                     const std::string& name) {
  Window window(bytes, name, 0, true);
  Met met(judgments);
  std::vector<Stretch> stretches;
  stretches.push_back(scan(judgments, plan, window, met, false,
                           std::numeric_limits<std::uint64_t>::max(),
                           [&](std::uint64_t place) { return window.line_of(place); }));
  Batch whole;
  if (met.again() || !join(stretches, judgments, plan, whole)) return std::nullopt;
  if (whole.rows == 0) throw InputError("native.holds-no-document", name);
  return whole;
}

}  // namespace relyon
