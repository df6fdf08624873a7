#include "sha256.hpp"

#include <bit>
#include <cstdint>
#include <cstring>

#include "lanes.hpp"

#ifdef RELYON_X86
#include <cpuid.h>
#endif

namespace relyon {
namespace {

using State = std::uint32_t[8];

alignas(16) constexpr std::uint32_t rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// One block of 64 bytes.
void mix_block(State& state, const char* block) {
  std::uint32_t words[64];
  for (int i = 0; i < 16; ++i) {
    const auto byte = [&](int place) {
      return static_cast<std::uint32_t>(static_cast<unsigned char>(block[4 * i + place]));
    };
    words[i] = byte(0) << 24 | byte(1) << 16 | byte(2) << 8 | byte(3);
  }
  for (int i = 16; i < 64; ++i) {
    const std::uint32_t early = words[i - 15], late = words[i - 2];
    words[i] = words[i - 16] + words[i - 7] +
               (std::rotr(early, 7) ^ std::rotr(early, 18) ^ early >> 3) +
               (std::rotr(late, 17) ^ std::rotr(late, 19) ^ late >> 10);
  }
  std::uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
  std::uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
  for (int i = 0; i < 64; ++i) {
    const std::uint32_t one = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                              ((e & f) ^ (~e & g)) + rounds[i] + words[i];
    const std::uint32_t two =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + one;
    d = c;
    c = b;
    b = a;
    a = one + two;
  }
  const std::uint32_t mixed[8] = {a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; ++i) state[i] += mixed[i];
}

void mix_plainly(State& state, const char* data, std::size_t blocks) {
  for (std::size_t block = 0; block < blocks; ++block) mix_block(state, data + 64 * block);
}

using Mix = void (*)(State&, const char*, std::size_t);

#ifdef RELYON_X86

// The same by the processor's own instructions, four rounds at a time. They take the state as two
// vectors, which list from the highest word ABEF and CDGH.
__attribute__((target("sha,sse4.1"))) void mix_by_instructions(State& state, const char* data,
                                                               std::size_t blocks) {
  const auto vector = [](const void* from) {
    return _mm_loadu_si128(static_cast<const __m128i*>(from));
  };
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  const __m128i badc = _mm_shuffle_epi32(vector(state), 0xb1);
  const __m128i hgfe = _mm_shuffle_epi32(vector(state + 4), 0x1b);
  __m128i abef = _mm_alignr_epi8(badc, hgfe, 8);
  __m128i cdgh = _mm_blend_epi16(hgfe, badc, 0xf0);
  for (std::size_t block = 0; block < blocks; ++block, data += 64) {
    const __m128i first = abef, second = cdgh;
    __m128i words[4];
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) {
      __m128i& word = words[i % 4];
      const __m128i &before = words[(i + 3) % 4], &earlier = words[(i + 2) % 4];
      if (i < 4) {
        word = _mm_shuffle_epi8(vector(data + 16 * i), big_endian);
      } else {
        word = _mm_add_epi32(_mm_sha256msg1_epu32(word, words[(i + 1) % 4]),
                             _mm_alignr_epi8(before, earlier, 4));
        word = _mm_sha256msg2_epu32(word, before);
      }
      const __m128i added = _mm_add_epi32(word, vector(rounds + 4 * i));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, added);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(added, 0x0e));
    }
    abef = _mm_add_epi32(abef, first);
    cdgh = _mm_add_epi32(cdgh, second);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
  const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state), _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

Mix fastest() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  const bool has = __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_SHA) != 0;
  return has && widest_lanes() != Lanes::scalar ? mix_by_instructions : mix_plainly;
}

#else

Mix fastest() { return mix_plainly; }

#endif

}  // namespace

Sha256 sha256(std::string_view bytes) {
  State state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  static const Mix mix = fastest();
  const std::size_t whole = bytes.size() / 64 * 64, rest = bytes.size() - whole;
  mix(state, bytes.data(), whole / 64);
  // What is left, a bit that is set, and the number of bits in the last 8 bytes.
  char last[128] = {};
  if (rest) std::memcpy(last, bytes.data() + whole, rest);
  last[rest] = static_cast<char>(0x80);
  const std::size_t size = rest < 56 ? 64 : 128;
  const std::uint64_t bits = static_cast<std::uint64_t>(bytes.size()) * 8;
  for (int i = 0; i < 8; ++i) last[size - 1 - i] = static_cast<char>(bits >> (8 * i));
  mix(state, last, size / 64);
  Sha256 found;
  for (int i = 0; i < 32; ++i) found[i] = static_cast<char>(state[i / 4] >> (24 - 8 * (i % 4)));
  return found;
}

}  // namespace relyon
