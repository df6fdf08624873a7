#ifdef _WIN32
#define NOMINMAX
#include <windows.h>
#else
#include <sys/mman.h>
#endif

#include "letor.hpp"

namespace relyon::letor {

#ifdef _WIN32

void* take_pages(std::size_t bytes) {
  void* got = ::VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
  if (got == nullptr) throw std::bad_alloc();
  return got;
}

void give_back_pages(void* pages, std::size_t) noexcept { ::VirtualFree(pages, 0, MEM_RELEASE); }

#else

void* take_pages(std::size_t bytes) {
  void* got = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (got == MAP_FAILED) throw std::bad_alloc();
  return got;
}

void give_back_pages(void* pages, std::size_t bytes) noexcept { ::munmap(pages, bytes); }

#endif

}  // namespace relyon::letor
