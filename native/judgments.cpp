#include "judgments.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "error.hpp"
#include "text.hpp"

namespace relkit {

std::string_view Arena::keep(std::string_view text) {
  constexpr std::size_t block = std::size_t{1} << 16;
  if (size_ - used_ < text.size() || blocks_.empty()) {
    size_ = std::max(block, text.size());
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(size_));
    used_ = 0;
  }
  char* place = blocks_.back().get() + used_;
  if (!text.empty()) std::memcpy(place, text.data(), text.size());
  used_ += text.size();
  return {place, text.size()};
}

std::uint32_t Index::find(std::string_view id) const {
  if (slots_.empty()) return none;
  const std::uint64_t hash = hash_bytes(id);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash & mask;; slot = (slot + 1) & mask) {
    const std::uint32_t entry = slots_[slot];
    if (entry == none) return none;
    if (hashes_[entry] == hash && ids_[entry] == id) return entry;
  }
}

std::uint32_t Index::insert(std::string_view id, Arena& arena) {
  if (ids_.size() * 2 >= slots_.size()) grow();
  const std::uint64_t hash = hash_bytes(id);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash & mask;; slot = (slot + 1) & mask) {
    const std::uint32_t entry = slots_[slot];
    if (entry == none) {
      slots_[slot] = static_cast<std::uint32_t>(ids_.size());
      ids_.push_back(arena.keep(id));
      hashes_.push_back(hash);
      return slots_[slot];
    }
    if (hashes_[entry] == hash && ids_[entry] == id) return entry;
  }
}

void Index::grow() {
  const std::size_t size = std::max<std::size_t>(16, slots_.size() * 2);
  slots_.assign(size, none);
  for (std::uint32_t entry = 0; entry < ids_.size(); ++entry) {
    std::size_t slot = hashes_[entry] & (size - 1);
    while (slots_[slot] != none) slot = (slot + 1) & (size - 1);
    slots_[slot] = entry;
  }
}

void JudgmentTable::add(std::string_view query, std::string_view document, double grade,
                        std::uint64_t row) {
  if (last_ == Index::none || index_.id(last_) != query) {
    last_ = index_.insert(query, arena_);
    if (last_ == queries_.size()) queries_.emplace_back();
  }
  queries_[last_].documents.push_back({arena_.keep(document), grade, row});
}

void JudgmentTable::finish(const std::string& path) {
  highest = std::numeric_limits<double>::quiet_NaN();
  for (std::uint32_t number = 0; number < queries_.size(); ++number) {
    Query& query = queries_[number];
    // Sparse, because nearly all look-ups are of documents that are not there.
    std::size_t size = 64;
    while (size < query.documents.size() * 8) size *= 2;
    query.slots.assign(size, 0);
    std::size_t kept = 0;
    for (std::size_t place = 0; place < query.documents.size(); ++place) {
      const Judged& judged = query.documents[place];
      const std::uint64_t hash = hash_bytes(judged.document);
      if (const Judged* first = query.find(judged.document, hash)) {
        if (first->grade == judged.grade) {
          ++duplicates;
          continue;
        }
        std::string message = "two grades for query `" + excerpt(index_.id(number)) + "`, document `" +
                              excerpt(judged.document) + "`: ";
        if (path.empty()) {
          message += "rows " + std::to_string(first->row) + " and " + std::to_string(judged.row);
        } else {
          message += "the other is in line " + std::to_string(first->row);
        }
        throw InputError(message,
                         path, judged.row, "keep one of them");
      }
      std::size_t slot = hash & (size - 1);
      while (query.slots[slot] != 0) slot = (slot + 1) & (size - 1);
      query.documents[kept] = judged;
      query.slots[slot] = (hash & 0xffffffff00000000ULL) | (++kept);
    }
    query.documents.resize(kept);
    query.documents.shrink_to_fit();
    query.grades.reserve(kept);
    for (const Judged& judged : query.documents) {
      query.grades.push_back(judged.grade);
      if (judged.grade < 0) ++negatives;
      if (judged.grade != std::floor(judged.grade)) fractional = true;
      if (!(judged.grade <= highest)) highest = judged.grade;
    }
    std::sort(query.grades.begin(), query.grades.end(), std::greater<>());
    rows += kept;
  }
}

}  // namespace relkit
