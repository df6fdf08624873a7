// Parts of one input shared out to threads, and their results put together in input order.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <vector>

#include "batch.hpp"
#include "cores.hpp"
#include "judgments.hpp"
#include "plan.hpp"

namespace relyon {

// Threads that `each_part` uses at most for so many parts.
inline std::size_t worker_count(std::size_t parts, int threads) {
  return parts <= 1 ? parts : std::min(parts, static_cast<std::size_t>(thread_count(threads)));
}

// The size of one part: `usual`, or RELYON_STRETCH, with which tests make small inputs have many.
std::uint64_t stretch_size(std::uint64_t usual);

// Threads that are joined at the end. (Apple's library has no std::jthread yet.)
class Threads {
 public:
  // `workers` counts the calling thread.
  explicit Threads(std::size_t workers) : most_(workers > 1 ? workers - 1 : 0) {
    threads_.reserve(most_);
  }
  ~Threads() {
    for (std::thread& thread : threads_) thread.join();
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  // Calls loop(1), loop(2), …, each on a thread of its own; on fewer if the machine gives no more.
  template <class Loop>
  void start(const Loop& loop) {
    try {
      while (threads_.size() < most_) threads_.emplace_back(std::cref(loop), threads_.size() + 1);
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
  }

 private:
  std::size_t most_;
  std::vector<std::thread> threads_;
};

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
  {
    Threads pool(worker_count(parts, threads));
    pool.start(loop);
    loop(0);
  }
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
