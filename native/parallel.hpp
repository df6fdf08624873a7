// Parts of one input shared out to threads, and their results put together in input order.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <vector>

#include "batch.hpp"
#include "judgments.hpp"
#include "plan.hpp"

namespace relyon {

// Threads to use: as asked, or RELYON_THREADS, or one a processor up to 8.
int thread_count(int asked);

// Threads that `each_part` uses at most for so many parts.
inline std::size_t worker_count(std::size_t parts, int threads) {
  return std::min(parts, static_cast<std::size_t>(thread_count(threads)));
}

// The size of one part: `usual`, or RELYON_STRETCH, with which tests make small inputs have many.
std::uint64_t stretch_size(std::uint64_t usual);

// Calls work(part) for every part, each on some thread, or work(worker, part) with the number of
// that thread. The error of the first part that has one is thrown, so that the same error comes out
// for any number of threads.
template <class Work>
void each_part(std::size_t parts, int threads, const Work& work) {
  std::vector<std::exception_ptr> errors(parts);
  std::atomic<std::size_t> next{0};
  // Parts are begun in order: when one fails, those before it have begun, and the first error is
  // known.
  std::atomic<bool> failed{false};
  const auto loop = [&](std::size_t worker) {
    for (std::size_t part; !failed && (part = next.fetch_add(1)) < parts;) {
      try {
        if constexpr (std::is_invocable_v<Work, std::size_t, std::size_t>) {
          work(worker, part);
        } else {
          work(part);
        }
      } catch (...) {
        errors[part] = std::current_exception();
        failed = true;
      }
    }
  };
  std::vector<std::thread> pool;
  const std::size_t workers = worker_count(parts, threads);
  try {
    while (pool.size() + 1 < workers) pool.emplace_back(loop, pool.size() + 1);
  } catch (const std::system_error&) {
    // The machine gives no more threads: those there are do the work.
  }
  loop(0);
  for (std::thread& thread : pool) thread.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

// What one part of a run gave.
struct Stretch {
  Batch batch;
  std::vector<std::uint32_t> groups;  // judged queries met, in order
  std::vector<std::string> unjudged;  // other queries met, in order
  std::uint64_t rows = 0;
};

// Joins the parts of a run and adds the judged queries that it lacks. False, with `whole`
// undefined, where the rows of a judged query are not together.
bool join(std::vector<Stretch>& stretches, const JudgmentTable& judgments, const Plan& plan,
          Batch& whole);

}  // namespace relyon
