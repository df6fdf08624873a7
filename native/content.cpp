#include "content.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string_view>
#include <tuple>
#include <vector>

namespace relyon {
namespace {

// Appends the lowest bytes of a number, the highest of them first.
template <int size>
void put(std::string& bytes, std::uint64_t word) {
  char written[size];
  for (int place = 0; place < size; ++place)
    written[place] = static_cast<char>(word >> (8 * (size - 1 - place)));
  bytes.append(written, size);
}

void put_text(std::string& bytes, std::string_view text) {
  put<4>(bytes, text.size());
  bytes.append(text);
}

struct Row {
  std::string_view document;
  std::string_view subtopic;
  double number;
};

Content in_order(std::vector<Row> rows, bool subtopics) {
  std::sort(rows.begin(), rows.end(), [](const Row& one, const Row& other) {
    return std::tie(one.document, one.subtopic) < std::tie(other.document, other.subtopic);
  });
  Content found;
  found.numbers.reserve(8 * rows.size());
  for (const Row& row : rows) {
    put_text(found.documents, row.document);
    if (subtopics) put_text(found.documents, row.subtopic);
    put<8>(found.numbers, std::bit_cast<std::uint64_t>(row.number + 0.0));
  }
  return found;
}

}  // namespace

Content content(const JudgmentTable& judgments, std::uint32_t query) {
  const JudgmentTable::Query& judged = judgments.query(query);
  const bool several = judged.subtopics && judged.subtopics->count() > 1;
  std::vector<Row> rows;
  rows.reserve(judged.documents.size());
  for (std::uint32_t place = 0; place < judged.documents.size(); ++place) {
    const JudgmentTable::Judged& one = judged.documents[place];
    if (!several) {
      rows.push_back({one.document, {}, one.grade});
      continue;
    }
    for (const Subtopics::Grade& grade : judged.subtopics->of(place)) {
      const std::uint32_t name = judged.subtopics->names[grade.subtopic];
      rows.push_back({one.document, judgments.subtopic(name), grade.grade});
    }
  }
  return in_order(std::move(rows), several);
}

Content content(const RunTable& run, std::uint32_t query) {
  std::vector<Row> rows;
  rows.reserve(run.rows(query).size());
  for (const RunTable::Row& row : run.rows(query)) rows.push_back({row.document(), {}, row.score});
  return in_order(std::move(rows), false);
}

}  // namespace relyon
