// How many threads work.
#pragma once

namespace relyon {

// As many as asked for; for 0, RELYON_THREADS or all cores that this process may use: those of its
// affinity, and no more than its control group grants. At most 256.
int thread_count(int asked);

}  // namespace relyon
