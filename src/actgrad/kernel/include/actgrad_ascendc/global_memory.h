// Global memory (GM): the arguments of the kernel, their bounds, and what each block reads and writes.
//
// Blocks run at the same time, so a byte that one block writes may not be read or written by another block before all
// of them met in SyncAll. We note the ranges of each block and compare them when the blocks meet or end.
#pragma once

#include "clocks.h"

namespace actgrad {

struct Argument {
    uint8_t* data;
    uint64_t bytes;
    bool read_only;
    char name[64];  // for messages: "argument 2", "the workspace", "the tiling data"
};

// `count` pieces of `piece` bytes; each starts `stride` bytes behind the previous one.
struct Pieces {
    int64_t start, piece, stride, count;

    int64_t low() const { return stride < 0 ? start + stride * (count - 1) : start; }
    int64_t high() const { return (stride < 0 ? start : start + stride * (count - 1)) + piece; }
};

struct GmAccess {
    Pieces pieces;
    Where at;
    int32_t argument, block;
    uint32_t number;  // of the instruction
    bool atomic, same;  // same: the bytes held these values already
    uint32_t time = 0;  // of its block (BlockTimes)
};

// The order that IBSet and IBWait make between blocks. Each of these calls starts a new time of its block. A block that
// waits learns what the block that set the flag knew.
struct BlockTimes {
    std::vector<uint32_t> now;                            // of each block
    std::vector<std::vector<std::vector<uint32_t>>> known;  // block, its time -> the times of all blocks that are past
};

class GlobalMemory {
public:
    std::vector<Argument> arguments;
    bool is_complete = true;  // each pointer of the kernel points into an argument

    void add(uint8_t* data, uint64_t bytes, bool read_only, const char* name)
    {
        Argument argument{data, bytes, read_only, {}};
        for (size_t i = 0; i + 1 < sizeof argument.name && name[i] != 0; ++i) argument.name[i] = name[i];
        arguments.push_back(argument);
    }
    // The argument that a pointer belongs to: the last one that does not start behind it.
    int find(const void* pointer) const;
    // Notes an access of the running block.
    void note_read(const GmAccess& access) { note(reads_, latest_read_, access); }
    void note_write(const GmAccess& access) { note(writes_, latest_write_, access); }
    // IBSet: what the block knows now, for a block that waits. IBWait: the block learns it.
    std::vector<uint32_t> tell(int64_t block, int64_t blocks);
    void learn(int64_t block, const std::vector<uint32_t>& told);
    void forget_times() { times_ = BlockTimes(); }
    // All blocks have met, or the run has ended: what they did since the last time must not collide.
    void compare_blocks();

private:
    void note(std::vector<GmAccess>& list, std::vector<int>& latest, GmAccess access);
    bool is_ordered(const GmAccess& a, const GmAccess& b) const;
    void collide(const struct Interval& write, const struct Interval& other) const;
    void sweep(const std::vector<struct Interval>& intervals) const;

    std::vector<GmAccess> reads_, writes_;
    std::vector<int> latest_read_, latest_write_;  // by argument: the last access in the list
    BlockTimes times_;
};
inline GlobalMemory memory;

}  // namespace actgrad
