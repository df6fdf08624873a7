#include "json_lines.hpp"

#include <cstring>
#include <utility>
#include <vector>

#include "error.hpp"
#include "json_text.hpp"
#include "utf8.hpp"

namespace relyon {

namespace {

// Reads one line after the other. In the lines of a file the same keys mostly stand in the same
// places, written in the same way: they are compared with those of the line before.
class ObjectReader {
 public:
  ObjectReader(const JsonLines::Keys& keys, Window& window) : keys_(keys), window_(window) {
    wanted_ = 1U << query | 1U << document;
    if (keys.score) wanted_ |= 1U << score;
    if (keys.rank) wanted_ |= 1U << rank;
  }

  // Reads the line from `line` to `end`, where a control character stands. False for a blank one.
  bool read(const char* line, const char* end, TableRow& row) {
    const char* p = past_blanks(line);
    if (p == end) return false;
    if (*p != '{') throw Unlike{};
    unsigned found = 0;
    escaped_ = 0;
    steps_.restart();
    for (std::size_t member = 0;; ++member) {
      p = past_blanks(p + 1);
      const Role role = read_key(p, end, member);
      if (role == other) {
        p = steps_.past_value(p, 0);
      } else {
        if ((found >> role & 1) != 0) throw Unlike{};
        found |= 1U << role;
        p = read_value(p, role, row);
      }
      p = past_blanks(p);
      if (*p == '}') break;
      if (*p != ',') throw Unlike{};
    }
    if (found != wanted_ || past_blanks(p + 1) != end) throw Unlike{};
    if (!steps_.ascii() && !is_utf8(line, static_cast<std::size_t>(end - line))) throw Unlike{};
    for (unsigned role = 0; escaped_ >> role != 0; ++role) {
      if ((escaped_ >> role & 1) != 0) unescape_in_place(value_of(row, static_cast<Role>(role)));
    }
    return true;
  }

 private:
  enum Role : unsigned { query, document, score, rank, other };
  // A key with its quotes and its colon, as it was written.
  struct Key {
    std::string text;
    Role role;
  };

  // Moves `p` from a key to its value.
  Role read_key(const char*& p, const char* end, std::size_t member) {
    if (member < before_.size()) {
      const Key& key = before_[member];
      if (static_cast<std::size_t>(end - p) >= key.text.size() &&
          same_bytes(p, key.text.data(), key.text.size())) [[likely]] {
        p = past_blanks(p + key.text.size());
        return key.role;
      }
    }
    const char* const start = p;
    if (*p != '"') throw Unlike{};
    bool escaped = false;
    p = steps_.past_string(p + 1, escaped);
    std::string name(start + 1, p - 1);
    if (escaped)
      name.resize(
          static_cast<std::size_t>(unescape(name.data(), name.data() + name.size()) - name.data()));
    p = past_blanks(p);
    if (*p != ':') throw Unlike{};
    p = past_blanks(p + 1);
    const Role role = role_of(name);
    before_.resize(std::max(before_.size(), member + 1));
    before_[member] = {std::string(start, p), role};
    return role;
  }

  Role role_of(const std::string& name) const {
    if (name == keys_.query) return query;
    if (name == keys_.document) return document;
    if (keys_.score && name == *keys_.score) return score;
    if (keys_.rank && name == *keys_.rank) return rank;
    return other;
  }

  static std::string_view& value_of(TableRow& row, Role role) {
    return role == query      ? row.query
           : role == document ? row.document
           : role == score    ? row.score
                              : row.rank;
  }

  // In the window, as ids must stay as long as their list does.
  void unescape_in_place(std::string_view& value) {
    char* const begin = window_.writable(value.data());
    value = {begin, static_cast<std::size_t>(unescape(begin, begin + value.size()) - begin)};
  }

  // A string or a number: whole, where it is an id.
  const char* read_value(const char* p, Role role, TableRow& row) {
    std::string_view& value = value_of(row, role);
    if (*p == '"') {
      bool escaped = false;
      const char* const next = steps_.past_string(++p, escaped);
      value = {p, static_cast<std::size_t>(next - 1 - p)};
      escaped_ |= unsigned{escaped} << role;
      return next;
    }
    bool whole = false;
    const char* const next = past_number(p, whole);
    value = {p, static_cast<std::size_t>(next - p)};
    // Others are written anew before they count as text.
    if (role <= document && (!whole || value.size() > 18 || value.starts_with("-0")))
      throw Unlike{};
    return next;
  }

  const JsonLines::Keys& keys_;
  Window& window_;
  unsigned wanted_ = 0;
  unsigned escaped_ = 0;  // which values hold escapes
  JsonSteps steps_;
  std::vector<Key> before_;
};

}  // namespace

JsonLines::JsonLines(Keys keys)
    : TableFormat({keys.score.has_value(), keys.rank.has_value()}), keys_(std::move(keys)) {
  if (!keys_.score && !keys_.rank) throw InputError("native.there-is-no");
}

const char* JsonLines::first_row(Window& window) const {
  const std::string_view text(window.begin(),
                              static_cast<std::size_t>(window.end() - window.begin()));
  return window.begin() + (text.starts_with("\xef\xbb\xbf") ? 3 : 0);
}

void JsonLines::scan(TableScanner& scanner, const char* p) const {
  Window& window = scanner.window;
  scanner.place_stop();
  ObjectReader reader(keys_, window);
  for (;;) {
    scanner.at = p;
    const auto* end =
        static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(window.end() - p)));
    if (end == nullptr) {
      refuse_long_line(static_cast<std::size_t>(window.end() - p));
      if (!window.ended()) {
        p = scanner.refill(p);
        continue;
      }
      if (p == window.end()) break;
      end = window.end();
    }
    TableRow row;
    if (reader.read(p, end, row) && !scanner.take(p, row)) return;
    p = end == window.end() ? end : end + 1;
  }
  scanner.finish();
}

}  // namespace relyon
