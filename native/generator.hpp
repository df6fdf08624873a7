// Random numbers of which every resample has its own series: the same ones on any machine.
#pragma once

#include <cstdint>

namespace relyon {

// Steele, Lea and Flood (2014), "Fast splittable pseudorandom number generators".
constexpr std::uint64_t split_mix(std::uint64_t& state) {
  std::uint64_t mixed = state += 0x9e3779b97f4a7c15;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

constexpr std::uint64_t rotate(std::uint64_t bits, int by) {
  return (bits << by) | (bits >> (64 - by));
}

// xoshiro256++ of Blackman and Vigna (2021), "Scrambled linear pseudorandom number generators".
struct Generator {
  std::uint64_t s0, s1, s2, s3;

  Generator() = default;

  // The generator of one resample of one series.
  Generator(std::uint64_t seed, std::uint64_t resample) {
    std::uint64_t state = seed;
    state = split_mix(state) ^ resample;
    state = split_mix(state);
    s0 = split_mix(state);
    s1 = split_mix(state);
    s2 = split_mix(state);
    s3 = split_mix(state);
  }

  std::uint64_t next() {
    const std::uint64_t result = rotate(s0 + s3, 23) + s0;
    const std::uint64_t shifted = s1 << 17;
    s2 ^= s0;
    s3 ^= s1;
    s1 ^= s2;
    s0 ^= s3;
    s2 ^= shifted;
    s3 = rotate(s3, 45);
    return result;
  }
};

// Whole numbers below a bound, each equally likely (Lemire 2019, "Fast random integer generation in
// an interval").
class Below {
 public:
  explicit Below(Generator generator) : generator_(generator) {}

  std::uint32_t operator()(std::uint32_t bound) {
    std::uint64_t product = std::uint64_t{half()} * bound;
    if (static_cast<std::uint32_t>(product) < bound) {
      const std::uint32_t least = (0u - bound) % bound;
      while (static_cast<std::uint32_t>(product) < least) product = std::uint64_t{half()} * bound;
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

 private:
  std::uint32_t half() {
    if (!kept_) {
      bits_ = generator_.next();
      kept_ = true;
      return static_cast<std::uint32_t>(bits_);
    }
    kept_ = false;
    return static_cast<std::uint32_t>(bits_ >> 32);
  }

  Generator generator_;
  std::uint64_t bits_ = 0;
  bool kept_ = false;
};

}  // namespace relyon
