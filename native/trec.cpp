#include "trec.hpp"

#include <charconv>

#include "error.hpp"

namespace relyon {

namespace {

bool parse_rank(std::string_view token, std::int64_t& rank) {
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), rank);
  return error == std::errc() && end == token.data() + token.size();
}

}  // namespace

JudgmentTable read_qrels(Bytes& bytes, const std::string& path) {
  JudgmentTable table;
  Tokens tokens;
  std::uint64_t rows = 0;
  each_line(bytes, path, [&](std::string_view line, std::uint64_t at) {
    split(line, tokens);
    if (is_comment(tokens, 4, 4)) return;
    check_utf8(line);
    if (tokens.count != 4) {
      const bool run = tokens.count == 5 || tokens.count == 6;
      wrong_columns(line, tokens.count, qrels_columns, run ? "native.this-looks-like-run" : "");
    }
    // `Q0` says as little as `0`.
    const std::string_view subtopic =
        tokens.token[1] == "Q0" ? tokens.token[1].substr(1) : tokens.token[1];
    table.add(tokens.token[0], subtopic, tokens.token[2], parse_grade(tokens.token[3]), at);
    ++rows;
  });
  if (rows == 0) throw InputError("native.holds-no-judgment", path);
  table.finish(path);
  return table;
}

RunTable read_run(Bytes& bytes, const std::string& path) {
  RunTable table;
  Tokens tokens;
  bool ranks = true;
  each_line(bytes, path, [&](std::string_view line, std::uint64_t) {
    split(line, tokens);
    if (is_comment(tokens, 5, 6)) return;
    check_utf8(line);
    if (tokens.count < 5) {  // more than 6: the tag holds spaces, as in trec_eval
      wrong_columns(line, tokens.count, run_columns,
                    tokens.count == 4 ? "native.this-looks-like-judgments" : "");
    }
    std::int64_t rank = 0;
    ranks = ranks && parse_rank(tokens.token[3], rank);
    if (table.count == 0 && tokens.count >= 6) {
      const std::string_view tag = tokens.token[5];
      const std::string_view rest = line.substr(static_cast<std::size_t>(tag.data() - line.data()));
      table.tag = rest.substr(0, rest.find_last_not_of(" \t\r\v\f") + 1);
    }
    table.add(tokens.token[0], tokens.token[2], parse_score(tokens.token[4]), rank);
  });
  if (table.count == 0) throw InputError("native.holds-no-document", path);
  table.has_ranks = ranks;
  return table;
}

void refuse_duplicates(const RunTable& table, const std::string& path, Bytes* again,
                       const JudgmentTable* judgments) {
  std::string_view query, document;
  if (!table.duplicate(query, document, judgments)) return;
  std::uint64_t first = 0, second = 0;
  if (again != nullptr) {
    Tokens tokens;
    each_line(*again, path, [&](std::string_view line, std::uint64_t at) {
      if (second != 0) return;
      split(line, tokens);
      if (is_comment(tokens, 5, 6) || tokens.token[0] != query || tokens.token[2] != document)
        return;
      (first == 0 ? first : second) = at;
    });
  }
  const std::vector<Put> names = {{"document", excerpt(document)}, {"query", excerpt(query)}};
  if (second == 0) {
    throw InputError(Sentence("native.document-stands", names), path, 0,
                     "native.keep-one-of-two-lines");
  }
  const TextError error = twice(query, document, 0, 0);
  Sentence message = error.message;
  message.values.emplace_back("line", std::to_string(first));
  throw InputError(message, path, second, error.hint);
}

}  // namespace relyon
