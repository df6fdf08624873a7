// Vectors of very many numbers in huge pages, where the system has them: thousands of page faults
// become one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace relyon {

template <class Value>
class HugeAllocator {
 public:
  using value_type = Value;

  HugeAllocator() = default;
  template <class Other>
  HugeAllocator(const HugeAllocator<Other>&) {}  // NOLINT(google-explicit-constructor)

  Value* allocate(std::size_t count) {
    const std::size_t size = count * sizeof(Value);
#ifdef __linux__
    if (size >= large) {
      const std::size_t whole = (size + page - 1) / page * page;
      void* memory = std::aligned_alloc(page, whole);
      if (memory == nullptr) throw std::bad_alloc();
      madvise(memory, whole, MADV_HUGEPAGE);  // a wish: without it the pages are small
      return static_cast<Value*>(memory);
    }
#endif
    void* memory = std::malloc(size);
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<Value*>(memory);
  }

  void deallocate(Value* memory, std::size_t) { std::free(memory); }

  template <class Other>
  bool operator==(const HugeAllocator<Other>&) const {
    return true;
  }

 private:
  static constexpr std::size_t page = std::size_t{2} << 20;
  static constexpr std::size_t large = std::size_t{8} << 20;
};

template <class Value>
using HugeVector = std::vector<Value, HugeAllocator<Value>>;

// Gives a plain vector a new size; where that takes new memory of very many numbers, and the system
// has huge pages, it is of those.
template <class Value>
void resize_huge(std::vector<Value>& values, std::size_t size) {
#ifdef __linux__
  constexpr std::size_t page = std::size_t{2} << 20;
  if (size > values.capacity() && size * sizeof(Value) >= 4 * page) {
    values.reserve(size);
    const auto start = reinterpret_cast<std::uintptr_t>(values.data());
    const std::uintptr_t first = (start + page - 1) / page * page;
    const std::uintptr_t last = (start + size * sizeof(Value)) / page * page;
    madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);  // a wish
  }
#endif
  values.resize(size);
}

}  // namespace relyon
