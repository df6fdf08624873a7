// Notices ids that come twice in one list, by half of their hashes.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "hash.hpp"
#include "inline.hpp"

namespace relyon {

class Seen {
 public:
  // Forgets every id. The lists of a run have much the same length, so that the room for the last
  // one, of `rows` ids, will mostly do.
  void begin(std::uint32_t rows) {
    if (rows > 0) {
      slots_ = 64;
      while (slots_ < 4 * std::uint64_t{rows}) slots_ *= 2;
    }
    clear();
    suspect_ = false;
  }

  // Adds the id that makes `rows` of them; `hash_of(row)` gives the hash of an earlier one.
  template <class HashOf>
  RELYON_INLINE void add(std::uint64_t hash, std::uint32_t rows, const HashOf& hash_of) {
    if (2 * std::uint64_t{rows} > slots_) grow(rows, hash_of);
    const std::uint32_t tag = tag_of(hash);
    std::size_t slot = hash & (slots_ - 1);
    while (tags_[slot] != 0) {
      suspect_ |= tags_[slot] == tag;
      slot = (slot + 1) & (slots_ - 1);
    }
    tags_[slot] = tag;
  }

  // Whether an id may have come twice; where this is false, none has.
  bool suspect() const { return suspect_; }

 private:
  static std::uint32_t tag_of(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash >> 32) | 1;
  }

  void clear() {
    if (tags_.size() < slots_) tags_.resize(slots_);
    std::memset(tags_.data(), 0, slots_ * sizeof(tags_[0]));
  }

  template <class HashOf>
  void grow(std::uint32_t rows, const HashOf& hash_of) {
    slots_ *= 2;
    clear();
    for (std::uint32_t row = 0; row + 1 < rows; ++row) {
      const std::uint64_t hash = hash_of(row);
      std::size_t slot = hash & (slots_ - 1);
      while (tags_[slot] != 0) slot = (slot + 1) & (slots_ - 1);
      tags_[slot] = tag_of(hash);
    }
  }

  std::vector<std::uint32_t> tags_;  // 0: free
  std::size_t slots_ = 64;           // ... of which so many are in use
  bool suspect_ = false;
};

// The same for ids of which nothing else is kept.
class Distinct {
 public:
  void begin() {
    seen_.begin(static_cast<std::uint32_t>(hashes_.size()));
    hashes_.clear();
  }

  void add(std::string_view id) {
    const std::uint64_t hash = hash_bytes(id);
    hashes_.push_back(hash);
    seen_.add(hash, static_cast<std::uint32_t>(hashes_.size()),
              [this](std::uint32_t row) { return hashes_[row]; });
  }

  bool suspect() const { return seen_.suspect(); }

 private:
  Seen seen_;
  std::vector<std::uint64_t> hashes_;
};

}  // namespace relyon
