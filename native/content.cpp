#include "content.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>
#include <string_view>
#include <tuple>
#include <vector>

#include "parallel.hpp"

namespace relyon {
namespace {

// Writes the lowest bytes of a number, the highest of them first; returns the place after them.
template <int size>
char* put(char* at, std::uint64_t word) {
  for (int place = 0; place < size; ++place)
    *at++ = static_cast<char>(word >> (8 * (size - 1 - place)));
  return at;
}

char* put_text(char* at, std::string_view text) {
  at = put<4>(at, text.size());
  return std::copy(text.begin(), text.end(), at);
}

struct Row {
  std::string_view document;
  std::string_view subtopic;
  double number;
};

// The first eight bytes of an id, the first of them highest. Where two ids differ in theirs, these
// numbers have the order of the ids.
std::uint64_t first_bytes(std::string_view id) {
  std::uint64_t word = 0;
  const std::size_t size = std::min(id.size(), sizeof word);
  for (std::size_t place = 0; place < size; ++place)
    word |= static_cast<std::uint64_t>(static_cast<unsigned char>(id[place])) << (56 - 8 * place);
  return word;
}

// One query's rows, and the bytes that are hashed. Kept from query to query.
struct Written {
  struct Place {
    std::uint64_t first;
    std::uint32_t row;
  };
  std::vector<Row> rows;
  std::vector<Place> places;
  bool subtopics = false;
  std::vector<char> documents;
  std::vector<char> numbers;  // after room for the hash of the documents

  void in_order() {
    std::size_t bytes = 0;
    places.clear();
    for (const Row& row : rows) {
      bytes += row.document.size() + row.subtopic.size() + 8;
      places.push_back({first_bytes(row.document), static_cast<std::uint32_t>(places.size())});
    }
    std::sort(places.begin(), places.end(), [&](const Place& one, const Place& other) {
      if (one.first != other.first) return one.first < other.first;
      const Row &ours = rows[one.row], &theirs = rows[other.row];
      return std::tie(ours.document, ours.subtopic) < std::tie(theirs.document, theirs.subtopic);
    });
    documents.resize(bytes);
    numbers.resize(sizeof(Sha256) + 8 * rows.size());
    char* text = documents.data();
    char* number = numbers.data() + sizeof(Sha256);
    for (const Place& place : places) {
      const Row& row = rows[place.row];
      text = put_text(text, row.document);
      if (subtopics) text = put_text(text, row.subtopic);
      number = put<8>(number, std::bit_cast<std::uint64_t>(row.number + 0.0));
    }
    documents.resize(static_cast<std::size_t>(text - documents.data()));
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

Sha256 hash(const std::vector<char>& bytes) { return sha256({bytes.data(), bytes.size()}); }

// The queries of a table by the bytes of their ids.
template <typename Table>
std::vector<std::uint32_t> order_of(const Table& table) {
  std::vector<std::uint32_t> order(table.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t one, std::uint32_t other) {
    return table.id(one) < table.id(other);
  });
  return order;
}

// Of the ids of queries, each followed by its hash; of the ids alone without hashes.
template <typename Table>
Sha256 joined(const Table& table, const std::vector<std::uint32_t>& order,
              const std::vector<Sha256>* hashes) {
  std::size_t bytes = 0;
  for (const std::uint32_t query : order) bytes += 4 + table.id(query).size() + sizeof(Sha256);
  std::vector<char> written(bytes);
  char* at = written.data();
  for (std::size_t place = 0; place < order.size(); ++place) {
    at = put_text(at, table.id(order[place]));
    if (hashes != nullptr) at = std::copy((*hashes)[place].begin(), (*hashes)[place].end(), at);
  }
  return sha256({written.data(), static_cast<std::size_t>(at - written.data())});
}

template <typename Table>
Contents contents_of(const Table& table, int threads) {
  constexpr std::size_t together = 256;  // queries of one part
  const std::size_t size = table.size();
  Contents found;
  found.order = order_of(table);
  found.by_query.resize(size);
  std::vector<Sha256> documents(size);
  std::atomic<std::uint64_t> rows{0};
  each_part((size + together - 1) / together, threads, [&](std::size_t part) {
    Written written;
    std::uint64_t own = 0;
    for (std::size_t place = part * together; place < std::min(size, (part + 1) * together);
         ++place) {
      written.rows.clear();
      read(table, found.order[place], written);
      written.in_order();
      own += written.rows.size();
      const Sha256& first = documents[place] = hash(written.documents);
      std::copy(first.begin(), first.end(), written.numbers.begin());
      found.by_query[place] = hash(written.numbers);
    }
    rows += own;
  });
  found.rows = rows;
  found.queries = joined(table, found.order, nullptr);
  found.documents = joined(table, found.order, &documents);
  found.whole = joined(table, found.order, &found.by_query);
  return found;
}

}  // namespace

Contents contents(const JudgmentTable& judgments, int threads) {
  return contents_of(judgments, threads);
}

Contents contents(const RunTable& run, int threads) { return contents_of(run, threads); }

}  // namespace relyon
