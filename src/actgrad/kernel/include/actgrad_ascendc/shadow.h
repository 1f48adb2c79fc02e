// What the checks remember about each block of 32 bytes in UB.
//
// defined: a bit for each byte that holds a value. A copy, a vector call and SetValue define bytes; AllocTensor and
// InitBuffer take the definition away. A result is defined where all its operands are. Reading undefined bytes is
// allowed, because kernels compute on the rest of a block; they must not reach global memory.
//
// Compare writes a bit for each element. A byte of bits with and without a value is undefined, and `partial` has the
// bits with a value, for Select and for calls on bits.
//
// The other words hold the number of the last instruction of a pipe that wrote or read the block (clocks.h).
#pragma once

#include "clocks.h"

namespace actgrad {

constexpr uint32_t block_bytes = 32;
constexpr uint32_t arena_bytes = 1u << 20;  // more than any UB, so that a kernel may go on after ub-capacity
constexpr uint32_t arena_blocks = arena_bytes / block_bytes;

struct Shadow {
    uint32_t defined[arena_blocks];
    uint32_t v_wrote[arena_blocks], mte2_wrote[arena_blocks];
    uint32_t v_read[arena_blocks], mte3_read[arena_blocks];
    Where origin[arena_blocks];  // of undefined bytes: the first call that read them
    uint8_t partial[arena_bytes];
    bool has_origins, has_partial;  // since the block has started

    // The next block starts. What the pipes did is past for it: instructions go on counting.
    void start_block(uint32_t bytes)
    {
        if (has_origins) std::memset(static_cast<void*>(origin), 0, (bytes / block_bytes + 1) * sizeof(Where));
        if (has_partial) std::memset(partial, 0, bytes);
        has_origins = has_partial = false;
    }

    void set_origin(uint32_t address, Where at)
    {
        has_origins = true;
        origin[address / block_bytes] = at;
    }
    // The bits of a byte that have a value.
    uint8_t bits_of_byte(uint32_t address) const
    {
        const bool whole = defined[address / block_bytes] >> address % block_bytes & 1;
        return whole ? 0xFF : has_partial ? partial[address] : 0;
    }
    void define_bits(uint32_t address, uint8_t with_value)
    {
        define(address, 1, with_value == 0xFF);
        if (with_value == 0xFF) return;
        has_partial = true;
        partial[address] = with_value;
    }

    // Bits of the bytes [from, to) of one block.
    static uint32_t bits(uint32_t from, uint32_t to)
    {
        return static_cast<uint32_t>(((uint64_t{1} << (to - from)) - 1) << from);
    }

    template <class F>  // f(block, bits) for each block of [address, address + bytes)
    static void for_blocks(uint32_t address, uint32_t bytes, F f)
    {
        const uint32_t end = address + bytes;
        while (address < end) {
            const uint32_t first = address % block_bytes;
            const uint32_t last = std::min(block_bytes, first + (end - address));
            f(address / block_bytes, bits(first, last));
            address += last - first;
        }
    }

    bool is_defined(uint32_t address, uint32_t bytes) const
    {
        const uint32_t first = address / block_bytes, past = (address + bytes) / block_bytes;
        if (address % block_bytes == 0) {  // whole blocks quickly
            uint32_t all = ~0u;
            for (uint32_t block = first; block < past; ++block) all &= defined[block];
            const uint32_t rest = (address + bytes) % block_bytes;
            return all == ~0u && (rest == 0 || (~defined[past] & bits(0, rest)) == 0);
        }
        bool all = true;
        for_blocks(address, bytes, [&](uint32_t block, uint32_t wanted) { all &= (~defined[block] & wanted) == 0; });
        return all;
    }

    void define(uint32_t address, uint32_t bytes, bool is_value = true)
    {
        if (has_partial && !is_value) std::memset(partial + address, 0, bytes);
        for_blocks(address, bytes, [&](uint32_t block, uint32_t changed) {
            defined[block] = is_value ? defined[block] | changed : defined[block] & ~changed;
        });
    }
};

inline bool any_above(const uint32_t* numbers, uint32_t from, uint32_t to, uint32_t known)
{
    uint32_t most = 0;
    for (uint32_t block = from; block < to; ++block) most = most < numbers[block] ? numbers[block] : most;
    return most > known;
}

inline void fill(uint32_t* numbers, uint32_t from, uint32_t to, uint32_t number)
{
    for (uint32_t block = from; block < to; ++block) numbers[block] = number;
}

}  // namespace actgrad
