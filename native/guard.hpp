// The lock of an object that threads of Python share while it is filled.
#pragma once

#include <nanobind/nanobind.h>

#include <mutex>
#include <shared_mutex>
#include <stdexcept>

namespace relyon {

// Changes run one at a time, readers beside each other. All release the GIL before they wait for
// the lock: a thread that waits for the lock while it has the GIL would stop the one that has it.
class Guard {
 public:
  template <class Work>
  auto read(const Work& work) const {
    const nanobind::gil_scoped_release released;
    const std::shared_lock lock(mutex_);
    return work();
  }

  template <class Work>
  auto change(const Work& work) {
    const nanobind::gil_scoped_release released;
    const std::unique_lock lock(mutex_);
    refuse_finished();
    return work();
  }

  // The last change.
  template <class Work>
  auto finish(const Work& work) {
    const nanobind::gil_scoped_release released;
    const std::unique_lock lock(mutex_);
    refuse_finished();
    finished_ = true;
    return work();
  }

 private:
  void refuse_finished() const {
    if (finished_) throw std::logic_error("nothing can be added after finish()");
  }

  mutable std::shared_mutex mutex_;
  bool finished_ = false;
};

}  // namespace relyon
