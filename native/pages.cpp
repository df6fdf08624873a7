#ifdef _WIN32
#define NOMINMAX
#include <windows.h>
#else
#include <sys/mman.h>
#endif

#include "letor.hpp"

namespace relyon::letor {

#ifdef _WIN32

void* take_pages(std::size_t bytes, Filled) {
  void* got = ::VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
  if (got == nullptr) throw std::bad_alloc();
  return got;
}

void give_back_pages(void* pages, std::size_t) noexcept { ::VirtualFree(pages, 0, MEM_RELEASE); }

#else

// A page fault costs several times what clearing a page does.
void* take_pages(std::size_t bytes, [[maybe_unused]] Filled filled) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#ifdef __linux__
  if (filled == Filled::at_once) flags |= MAP_POPULATE;
#endif
  void* got = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (got == MAP_FAILED) throw std::bad_alloc();
#ifdef __linux__
  constexpr std::size_t large = std::size_t{8} << 20;
  if (filled == Filled::slowly && bytes >= large)
    ::madvise(got, bytes, MADV_HUGEPAGE);  // a wish: without it the pages are small
#endif
  return got;
}

void give_back_pages(void* pages, std::size_t bytes) noexcept { ::munmap(pages, bytes); }

#endif

}  // namespace relyon::letor
