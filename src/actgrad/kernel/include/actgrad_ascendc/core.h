// One core: its UB with buffers and queues, its pipes, flags and masks.
//
// A kernel's own objects (TPipe, TQue, LocalTensor) hold only numbers of what lives here, because kernels copy these
// objects freely. `core` is the core of the block that runs now.
#pragma once

#include <deque>

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
    Where at = {"", 0};  // of the last change of state
};

struct Queue {
    TPosition source, destination;
    int depth;
    std::vector<uint16_t> buffers;
    std::deque<uint16_t> waiting;
    size_t next = 0;
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
    static constexpr int events = static_cast<int>(AscendC::HardEvent::MAX), event_ids = 8;
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

    enum class Atomic : uint8_t { none, add, max, min };
    Atomic atomic = Atomic::none;
    void (*atomic_apply)(uint8_t* gm, const uint8_t* ub, uint64_t bytes) = nullptr;

    // Accesses of this block to global memory that may still be under way.
    std::deque<GmAccess> gm_writes, gm_reads;

    // ---- buffers

    uint16_t new_buffer(uint32_t bytes, uint16_t queue, Where at)
    {
        const uint32_t size = (bytes + block_bytes - 1) / block_bytes * block_bytes;
        if (used + size > options.ub)
            ACTGRAD_ERROR(ub_capacity, at, "the buffers take %u bytes with this one of %u; the UB has %u", used + size,
                          size, options.ub);
        if (used + size > arena_bytes) throw StopBlock();
        if (buffers.size() > most_buffers)
            ACTGRAD_ERROR(ub_capacity, at, "this is buffer %zu of the kernel; a kernel has at most %d", buffers.size(),
                          most_buffers);
        Buffer buffer;
        buffer.start = used;
        buffer.bytes = size;
        buffer.queue = queue;
        buffer.state = queue == 0 ? State::taken : State::free;
        buffer.at = at;
        std::memset(ub + used, 0xFF, size);  // contents are random on the device; this is NaN in each floating type
        if (options.checks) shadow->define(used, size, false);
        used += size;
        peak = std::max(peak, used);
        buffers.push_back(buffer);
        return static_cast<uint16_t>(buffers.size() - 1);
    }

    View view_of(uint16_t index, TPosition position) const
    {
        const Buffer& buffer = buffers[index];
        return {buffer.start, buffer.bytes, buffer.start, buffer.start + buffer.bytes, index, buffer.generation,
                position};
    }

    // TPipe::Reset: all buffers are gone, and tensors in them dangle.
    void forget_buffers()
    {
        for (Buffer& buffer : buffers) {
            buffer.state = State::dead;
            ++buffer.generation;
        }
        used = 0;
    }

    // ---- accesses to UB

    // Whether a call may use the `bytes` bytes from `from`. Otherwise a fault is reported.
    bool may_use(const View& view, uint32_t from, uint64_t bytes, const char* role, Where at, uint32_t alignment = 32)
    {
        if (view.buffer == 0) {
            ACTGRAD_ERROR(ub_out_of_bounds, at, "the %s has no memory; AllocTensor or Get must give it some", role);
            return false;
        }
        const Buffer& buffer = buffers[view.buffer];
        if (buffer.state == State::dead || buffer.generation != view.generation) {
            ACTGRAD_ERROR(ub_use_after_free, at, "the %s was given back at line %d; its memory belongs to others now",
                          role, buffer.at.line);
            return false;
        }
        if (from % alignment != 0)
            ACTGRAD_ERROR(ub_alignment, at, "the %s starts at byte %u of its buffer, which is not a multiple of %u",
                          role, from - view.low, alignment);
        if (from < view.low || from + bytes > view.high) {
            ACTGRAD_ERROR(ub_out_of_bounds, at, "the %s takes bytes %lld to %lld of a buffer of %u bytes", role,
                          static_cast<long long>(from) - view.low, static_cast<long long>(from - view.low + bytes),
                          view.high - view.low);
            return false;
        }
        return true;
    }

    // Notes that the instruction of `pipe` that was issued last reads or writes whole blocks [from, to).
    void reads(pipe_t pipe, uint32_t from, uint32_t to, Where at)
    {
        Shadow& s = *shadow;
        if (pipe == PIPE_V) {
            ordered(s.mte2_wrote, PIPE_MTE2, pipe, from, to, at, "reads", "wrote");
            fill(s.v_read, from, to, clocks.issued(pipe));
        } else if (pipe == PIPE_MTE3) {
            ordered(s.v_wrote, PIPE_V, pipe, from, to, at, "reads", "wrote");
            ordered(s.mte2_wrote, PIPE_MTE2, pipe, from, to, at, "reads", "wrote");
            fill(s.mte3_read, from, to, clocks.issued(pipe));
        }
    }
    void writes(pipe_t pipe, uint32_t from, uint32_t to, Where at)
    {
        Shadow& s = *shadow;
        ordered(s.mte2_wrote, PIPE_MTE2, pipe, from, to, at, "writes", "wrote");
        ordered(s.mte3_read, PIPE_MTE3, pipe, from, to, at, "writes", "reads");
        if (pipe == PIPE_V) {
            fill(s.v_wrote, from, to, clocks.issued(pipe));
        } else {
            ordered(s.v_wrote, PIPE_V, pipe, from, to, at, "writes", "wrote");
            ordered(s.v_read, PIPE_V, pipe, from, to, at, "writes", "reads");
            fill(s.mte2_wrote, from, to, clocks.issued(pipe));
        }
    }
    // The compiler orders GetValue and SetValue against the other pipes: S waits for them.
    void scalar_access(uint32_t address, bool is_write)
    {
        const uint32_t block = address / block_bytes;
        const auto wait_for = [&](pipe_t pipe, const uint32_t* numbers) {
            if (numbers[block] > clocks.known(PIPE_S, pipe)) clocks.wait(PIPE_S, clocks.after(pipe));
        };
        wait_for(PIPE_V, shadow->v_wrote);
        wait_for(PIPE_MTE2, shadow->mte2_wrote);
        if (!is_write) return;
        wait_for(PIPE_V, shadow->v_read);
        wait_for(PIPE_MTE3, shadow->mte3_read);
    }

    // ---- accesses to global memory

    // The bytes of an argument that a copy of `pieces` may use. Reports a fault if it wants others.
    bool may_use_gm(int argument, const Pieces& pieces, bool is_write, Where at)
    {
        const char* verb = is_write ? "writes" : "reads";
        const Kind kind = is_write ? Kind::gm_write_out_of_bounds : Kind::gm_read_out_of_bounds;
        if (argument < 0) {
            if (memory.is_complete)
                fault(kind, Severity::error, at, "the call %s global memory outside of all arguments", verb);
            return false;
        }
        const Argument& where = memory.arguments[argument];
        if (pieces.low() < 0 || pieces.high() > static_cast<int64_t>(where.bytes)) {
            fault(kind, Severity::error, at, "the call %s bytes %lld to %lld of %s, which has %llu bytes", verb,
                  static_cast<long long>(pieces.low()), static_cast<long long>(pieces.high()), where.name.c_str(),
                  static_cast<unsigned long long>(where.bytes));
        }
        if (is_write && where.read_only) {
            ACTGRAD_ERROR(inputs_modified, at, "the kernel writes into %s, which is an input", where.name.c_str());
            return false;
        }
        return true;
    }

    void gm_read(pipe_t pipe, int argument, const Pieces& pieces, Where at)
    {
        const GmAccess access{pieces, at, argument, static_cast<int32_t>(block), clocks.issued(pipe), false, false};
        in_order(gm_writes, access, pipe, PIPE_MTE3, "reads", "writes");
        if (pipe == PIPE_MTE2) push(gm_reads, access);
        memory.note_read(access);
    }
    void gm_write(pipe_t pipe, int argument, const Pieces& pieces, bool same, Where at)
    {
        const GmAccess access{pieces, at,   argument, static_cast<int32_t>(block), clocks.issued(pipe),
                              atomic != Atomic::none, same};
        in_order(gm_reads, access, pipe, PIPE_MTE2, "writes", "reads");
        if (pipe == PIPE_MTE3) push(gm_writes, access);
        memory.note_write(access);
    }

    // ---- the end of a block

    void finish()
    {
        for (size_t index = 1; index < buffers.size(); ++index) {
            const Buffer& buffer = buffers[index];
            if (buffer.queue == 0 || buffer.state == State::dead) continue;
            if (buffer.state == State::taken)
                ACTGRAD_ERROR(queue_leak, buffer.at, "the tensor taken here is not given back; FreeTensor must follow");
            if (buffer.state == State::queued)
                ACTGRAD_ERROR(queue_leak, buffer.at, "the tensor queued here is never taken out; DeQue must follow");
        }
        for (int event = 0; event < events; ++event)
            for (int id = 0; id < event_ids; ++id)
                if (flags[event][id].is_set)
                    ACTGRAD_ERROR(flag_unpaired, flags[event][id].at, "no WaitFlag follows this SetFlag of event id %d",
                                  id);
        if (counter_mode)
            ACTGRAD_ERROR(mask_or_repeat, counter_mode_at, "the Counter mode set here is still on at the end; "
                          "SetMaskNorm must follow");
    }

    // A core for the next block.
    void reset(int64_t next_block)
    {
        if (options.checks) shadow->reset(peak);
        clocks = Clocks();
        buffers.assign(1, Buffer());
        queues.assign(1, Queue());
        used = peak = 0;
        for (auto& row : flags)
            for (Flag& flag : row) flag = Flag();
        std::memset(reserved_ids, 0, sizeof reserved_ids);
        counter_mode = false;
        mask[0] = mask[1] = ~0ull;
        ctrl = 1ull << 60;
        deq_scale = 1.0f;
        atomic = Atomic::none;
        gm_writes.clear();
        gm_reads.clear();
        block = next_block;
    }

private:
    void ordered(const uint32_t* numbers, pipe_t earlier, pipe_t pipe, uint32_t from, uint32_t to, Where at,
                 const char* verb, const char* earlier_verb)
    {
        const uint32_t known = clocks.known(pipe, earlier);
        if (__builtin_expect(!any_above(numbers, from, to, known), 1)) return;
        for (uint32_t block_index = from; block_index < to; ++block_index) {
            if (numbers[block_index] <= known) continue;
            const int line = clocks.where(earlier, numbers[block_index]).line;
            if (earlier == pipe)
                ACTGRAD_ERROR(sync_missing, at, "%s %s what %s %s at line %d; PipeBarrier<PIPE_%s> must stand between",
                              pipe_name(pipe), verb, pipe_name(earlier), earlier_verb, line, pipe_name(pipe));
            else
                ACTGRAD_ERROR(sync_missing, at, "%s %s what %s %s at line %d, and nothing orders the two; a queue or "
                              "SetFlag and WaitFlag of %s_%s must stand between", pipe_name(pipe), verb,
                              pipe_name(earlier), earlier_verb, line, pipe_name(earlier), pipe_name(pipe));
            return;
        }
    }

    // An access to global memory and the earlier ones of another pipe of this block.
    void in_order(std::deque<GmAccess>& earlier, const GmAccess& access, pipe_t pipe, pipe_t of, const char* verb,
                  const char* earlier_verb)
    {
        const uint32_t known = clocks.known(pipe, of);
        while (!earlier.empty() && earlier.front().number <= known) earlier.pop_front();
        for (const GmAccess& other : earlier) {
            if (other.argument != access.argument || other.number <= known || !meet_each_other(other.pieces, access.pieces))
                continue;
            ACTGRAD_ERROR(sync_missing, access.at, "%s %s bytes of %s that %s %s at line %d, and nothing orders the "
                          "two; SetFlag and WaitFlag of %s_%s must stand between", pipe_name(pipe), verb,
                          memory.arguments[access.argument].name.c_str(), pipe_name(of), earlier_verb, other.at.line,
                          pipe_name(of), pipe_name(pipe));
            return;
        }
    }
    static void push(std::deque<GmAccess>& accesses, const GmAccess& access)
    {
        accesses.push_back(access);
        if (accesses.size() > 4096) accesses.pop_front();  // a kernel that never waits
    }
    static bool meet_each_other(const Pieces& a, const Pieces& b)
    {
        if (a.high() <= b.low() || b.high() <= a.low()) return false;
        if (a.count == 1 && b.count == 1) return true;
        if (a.count * b.count > 1 << 20) return false;  // too many pairs to compare
        for (int64_t i = 0; i < a.count; ++i)
            for (int64_t j = 0; j < b.count; ++j) {
                const int64_t first = a.start + i * a.stride, second = b.start + j * b.stride;
                if (first < second + b.piece && second < first + a.piece) return true;
            }
        return false;
    }
};

inline Core* core = nullptr;
inline int64_t number_of_blocks = 1;
inline uint64_t tiling_key = 0;

}  // namespace actgrad
