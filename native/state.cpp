#include "state.hpp"

#include <cstdint>
#include <cstring>

#include "error.hpp"

namespace relyon {

namespace {

constexpr std::string_view judgments_mark = "relyon judgments 1\n";
constexpr std::string_view run_mark = "relyon run 1\n";

// Appends numbers in the machine's byte order: states travel between processes, not to disk.
class Writer {
 public:
  explicit Writer(std::string_view mark) : bytes_(mark) {}

  template <typename Number>
  void number(Number value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  void text(std::string_view value) {
    number<std::uint32_t>(static_cast<std::uint32_t>(value.size()));
    bytes_.append(value);
  }

  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  Reader(std::string_view bytes, std::string_view mark) : left_(bytes) {
    if (take(mark.size()) != mark) refuse();
  }

  template <typename Number>
  Number number() {
    Number value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }

  std::string_view text() { return take(number<std::uint32_t>()); }

  void finish() const {
    if (!left_.empty()) refuse();
  }

 private:
  [[noreturn]] static void refuse() {
    throw InputError("native.pickled-table-is-damaged", "", 0, "native.make-again-from-file");
  }

  std::string_view take(std::size_t size) {
    if (size > left_.size()) refuse();
    const std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(size);
    return taken;
  }

  std::string_view left_;
};

}  // namespace

std::string to_state(const JudgmentTable& table) {
  Writer out(judgments_mark);
  out.number<std::uint64_t>(table.duplicates);
  out.number<std::uint32_t>(static_cast<std::uint32_t>(table.size()));
  for (std::uint32_t number = 0; number < table.size(); ++number) {
    const JudgmentTable::Query& query = table.query(number);
    out.text(table.id(number));
    out.number<std::uint32_t>(static_cast<std::uint32_t>(query.documents.size()));
    for (std::uint32_t place = 0; place < query.documents.size(); ++place) {
      const JudgmentTable::Judged& judged = query.documents[place];
      out.text(judged.document);
      out.number(std::uint64_t{place} + 1);  // a row for messages about two grades: there are none
      if (query.subtopics == nullptr) {
        out.number<std::uint32_t>(0);
        out.number(judged.grade);
        continue;
      }
      const auto grades = query.subtopics->of(place);
      out.number<std::uint32_t>(static_cast<std::uint32_t>(grades.size()));
      for (const Subtopics::Grade& one : grades) {
        out.text(table.subtopic(query.subtopics->names[one.subtopic]));
        out.number(one.grade);
      }
    }
  }
  return out.take();
}

JudgmentTable judgments_from_state(std::string_view state) {
  Reader in(state, judgments_mark);
  JudgmentTable table;
  const auto duplicates = in.number<std::uint64_t>();
  const auto queries = in.number<std::uint32_t>();
  for (std::uint32_t number = 0; number < queries; ++number) {
    const std::string_view query = in.text();
    const auto documents = in.number<std::uint32_t>();
    for (std::uint32_t place = 0; place < documents; ++place) {
      const std::string_view document = in.text();
      const auto row = in.number<std::uint64_t>();
      const auto subtopics = in.number<std::uint32_t>();
      if (subtopics == 0) table.add(query, document, in.number<double>(), row);
      for (std::uint32_t subtopic = 0; subtopic < subtopics; ++subtopic) {
        const std::string_view name = in.text();
        table.add(query, name, document, in.number<double>(), row);
      }
    }
  }
  in.finish();
  table.finish("");
  table.duplicates = duplicates;
  return table;
}

std::string to_state(const RunTable& table) {
  Writer out(run_mark);
  out.text(table.tag);
  out.number<std::uint8_t>(table.has_ranks);
  out.number<std::uint8_t>(table.grouped);
  out.number<std::uint32_t>(static_cast<std::uint32_t>(table.size()));
  for (std::uint32_t number = 0; number < table.size(); ++number) {
    out.text(table.id(number));
    const std::vector<RunTable::Row>& rows = table.rows(number);
    out.number<std::uint64_t>(rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      out.text(rows[row].document());
      out.number(rows[row].score);
      out.number(table.rank(number, row));
    }
  }
  return out.take();
}

RunTable run_from_state(std::string_view state) {
  Reader in(state, run_mark);
  RunTable table;
  table.tag = in.text();
  const bool has_ranks = in.number<std::uint8_t>() != 0;
  const bool grouped = in.number<std::uint8_t>() != 0;
  const auto queries = in.number<std::uint32_t>();
  for (std::uint32_t number = 0; number < queries; ++number) {
    const std::string_view query = in.text();
    const auto rows = in.number<std::uint64_t>();
    for (std::uint64_t row = 0; row < rows; ++row) {
      const std::string_view document = in.text();
      const auto score = in.number<double>();
      table.add(query, document, score, in.number<std::int64_t>());
    }
  }
  in.finish();
  table.has_ranks = has_ranks;
  table.grouped = grouped;
  return table;
}

}  // namespace relyon
