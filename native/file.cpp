#include <fcntl.h>
#include <sys/stat.h>
#ifdef _WIN32
#define NOMINMAX
#include <io.h>
#include <windows.h>

#include <algorithm>
#include <filesystem>
#else
#include <unistd.h>
#endif

#include <cerrno>
#include <system_error>

#include "text.hpp"

namespace relyon {
namespace {

#ifdef _WIN32

using Status = struct _stat64;

int open_to_read(const std::string& path) {
  const auto* bytes = reinterpret_cast<const char8_t*>(path.data());
  const std::filesystem::path name(bytes, bytes + path.size());
  return ::_wopen(name.c_str(), _O_RDONLY | _O_BINARY | _O_NOINHERIT);
}

int status_of(int handle, Status& status) { return ::_fstat64(handle, &status); }
bool is_directory(const Status& status) { return (status.st_mode & _S_IFMT) == _S_IFDIR; }
bool is_regular(const Status& status) { return (status.st_mode & _S_IFMT) == _S_IFREG; }
void close_file(int handle) { ::_close(handle); }

std::ptrdiff_t read_some(int handle, char* into, std::size_t size) {
  return ::_read(handle, into, static_cast<unsigned>(std::min(size, std::size_t{1} << 30)));
}

// ReadFile at a place of its own does what pread does.
std::ptrdiff_t read_at(int handle, char* into, std::size_t size, std::uint64_t from) {
  OVERLAPPED place{};
  place.Offset = static_cast<DWORD>(from);
  place.OffsetHigh = static_cast<DWORD>(from >> 32);
  const auto wanted = static_cast<DWORD>(std::min(size, std::size_t{1} << 30));
  DWORD got = 0;
  const HANDLE file = reinterpret_cast<HANDLE>(::_get_osfhandle(handle));
  if (::ReadFile(file, into, wanted, &got, &place)) return static_cast<std::ptrdiff_t>(got);
  if (::GetLastError() == ERROR_HANDLE_EOF) return 0;
  errno = EIO;
  return -1;
}

#else

using Status = struct stat;

int open_to_read(const std::string& path) { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }
int status_of(int handle, Status& status) { return ::fstat(handle, &status); }
bool is_directory(const Status& status) { return S_ISDIR(status.st_mode); }
bool is_regular(const Status& status) { return S_ISREG(status.st_mode); }
void close_file(int handle) { ::close(handle); }

std::ptrdiff_t read_some(int handle, char* into, std::size_t size) {
  return ::read(handle, into, size);
}

std::ptrdiff_t read_at(int handle, char* into, std::size_t size, std::uint64_t from) {
  return ::pread(handle, into, size, static_cast<off_t>(from));
}

#endif

}  // namespace

File::File(const std::string& path) : path_(path), handle_(open_to_read(path)) {
  if (handle_ < 0) {
    const int reason = errno;
    if (reason == ENOENT) throw InputError("measures.no-such-file", path, 0, "native.check-path");
    throw InputError(Sentence("native.cannot-be-opened",
                              {{"error", Sentence(std::generic_category().message(reason))}}),
                     path);
  }
  Status status{};
  if (status_of(handle_, status) != 0) {
    const int reason = errno;
    close_file(handle_);
    throw InputError(Sentence("core.cannot-be-read",
                              {{"error", Sentence(std::generic_category().message(reason))}}),
                     path);
  }
  if (is_directory(status)) {
    close_file(handle_);
    throw InputError("native.is-directory", path, 0, "io.name-file");
  }
  regular_ = is_regular(status);
  size_ = static_cast<std::uint64_t>(status.st_size);
  if (regular_ && size_ == 0) {
    close_file(handle_);
    throw InputError("native.file-is-empty", path);
  }
}

File::~File() { close_file(handle_); }

std::size_t File::read(char* into, std::size_t size, std::uint64_t from) const {
  for (;;) {
    const std::ptrdiff_t got =
        regular_ ? read_at(handle_, into, size, from) : read_some(handle_, into, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR)
      throw InputError(Sentence("core.cannot-be-read",
                                {{"error", Sentence(std::generic_category().message(errno))}}),
                       path_);
  }
}

}  // namespace relyon
