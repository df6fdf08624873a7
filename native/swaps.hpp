// What a measure changes by when two documents of a ranked list trade places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "parameters.hpp"

namespace relyon {

// Working memory of one thread, filled anew for each list.
struct SwapRoom {
  std::vector<double> before;   // what stands above each rank, as the measure counts it
  std::vector<double> reached;  // sums down to each rank
};

// A list as a measure sees it: what each document is worth, in ranked order.
struct SwapList {
  std::span<const double> worths;
  double scale = 0.0;  // of `Swaps::scale`
};

// The changes of one measure. Immutable: shared by threads.
class Swaps {
 public:
  virtual ~Swaps() = default;

  // What a label is worth: of two documents the one that is worth more belongs above.
  virtual double worth(double label) const = 0;
  // What the labels of a list alone decide and every change is multiplied by, such as one over the
  // ideal sum; 0 where no order of the list is better than another. `worths` descend.
  virtual double scale(std::span<const double> worths) const = 0;
  // How many of the first ranks must hold one of two documents for their swap to change anything.
  virtual std::size_t window() const { return std::numeric_limits<std::size_t>::max(); }
  // Prepares a list.
  virtual void begin(const SwapList&, SwapRoom&) const {}
  // The size of the change for the documents at `rank` and each later one, both from 0:
  // changes[j] for j from rank + 1 on.
  virtual void fill(const SwapList& list, std::size_t rank, const SwapRoom& room,
                    double* changes) const = 0;
};

// Throws InputError for a measure whose changes are not known, and for one that no order changes.
// `uncut`: ranks beyond the cutoff of (N)DCG keep their discount in pairs with a document inside,
// while the ideal list is cut.
std::unique_ptr<Swaps> make_swaps(Parameters parameters, bool uncut);

// One a family; nullptr where the name is not theirs.
std::unique_ptr<Swaps> make_gain_swaps(Parameters& parameters, bool uncut);
std::unique_ptr<Swaps> make_binary_swaps(Parameters& parameters);
std::unique_ptr<Swaps> make_cascade_swaps(Parameters& parameters);
std::unique_ptr<Swaps> make_pair_swaps(Parameters& parameters);

}  // namespace relyon
