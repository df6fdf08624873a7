// Runs as TREC text.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "error.hpp"
#include "trec.hpp"

namespace relyon {
namespace {

bool begins_with_space(std::string_view text) {
  const auto byte = [&](std::size_t at) {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u;
  };
  const unsigned first = byte(0), second = byte(1), third = byte(2);
  if (first <= 0x20) return (first >= 0x09 && first <= 0x0d) || first >= 0x1c;
  switch (first) {
    case 0xc2:
      return second == 0x85 || second == 0xa0;
    case 0xe1:
      return second == 0x9a && third == 0x80;
    case 0xe2:
      if (second == 0x80) {
        return (third >= 0x80 && third <= 0x8a) || third == 0xa8 || third == 0xa9 || third == 0xaf;
      }
      return second == 0x81 && third == 0x9f;
    case 0xe3:
      return second == 0x80 && third == 0x80;
    default:
      return false;
  }
}

// Refuses ids that would not be read back: empty ones, and those with white space as Python has it.
void check_id(std::string_view id, const char* role, bool comment = false) {
  bool good = !id.empty() && !comment;
  for (std::size_t at = 0; at < id.size() && good; ++at) {
    const auto byte = static_cast<unsigned char>(id[at]);
    if (byte > 0x20 && byte < 0xc2) continue;
    good = !begins_with_space(id.substr(at));
  }
  if (good) return;
  throw InputError(
      Sentence("native.id-cannot-be-written", {{"role", Sentence(role)}, {"id", std::string(id)}}),
      "", 0, "io.ids-with-white-space");
}

// The shortest text that is read back to the same number, laid out as Python does it.
void append_score(double score, std::string& text) {
  char buffer[32];
  const double size = std::abs(score);
  const bool fixed = score == 0.0 || (size >= 1e-4 && size < 1e16);
  const char* const end =
      std::to_chars(buffer, buffer + sizeof(buffer), score,
                    fixed ? std::chars_format::fixed : std::chars_format::scientific)
          .ptr;
  text.append(static_cast<const char*>(buffer), end);
  if (fixed && std::find(static_cast<const char*>(buffer), end, '.') == end) text += ".0";
}

void append_number(std::int64_t number, std::string& text) {
  char buffer[24];
  char* const end = std::to_chars(buffer, buffer + sizeof(buffer), number).ptr;
  text.append(static_cast<char*>(buffer), end);
}

}  // namespace

std::string run_text(const RunTable& run, std::uint32_t from, std::uint32_t to,
                     std::string_view tag) {
  std::string text;
  std::vector<std::uint32_t> order;
  for (std::uint32_t number = from; number < to; ++number) {
    const std::string_view query = run.id(number);
    check_id(query, "query", query.starts_with('#'));
    const std::vector<RunTable::Row>& rows = run.rows(number);
    order.resize(rows.size());
    std::iota(order.begin(), order.end(), 0u);
    if (!run.has_ranks) {
      std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return rows[a].score > rows[b].score;
      });
    }
    std::int64_t position = 0;
    for (const std::uint32_t place : order) {
      const RunTable::Row& row = rows[place];
      check_id(row.document(), "document");
      text += query;
      text += " Q0 ";
      text += row.document();
      text += ' ';
      append_number(run.has_ranks ? run.rank(number, place) : ++position, text);
      text += ' ';
      append_score(row.score, text);
      text += ' ';
      text += tag;
      text += '\n';
    }
  }
  return text;
}

}  // namespace relyon
