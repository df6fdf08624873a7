#include "clicks.hpp"

#include <algorithm>
#include <numeric>

#include "error.hpp"
#include "parallel.hpp"

namespace nb = nanobind;

namespace relyon {

namespace {

// Sessions of a shard are scattered over a part of a log: so many before their turn, their rows are
// asked for.
constexpr std::size_t ahead = 4;

}  // namespace

LogColumns::LogColumns(nb::handle session_column, nb::handle query_column,
                       nb::handle document_column, nb::handle position_column,
                       nb::handle clicked_column)
    : session(session_column, "session", ArrowColumn::Role::id),
      query(query_column, "query", ArrowColumn::Role::id),
      document(document_column, "document", ArrowColumn::Role::id),
      position(position_column, "position", ArrowColumn::Role::integer),
      clicked(clicked_column, "clicked", ArrowColumn::Role::integer) {
  same_length(session, query);
  same_length(session, document);
  same_length(session, position);
  same_length(session, clicked);
}

PatternColumns::PatternColumns(nb::handle query_column, nb::handle count_column,
                               nb::handle size_column, nb::handle document_column,
                               nb::handle position_column, nb::handle clicked_column)
    : query(query_column, "query", ArrowColumn::Role::id),
      count(count_column, "count", ArrowColumn::Role::integer),
      size(size_column, "size", ArrowColumn::Role::integer),
      document(document_column, "document", ArrowColumn::Role::id),
      position(position_column, "position", ArrowColumn::Role::integer),
      clicked(clicked_column, "clicked", ArrowColumn::Role::integer) {
  same_length(query, count);
  same_length(query, size);
  same_length(document, position);
  same_length(document, clicked);
}

// Results by position; those at one position by document.
void ClickShard::read(std::span<const std::string_view> documents,
                      std::span<const std::int64_t> positions,
                      std::span<const std::int64_t> clicked, std::int64_t depth) {
  session_.clear();
  for (std::size_t row = 0; row < documents.size(); ++row) {
    if (positions[row] < 1) {
      throw InputError(Sentence("native.document-is-at-position",
                                {{"document", std::string(documents[row])},
                                 {"position", std::to_string(positions[row])}}),
                       "", 0, "core.relyon-logs-doctor-log");
    }
    if (positions[row] > depth) {
      ++faults.deep;
      continue;
    }
    session_.push_back({documents[row], positions[row], 0, clicked[row] != 0});
  }
  const auto before = [](const Row& one, const Row& other) {
    return one.position != other.position ? one.position < other.position
                                          : one.document < other.document;
  };
  if (!std::is_sorted(session_.begin(), session_.end(), before))
    std::sort(session_.begin(), session_.end(), before);
}

void ClickShard::add(std::string_view query, std::uint64_t hash,
                     std::span<const std::string_view> documents,
                     std::span<const std::int64_t> positions, std::span<const std::int64_t> clicked,
                     std::int64_t depth) {
  read(documents, positions, clicked, depth);
  if (session_.empty()) return;
  const std::uint32_t number = number_pairs(query, hash);
  drop_repeated();
  keep(number, hash, 1);
}

void ClickShard::merge(std::string_view query, std::uint64_t hash,
                       std::span<const std::string_view> documents,
                       std::span<const std::int64_t> positions,
                       std::span<const std::int64_t> clicked, std::uint64_t count) {
  session_.clear();
  for (std::size_t row = 0; row < documents.size(); ++row)
    session_.push_back({documents[row], positions[row], 0, clicked[row] != 0});
  if (session_.empty()) return;
  keep(number_pairs(query, hash), hash, count);
}

// Numbers the pairs of the session that was read; returns the number of its query. Most results are
// where the query's session before had them: bytes are compared, and nothing is looked up.
std::uint32_t ClickShard::number_pairs(std::string_view query, std::uint64_t hash) {
  const std::uint32_t number =
      query_numbers_.number(hash, [&](std::uint32_t one) { return queries_[one] == query; });
  if (number == queries_.size()) {
    queries_.push_back(arena_.keep(query));
    latest_.push_back(none);
  }
  const std::span<const Shown> before =
      latest_[number] == none ? std::span<const Shown>() : pattern(latest_[number]);
  for (std::size_t place = 0; place < session_.size(); ++place) {
    Row& row = session_[place];
    row.pair = place < before.size() && documents_[before[place].pair] == row.document
                   ? before[place].pair
                   : number_pair(number, hash, row.document);
  }
  return number;
}

std::uint32_t ClickShard::number_pair(std::uint32_t query, std::uint64_t hash,
                                      std::string_view document) {
  const std::uint64_t mixed = mix(hash_bytes(document) ^ hash, 0x9e3779b97f4a7c15ULL);
  const std::uint32_t pair = pairs_.number(mixed, [&](std::uint32_t one) {
    return pair_queries_[one] == query && documents_[one] == document;
  });
  if (pair == documents_.size()) {
    if (pair == none) throw InputError("native.log-has-too-many");
    documents_.push_back(arena_.keep(document));
    pair_queries_.push_back(query);
  }
  return pair;
}

// Each document once, at its first position, clicked if it was clicked anywhere.
void ClickShard::drop_repeated() {
  std::size_t kept = 0;
  for (const Row& row : session_) {
    const auto end = session_.begin() + static_cast<std::ptrdiff_t>(kept);
    const auto same =
        std::find_if(session_.begin(), end, [&](const Row& one) { return one.pair == row.pair; });
    if (same != end) {
      same->clicked |= row.clicked;
      ++faults.repeated;
      continue;
    }
    if (kept > 0 && session_[kept - 1].position == row.position) ++faults.shared;
    session_[kept++] = row;
  }
  session_.resize(kept);
}

// Counts the session that was read.
void ClickShard::keep(std::uint32_t query, std::uint64_t hash, std::uint64_t count) {
  pattern_.clear();
  std::uint64_t content = hash;
  for (const Row& row : session_) {
    pattern_.push_back({row.pair, static_cast<std::uint16_t>(row.position), row.clicked});
    content =
        mix(content ^ pairs_.hash(row.pair),
            0xd1b54a32d192ed03ULL + static_cast<std::uint64_t>(2 * row.position + row.clicked));
  }
  const std::uint32_t found = patterns_.number(
      content, [&](std::uint32_t one) { return std::ranges::equal(pattern(one), pattern_); });
  if (found == counts_.size()) {
    shown_.insert(shown_.end(), pattern_.begin(), pattern_.end());
    starts_.push_back(shown_.size());
    counts_.push_back(0);
  }
  counts_[found] += count;
  latest_[query] = found;
  sessions += count;
  rows += session_.size() * count;
}

void ClickShard::order_pairs() {
  std::vector<std::uint32_t> order(pairs());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::uint32_t one, std::uint32_t other) {
    const std::uint32_t first = pair_queries_[one], second = pair_queries_[other];
    if (first != second) {
      const std::uint64_t hash = query_numbers_.hash(first), next = query_numbers_.hash(second);
      return hash != next ? hash < next : queries_[first] < queries_[second];
    }
    return pairs_.hash(one) != pairs_.hash(other) ? pairs_.hash(one) < pairs_.hash(other)
                                                  : documents_[one] < documents_[other];
  });
  std::vector<std::uint32_t> places(order.size());
  std::vector<std::uint32_t> queries;
  std::vector<std::string_view> documents;
  queries.reserve(order.size());
  documents.reserve(order.size());
  for (std::uint32_t place = 0; place < order.size(); ++place) {
    places[order[place]] = place;
    queries.push_back(pair_queries_[order[place]]);
    documents.push_back(documents_[order[place]]);
  }
  pair_queries_ = std::move(queries);
  documents_ = std::move(documents);
  pairs_.close(order);
  for (Shown& result : shown_) result.pair = places[result.pair];
}

void ClickShard::order_patterns() {
  std::vector<std::uint32_t> order(patterns());
  std::iota(order.begin(), order.end(), 0);
  // Those of one query together, as its pairs are.
  const auto query_of = [&](std::uint32_t number) {
    return query_numbers_.hash(pair_queries_[pattern(number).front().pair]);
  };
  std::sort(order.begin(), order.end(), [&](std::uint32_t one, std::uint32_t other) {
    const std::uint64_t first = query_of(one), second = query_of(other);
    if (first != second) return first < second;
    if (patterns_.hash(one) != patterns_.hash(other))
      return patterns_.hash(one) < patterns_.hash(other);
    return std::ranges::lexicographical_compare(
        pattern(one), pattern(other), [](const Shown& a, const Shown& b) {
          return std::tie(a.pair, a.position, a.clicked) < std::tie(b.pair, b.position, b.clicked);
        });
  });
  std::vector<Shown> shown;
  std::vector<std::uint64_t> starts{0}, counts;
  shown.reserve(shown_.size());
  starts.reserve(starts_.size());
  counts.reserve(order.size());
  for (const std::uint32_t number : order) {
    const std::span<const Shown> results = pattern(number);
    shown.insert(shown.end(), results.begin(), results.end());
    starts.push_back(shown.size());
    counts.push_back(counts_[number]);
  }
  shown_ = std::move(shown);
  starts_ = std::move(starts);
  counts_ = std::move(counts);
  patterns_ = {};
}

void ClickShard::finish() {
  order_pairs();
  order_patterns();
  query_numbers_ = {};
  latest_ = {};
}

// Whether a session was not met before.
bool ClickLog::meet(std::string_view session, std::string_view query) {
  if (session == last_) {
    if (std::ranges::find(together_, query) != together_.end()) return false;
  } else {
    together_.clear();
    const bool ascends = session.size() != last_.size() ? session.size() > last_.size()
                                                        : session > std::string_view(last_);
    last_ = session;
    if (!remember_ && !ascends) return false;
  }
  together_.emplace_back(query);
  if (!remember_) return true;
  const std::size_t before = met_.size();
  met_.number(mix(hash_bytes(session), hash_bytes(query) | 1), [](std::uint32_t) { return true; });
  return met_.size() > before;
}

bool ClickLog::add(const LogColumns& part) {
  const std::uint64_t end = part.session.rows();
  if (!grouped_ || end == 0) return grouped_;
  std::vector<std::uint64_t> starts;
  Texts texts;
  for (std::uint64_t row = 0; row < end;) {
    starts.push_back(row);
    row = part.query.same_until(row, part.session.same_until(row, end));
  }
  starts.push_back(end);

  const auto keep = [&](std::uint64_t from, std::uint64_t until) {
    const auto count = static_cast<std::size_t>(until - from);
    std::vector<std::string_view> documents(count);
    std::vector<std::int64_t> positions(count), clicked(count);
    part.document.ids(from, count, documents.data(), texts);
    part.position.integers(from, count, positions.data());
    part.clicked.integers(from, count, clicked.data());
    open_.documents.insert(open_.documents.end(), documents.begin(), documents.end());
    open_.positions.insert(open_.positions.end(), positions.begin(), positions.end());
    open_.clicked.insert(open_.clicked.end(), clicked.begin(), clicked.end());
  };

  std::size_t first = 0;
  if (opened_) {
    if (part.session.id(0, texts) == open_.session && part.query.id(0, texts) == open_.query) {
      keep(0, starts[1]);
      if (starts.size() == 2) return true;
      first = 1;
    }
    close();
  }
  const std::size_t last = starts.size() - 2;
  std::vector<std::vector<std::uint32_t>> of_shard(shards);
  std::vector<std::uint64_t> hashes(last + 1);
  for (std::size_t number = first; number <= last; ++number) {
    const std::string_view query = part.query.id(starts[number], texts);
    if (!meet(part.session.id(starts[number], texts), query)) return grouped_ = false;
    hashes[number] = hash_bytes(query);
    if (number < last)
      of_shard[shard_of(hashes[number])].push_back(static_cast<std::uint32_t>(number));
  }
  each_part(shards, threads_, [&](std::size_t shard) {
    Texts written;
    std::vector<std::string_view> documents;
    std::vector<std::int64_t> positions, clicked;
    const std::vector<std::uint32_t>& own = of_shard[shard];
    const auto size_of = [&](std::uint32_t number) {
      return static_cast<std::size_t>(starts[number + 1] - starts[number]);
    };
    for (std::size_t place = 0; place < own.size(); ++place) {
      if (place + ahead < own.size()) {
        const std::uint32_t later = own[place + ahead];
        part.query.expect(starts[later], 1);
        for (const ArrowColumn* column : {&part.document, &part.position, &part.clicked})
          column->expect(starts[later], size_of(later));
      }
      const std::uint32_t number = own[place];
      const std::size_t count = size_of(number);
      documents.resize(count);
      positions.resize(count);
      clicked.resize(count);
      part.document.ids(starts[number], count, documents.data(), written);
      part.position.integers(starts[number], count, positions.data());
      part.clicked.integers(starts[number], count, clicked.data());
      shards_[shard].add(part.query.id(starts[number], written), hashes[number], documents,
                         positions, clicked, depth_);
      written.drop(written.mark());
    }
  });
  open_.session = part.session.id(starts[last], texts);
  open_.query = part.query.id(starts[last], texts);
  open_.documents.clear();
  open_.positions.clear();
  open_.clicked.clear();
  keep(starts[last], end);
  opened_ = true;
  return true;
}

void ClickLog::merge(const PatternColumns& part, const LogFaults& faults) {
  const auto end = static_cast<std::size_t>(part.query.rows());
  std::vector<std::int64_t> counts(end), sizes(end);
  part.count.integers(0, end, counts.data());
  part.size.integers(0, end, sizes.data());
  std::vector<std::uint64_t> hashes(end), starts(end);
  std::vector<std::vector<std::size_t>> of_shard(shards);
  std::uint64_t before = 0;
  Texts texts;
  for (std::size_t number = 0; number < end; ++number) {
    if (counts[number] < 1 || sizes[number] < 1) throw InputError("native.session-without-results");
    starts[number] = before;
    before += static_cast<std::uint64_t>(sizes[number]);
    hashes[number] = hash_bytes(part.query.id(number, texts));
    of_shard[shard_of(hashes[number])].push_back(number);
    texts.drop(texts.mark());
  }
  if (before != part.document.rows()) throw InputError("native.results-are-not-those");
  each_part(shards, threads_, [&](std::size_t shard) {
    Texts written;
    std::vector<std::string_view> documents;
    std::vector<std::int64_t> positions, clicked;
    for (const std::size_t number : of_shard[shard]) {
      const auto size = static_cast<std::size_t>(sizes[number]);
      documents.resize(size);
      positions.resize(size);
      clicked.resize(size);
      part.document.ids(starts[number], size, documents.data(), written);
      part.position.integers(starts[number], size, positions.data());
      part.clicked.integers(starts[number], size, clicked.data());
      if (positions.front() < 1 || positions.back() > depth_)
        throw InputError("native.position-is-above-first");
      shards_[shard].merge(part.query.id(number, written), hashes[number], documents, positions,
                           clicked, static_cast<std::uint64_t>(counts[number]));
      written.drop(written.mark());
    }
  });
  shards_[0].faults.deep += faults.deep;
  shards_[0].faults.repeated += faults.repeated;
  shards_[0].faults.shared += faults.shared;
}

void ClickLog::close() {
  const std::vector<std::string_view> documents(open_.documents.begin(), open_.documents.end());
  const std::uint64_t hash = hash_bytes(open_.query);
  shards_[shard_of(hash)].add(open_.query, hash, documents, open_.positions, open_.clicked, depth_);
  opened_ = false;
}

bool ClickLog::finish() {
  if (!grouped_) return false;
  if (opened_) close();
  met_ = {};
  each_part(shards, threads_, [&](std::size_t shard) { shards_[shard].finish(); });
  return true;
}

std::uint64_t ClickLog::sessions() const {
  std::uint64_t total = 0;
  for (const ClickShard& shard : shards_) total += shard.sessions;
  return total;
}

std::uint64_t ClickLog::rows() const {
  std::uint64_t total = 0;
  for (const ClickShard& shard : shards_) total += shard.rows;
  return total;
}

std::uint64_t ClickLog::pairs() const {
  std::uint64_t total = 0;
  for (const ClickShard& shard : shards_) total += shard.pairs();
  return total;
}

LogFaults ClickLog::faults() const {
  LogFaults total;
  for (const ClickShard& shard : shards_) {
    total.deep += shard.faults.deep;
    total.repeated += shard.faults.repeated;
    total.shared += shard.faults.shared;
  }
  return total;
}

}  // namespace relyon
