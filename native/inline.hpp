// Functions on the way of every line, worth a copy in each place that calls them.
#pragma once

#if defined(__GNUC__)
#define RELYON_INLINE __attribute__((always_inline)) inline
#else
#define RELYON_INLINE inline
#endif
