#include "cores.hpp"

#include <algorithm>
#include <fstream>
#include <string>
#include <thread>

#include "environment.hpp"

#ifdef __linux__
#include <sched.h>
#endif

namespace relyon {
namespace {

constexpr int most_threads = 256;

#ifdef __linux__

// Of the process; 0 where the system does not say.
int affinity_cores() {
  // Machines may have more cores than a `cpu_set_t` has places.
  constexpr int places = 1 << 14;
  cpu_set_t* const set = CPU_ALLOC(places);
  if (set == nullptr) return 0;
  const std::size_t size = CPU_ALLOC_SIZE(places);
  CPU_ZERO_S(size, set);
  const int count = ::sched_getaffinity(0, size, set) == 0 ? CPU_COUNT_S(size, set) : 0;
  CPU_FREE(set);
  return count;
}

// The cores that one control group grants; `most_threads` where it sets no limit.
int granted_cores(const std::string& folder) {
  double quota = 0, period = 0;
  std::ifstream limit(folder + "/cpu.max");  // version 2: "max 100000" or "150000 100000"
  if (!(limit >> quota >> period)) {
    std::ifstream quotas(folder + "/cpu.cfs_quota_us"), periods(folder + "/cpu.cfs_period_us");
    if (!(quotas >> quota) || !(periods >> period)) return most_threads;
  }
  if (!(quota > 0) || !(period > 0)) return most_threads;
  return std::max(1, static_cast<int>(std::min(quota / period, double{most_threads})));
}

// The least that the process's control group and those above it grant.
int control_group_cores() {
  int least = most_threads;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    // "0::/path" in version 2, "7:cpu,cpuacct:/path" in version 1.
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && ("," + controllers + ",").find(",cpu,") == std::string::npos)
      continue;
    const std::string root = controllers.empty() ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu";
    for (std::string path = line.substr(second + 1);; path.resize(path.rfind('/'))) {
      least = std::min(least, granted_cores(root + path));
      if (path.find('/') == std::string::npos) break;
    }
  }
  return least;
}

#endif

int usable_cores() {
  int cores = 0;
#ifdef __linux__
  cores = affinity_cores();
#endif
  if (cores <= 0) cores = static_cast<int>(std::thread::hardware_concurrency());
#ifdef __linux__
  cores = std::min(cores, control_group_cores());
#endif
  return std::max(1, cores);
}

}  // namespace

int thread_count(int asked) {
  if (asked <= 0) {
    asked = static_cast<int>(
        std::min<std::uint64_t>(environment_number("RELYON_THREADS"), most_threads));
  }
  if (asked <= 0) {
    static const int cores = usable_cores();
    asked = cores;
  }
  return std::min(asked, most_threads);
}

}  // namespace relyon
