// One core: its UB with buffers and queues, its pipes, flags and masks.
//
// A kernel's own objects (TPipe, TQue, LocalTensor) hold only numbers of what lives here, because kernels copy these
// objects freely. `core` is the core of the block that runs now.
#pragma once

#include "global_memory.h"
#include "params.h"
#include "products.h"
#include "shadow.h"

namespace actgrad {

using AscendC::TPosition;

constexpr uint32_t ub_bytes = ACTGRAD_UB_BYTES;

inline const char* product_name()
{
    return __NPU_ARCH__ == 3510 ? "Ascend950" : __NPU_ARCH__ == 2201 ? "Ascend910B and Ascend910_93" : "Ascend310P";
}

// The choices of the run (see Assumption).
struct Options {
    bool checks = true;
    bool nan_compares_as_ieee = true;  // else a comparison with NaN is true
    bool nan_propagates = true;        // of Max, Min and Relu; else the other operand is the result
    bool keeps_subnormals = true;
    bool half_overflows = true;  // to infinity; else to the largest number, and NaN becomes 0
    uint32_t ub = ub_bytes;
};
inline Options options;

// A tensor in UB, as the checks see it: where it lies, and the buffer that it may not leave.
struct View {
    uint32_t address = 0, bytes = 0;
    uint32_t low = 0, high = 0;  // of its buffer
    uint16_t buffer = 0, generation = 0;
    TPosition position = TPosition::VECCALC;
};

enum class State : uint8_t { free, taken, queued, dead };

struct Buffer {
    uint32_t start = 0, bytes = 0;
    uint16_t generation = 0, queue = 0;  // queue 0: a TBuf
    State state = State::taken;
    Clock clock;  // of the last EnQue or FreeTensor
    Where at = {"", 0}, taken_at = {"", 0};  // of the last change of state, and of AllocTensor
};

struct Queue {
    TPosition source, destination;
    int depth;
    std::vector<uint16_t> buffers;
    std::vector<uint16_t> waiting;
    size_t next = 0;
};

// Accesses to global memory that may still be under way, the oldest one first.
struct Pending {
    std::vector<GmAccess> accesses;
    size_t first = 0;  // those before it have ended

    void clear() { accesses.clear(), first = 0; }
};

// The pipe that fills a buffer at this position, and the pipe that empties it.
inline pipe_t filling_pipe(TPosition position)
{
    switch (position) {
        case TPosition::GM: case TPosition::VECIN: return PIPE_MTE2;
        case TPosition::A1: case TPosition::B1: case TPosition::C1: case TPosition::TSCM: return PIPE_MTE2;
        case TPosition::A2: case TPosition::B2: case TPosition::C2: return PIPE_MTE1;
        case TPosition::CO1: return PIPE_M;
        default: return PIPE_V;
    }
}
inline pipe_t emptying_pipe(TPosition position)
{
    switch (position) {
        case TPosition::GM: case TPosition::VECOUT: return PIPE_MTE3;
        case TPosition::A1: case TPosition::B1: case TPosition::C1: case TPosition::TSCM: return PIPE_MTE1;
        case TPosition::A2: case TPosition::B2: case TPosition::C2: return PIPE_M;
        default: return PIPE_V;
    }
}

struct Flag {
    bool is_set = false;
    Clock clock;
    Where at = {"", 0};
};

class Core {
public:
    static constexpr int events = static_cast<int>(AscendC::HardEvent::MAX), event_ids = 8, cross_core_ids = 16;
    static constexpr int most_buffers = 64, most_queue_buffers = 8;

    int64_t block = 0;
    uint8_t* ub;  // arena_bytes
    Clocks clocks;
    Shadow* shadow;
    std::vector<Buffer> buffers{1};
    std::vector<Queue> queues{1};
    uint32_t used = 0, peak = 0;
    Flag flags[events][event_ids];
    uint8_t reserved_ids[events] = {};

    // The state of the vector unit.
    bool counter_mode = false;
    uint64_t mask[2] = {~0ull, ~0ull};
    Where counter_mode_at = {"", 0};
    uint8_t compare_mask[32] = {};
    uint64_t ctrl = 1ull << 60;
    float deq_scale = 1.0f;
    double last_sum = 0, last_extreme = 0;  // results of ReduceSum, ReduceMax and ReduceMin
    uint32_t last_index = 0;
    uint16_t merged[4] = {};  // pairs of each list that the last MrgSort has taken
    Flag cross_core_flags[cross_core_ids];

    enum class Atomic : uint8_t { none, add, max, min };
    Atomic atomic = Atomic::none;
    void (*atomic_apply)(uint8_t* gm, const uint8_t* ub, uint64_t bytes) = nullptr;

    Pending gm_writes, gm_reads;  // of this block

    // ---- buffers

    uint16_t new_buffer(uint32_t bytes, uint16_t queue, Where at);

    View view_of(uint16_t index, TPosition position) const
    {
        const Buffer& buffer = buffers[index];
        return {buffer.start, buffer.bytes, buffer.start, buffer.start + buffer.bytes, index, buffer.generation,
                position};
    }

    // TPipe::Reset: all buffers are gone, and tensors in them dangle.
    void forget_buffers();

    // ---- accesses to UB

    // Whether a call may use the `bytes` bytes from `from`. Otherwise a fault is reported.
    bool may_use(const View& view, uint32_t from, uint64_t bytes, const char* role, Where at, uint32_t alignment = 32);

    // Notes that the instruction of `pipe` that was issued last reads or writes whole blocks [from, to).
    void reads(pipe_t pipe, uint32_t from, uint32_t to, Where at);
    void writes(pipe_t pipe, uint32_t from, uint32_t to, Where at);
    // The compiler orders GetValue and SetValue against the other pipes: S waits for them.
    void scalar_access(uint32_t address, bool is_write);

    // ---- accesses to global memory

    // The bytes of an argument that a copy of `pieces` may use. Reports a fault if it wants others.
    bool may_use_gm(int argument, const Pieces& pieces, bool is_write, Where at);

    void gm_read(pipe_t pipe, int argument, const Pieces& pieces, Where at);
    void gm_write(pipe_t pipe, int argument, const Pieces& pieces, bool same, Where at);

    // ---- the end of a block

    void finish();

    // A core for the next block.
    void reset(int64_t next_block);

private:
    void ordered(const uint32_t* numbers, pipe_t earlier, pipe_t pipe, uint32_t from, uint32_t to, Where at,
                 const char* verb, const char* earlier_verb);

    // An access to global memory and the earlier ones of another pipe of this block.
    void in_order(Pending& earlier, const GmAccess& access, pipe_t pipe, pipe_t of, const char* verb,
                  const char* earlier_verb);
    static void push(Pending& pending, const GmAccess& access);
    static bool meet_each_other(const Pieces& a, const Pieces& b);
};

inline Core* core = nullptr;
inline int64_t number_of_blocks = 1;
inline uint64_t tiling_key = 0;

}  // namespace actgrad
