// Things known by their hashes to consecutive numbers.
#pragma once

#include <cstdint>
#include <vector>

namespace relyon {

class Numbers {
 public:
  std::size_t size() const { return hashes_.size(); }
  std::uint64_t hash(std::uint32_t number) const { return hashes_[number]; }

  // The number of the thing with this hash for which `same(number)` holds, else a new number:
  // `size()` has then grown.
  template <class Same>
  std::uint32_t number(std::uint64_t hash, const Same& same) {
    if (4 * (hashes_.size() + 1) > 3 * slots_.size()) grow();
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash & mask;
    for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
      if (((slots_[slot] ^ hash) >> 32) != 0) continue;
      const auto found = static_cast<std::uint32_t>(slots_[slot]) - 1;
      if (hashes_[found] == hash && same(found)) return found;
    }
    const auto fresh = static_cast<std::uint32_t>(hashes_.size());
    hashes_.push_back(hash);
    slots_[slot] = entry(hash, fresh);
    return fresh;
  }

  // Forgets how to find a number; the hashes stay, in a new order: that of `order`.
  void close(const std::vector<std::uint32_t>& order) {
    slots_ = {};
    std::vector<std::uint64_t> hashes;
    hashes.reserve(order.size());
    for (const std::uint32_t number : order) hashes.push_back(hashes_[number]);
    hashes_ = std::move(hashes);
  }

 private:
  static std::uint64_t entry(std::uint64_t hash, std::uint32_t number) {
    return (hash & 0xffffffff00000000ULL) | (std::uint64_t{number} + 1);
  }

  void grow() {
    const std::size_t size = slots_.empty() ? 64 : 2 * slots_.size();
    slots_.assign(size, 0);
    for (std::uint32_t number = 0; number < hashes_.size(); ++number) {
      std::size_t slot = hashes_[number] & (size - 1);
      while (slots_[slot] != 0) slot = (slot + 1) & (size - 1);
      slots_[slot] = entry(hashes_[number], number);
    }
  }

  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint64_t> slots_;  // half a hash in the upper half, number + 1 in the lower
};

}  // namespace relyon
