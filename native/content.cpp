#include "content.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <string>
#include <string_view>
#include <tuple>

#include "parallel.hpp"

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

// One query's rows in their order, and the bytes that are hashed. Kept from query to query.
struct Written {
  std::vector<Row> rows;
  bool subtopics = false;
  std::string documents;
  std::string numbers;

  void in_order() {
    std::sort(rows.begin(), rows.end(), [](const Row& one, const Row& other) {
      return std::tie(one.document, one.subtopic) < std::tie(other.document, other.subtopic);
    });
    documents.clear();
    numbers.clear();
    for (const Row& row : rows) {
      put_text(documents, row.document);
      if (subtopics) put_text(documents, row.subtopic);
      put<8>(numbers, std::bit_cast<std::uint64_t>(row.number + 0.0));
    }
  }
};

void read(const JudgmentTable& judgments, std::uint32_t query, Written& written) {
  const JudgmentTable::Query& judged = judgments.query(query);
  written.subtopics = judged.subtopics && judged.subtopics->count() > 1;
  for (std::uint32_t place = 0; place < judged.documents.size(); ++place) {
    const JudgmentTable::Judged& one = judged.documents[place];
    if (!written.subtopics) {
      written.rows.push_back({one.document, {}, one.grade});
      continue;
    }
    for (const Subtopics::Grade& grade : judged.subtopics->of(place)) {
      const std::uint32_t name = judged.subtopics->names[grade.subtopic];
      written.rows.push_back({one.document, judgments.subtopic(name), grade.grade});
    }
  }
}

void read(const RunTable& run, std::uint32_t query, Written& written) {
  for (const RunTable::Row& row : run.rows(query))
    written.rows.push_back({row.document(), {}, row.score});
}

template <typename Table>
Contents contents_of(const Table& table, int threads) {
  constexpr std::size_t together = 256;  // queries of one part
  const std::size_t size = table.size();
  Contents found{std::vector<Sha256>(size), std::vector<Sha256>(size)};
  std::atomic<std::uint64_t> rows{0};
  each_part((size + together - 1) / together, threads, [&](std::size_t part) {
    Written written;
    std::uint64_t own = 0;
    for (std::size_t query = part * together; query < std::min(size, (part + 1) * together);
         ++query) {
      written.rows.clear();
      read(table, static_cast<std::uint32_t>(query), written);
      written.in_order();
      own += written.rows.size();
      const Sha256 documents = found.documents[query] = sha256(written.documents);
      written.numbers.insert(0, documents.data(), documents.size());
      found.queries[query] = sha256(written.numbers);
    }
    rows += own;
  });
  found.rows = rows;
  return found;
}

}  // namespace

Contents contents(const JudgmentTable& judgments, int threads) {
  return contents_of(judgments, threads);
}

Contents contents(const RunTable& run, int threads) { return contents_of(run, threads); }

}  // namespace relyon
