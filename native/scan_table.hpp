// A table in text, such as CSV or JSON Lines, streamed through the evaluator: the rows that every
// reader takes alike. Whatever else there is, the table must be read whole.
#pragma once

#include <atomic>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "error.hpp"
#include "number.hpp"
#include "scan.hpp"
#include "seen.hpp"

namespace relyon {

// One row's values of the columns of a run.
struct TableRow {
  std::string_view query;
  std::string_view document;
  std::string_view score;
  std::string_view rank;
};

// Which columns a table has besides query and document.
struct TableColumns {
  bool score = true;
  bool rank = false;
};

// What the stretches of a table share.
struct TableState {
  explicit TableState(const JudgmentTable& judgments) : met(judgments) {}
  Met met;
  std::atomic<bool> broken{false};  // a row went on in the next line
};

struct TableScanner : Scanner {
  TableScanner(const JudgmentTable& judgments, const Plan& plan, Window& text, TableState& shared,
               TableColumns there, bool within, std::uint64_t until)
      : Scanner(judgments, plan, text, shared.met, within, until), state(shared), columns(there) {}

  TableState& state;
  const TableColumns columns;
  Distinct others;  // documents of a query that nobody judged

  // Takes the row that begins at `place`. False where the stretch ends.
  RELYON_INLINE bool take(const char* place, const TableRow& row) {
    if (row.query.empty() || row.document.empty()) throw Unlike{};
    const bool same = same_query(row.query.data(), row.query.size());
    if (place >= stop_at && at_stop(same)) [[unlikely]]
      return false;
    if (!same) {
      if (!judging && others.suspect()) throw Unlike{};
      if (!change_query(row.query, place)) return false;
      others.begin();
    }
    std::int64_t rank = 0;
    if (columns.rank) {
      // Mostly the score alone counts, and a rank must only be a whole number.
      if (ranks || !columns.score) {
        rank = rank_of(row.rank);
      } else if (std::uint64_t digits; !few_digits(row.rank, digits)) [[unlikely]] {
        other_rank(row.rank);
      }
    }
    const double score = columns.score ? score_of(row.score) : -static_cast<double>(rank);
    if (skipping) return true;
    ++out.rows;
    if (judging) {
      collector.add(row.document, score);
      if (ranks) collector.add_rank(rank);
    } else {
      others.add(row.document);
    }
    return true;
  }

  // Ends the text.
  void finish() {
    if (!judging && others.suspect()) throw Unlike{};
    close();
  }

  RELYON_INLINE static double score_of(std::string_view text) {
    double value = 0.0;
    if (parse_number_padded(text, value) != Number::good) [[unlikely]]
      value = number_of(text);
    return value;
  }

  // A whole number, mostly of a few digits.
  RELYON_INLINE static std::int64_t rank_of(std::string_view text) {
    std::uint64_t digits;
    if (!few_digits(text, digits)) [[unlikely]]
      return other_rank(text);
    return static_cast<std::int64_t>(eight_digits(digits));
  }

  RELYON_INLINE static bool few_digits(std::string_view text, std::uint64_t& digits) {
    constexpr std::uint64_t ones = 0x0101010101010101ULL, highs = 0x8080808080808080ULL;
    if (text.size() - 1 >= 8) [[unlikely]]
      return false;
    digits = (load8(text.data()) ^ (ones * '0')) << (64 - 8 * text.size());
    return ((digits | (digits + ones * 0x76)) & highs) == 0;
  }

  // Beyond 2^53 not every whole number has a double of its own.
  static std::int64_t other_rank(std::string_view text) {
    const double value = number_of(text);
    if (value != std::floor(value) || std::fabs(value) >= 9007199254740992.0) throw Unlike{};
    return static_cast<std::int64_t>(value);
  }

  static double number_of(std::string_view text);
};

// How a table is written.
class TableFormat {
 public:
  explicit TableFormat(TableColumns columns) : columns_(columns) {}
  virtual ~TableFormat() = default;

  const TableColumns& columns() const { return columns_; }
  // Where the first row begins, in a window at the beginning of the text.
  virtual const char* first_row(Window& window) const = 0;
  // Streams a stretch from a row on.
  virtual void scan(TableScanner& scanner, const char* row) const = 0;

 private:
  TableColumns columns_;
};

// Streams a run; nothing where it must be read whole, which then also says what is wrong with it.
std::optional<Batch> evaluate_table_file(const JudgmentTable& judgments, const Plan& plan,
                                         const std::string& path, const TableFormat& format,
                                         int threads);
std::optional<Batch> evaluate_table_stream(const JudgmentTable& judgments, const Plan& plan,
                                           Bytes& bytes, const std::string& name,
                                           const TableFormat& format);

}  // namespace relyon
