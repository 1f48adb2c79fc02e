// Order between pipes (flags, barriers) and between blocks (SyncAll).
//
// SetFlag<HardEvent::X_Y>(id) runs on pipe X and WaitFlag of the same event and id on pipe Y. There are eight ids; each
// SetFlag needs one WaitFlag before the next SetFlag of its event and id.
#pragma once

#include "queues.h"

namespace actgrad {

struct PipePair { pipe_t source, destination; };

constexpr PipePair pipes_of(AscendC::HardEvent event)
{
    using E = AscendC::HardEvent;
    switch (event) {
        case E::MTE2_MTE1: return {PIPE_MTE2, PIPE_MTE1};
        case E::MTE1_MTE2: return {PIPE_MTE1, PIPE_MTE2};
        case E::MTE1_M: return {PIPE_MTE1, PIPE_M};
        case E::M_MTE1: return {PIPE_M, PIPE_MTE1};
        case E::MTE2_V: return {PIPE_MTE2, PIPE_V};
        case E::V_MTE2: return {PIPE_V, PIPE_MTE2};
        case E::MTE3_V: return {PIPE_MTE3, PIPE_V};
        case E::V_MTE3: return {PIPE_V, PIPE_MTE3};
        case E::M_V: return {PIPE_M, PIPE_V};
        case E::V_M: return {PIPE_V, PIPE_M};
        case E::MTE3_MTE1: return {PIPE_MTE3, PIPE_MTE1};
        case E::MTE1_MTE3: return {PIPE_MTE1, PIPE_MTE3};
        case E::MTE1_V: return {PIPE_MTE1, PIPE_V};
        case E::MTE2_M: return {PIPE_MTE2, PIPE_M};
        case E::M_MTE2: return {PIPE_M, PIPE_MTE2};
        case E::V_MTE1: return {PIPE_V, PIPE_MTE1};
        case E::M_FIX: return {PIPE_M, PIPE_FIX};
        case E::FIX_M: return {PIPE_FIX, PIPE_M};
        case E::MTE3_MTE2: return {PIPE_MTE3, PIPE_MTE2};
        case E::MTE2_MTE3: return {PIPE_MTE2, PIPE_MTE3};
        case E::S_V: return {PIPE_S, PIPE_V};
        case E::V_S: return {PIPE_V, PIPE_S};
        case E::S_MTE2: return {PIPE_S, PIPE_MTE2};
        case E::MTE2_S: return {PIPE_MTE2, PIPE_S};
        case E::S_MTE3: return {PIPE_S, PIPE_MTE3};
        case E::MTE3_S: return {PIPE_MTE3, PIPE_S};
        case E::MTE2_FIX: return {PIPE_MTE2, PIPE_FIX};
        case E::FIX_MTE2: return {PIPE_FIX, PIPE_MTE2};
        case E::FIX_S: return {PIPE_FIX, PIPE_S};
        case E::M_S: return {PIPE_M, PIPE_S};
        case E::FIX_MTE3: return {PIPE_FIX, PIPE_MTE3};
        case E::MTE1_FIX: return {PIPE_MTE1, PIPE_FIX};
        case E::FIX_MTE1: return {PIPE_FIX, PIPE_MTE1};
        case E::FIX_FIX: return {PIPE_FIX, PIPE_FIX};
        default: return {PIPE_V, PIPE_V};
    }
}

Flag* flag_of(AscendC::HardEvent event, int32_t id, const char* call, Where at);

void set_flag(AscendC::HardEvent event, int32_t id, Where at);

void wait_flag(AscendC::HardEvent event, int32_t id, Where at);

// The events by their pipes, for set_flag(PIPE_V, PIPE_MTE3, id).
AscendC::HardEvent event_of(pipe_t source, pipe_t destination);

// How a block waits for the others; the runner sets it. Returns when all blocks are here.
inline void (*wait_for_blocks)(int64_t blocks, Where at) = nullptr;

bool has_other_than_zero(const uint8_t* bytes, int count);
void meet_all_blocks(int64_t blocks, Where at);

// How a block waits for a flag of another one; the runner sets it.
struct BlockFlag {
    int argument;
    int64_t at;  // byte of the argument
    bool is_set = false;
    std::vector<uint32_t> told;
    Where set_at = {"", 0};
};
inline void (*wait_for_flag)(size_t flag, bool is_set, Where at) = nullptr;
inline std::vector<BlockFlag> block_flags;  // of the run

void change_block_flag(int argument, int64_t start, const View& ub, int64_t block, int64_t event, bool sets, Where at);

// One flag of CrossCoreSetFlag. Mode 0: the wait ends when all blocks have set the flag.
void set_cross_core_flag(uint16_t id, Where at);
void wait_cross_core_flag(uint16_t id, Where at);

}  // namespace actgrad

namespace AscendC {

template <HardEvent event>
void SetFlag(int32_t eventID, ACTGRAD_AT)
{
    actgrad::set_flag(event, eventID, at);
}
template <HardEvent event>
void WaitFlag(int32_t eventID, ACTGRAD_AT)
{
    actgrad::wait_flag(event, eventID, at);
}

// Later instructions of the pipe start after the earlier ones have ended. PIPE_ALL: of all pipes.
template <pipe_t pipe>
void PipeBarrier(ACTGRAD_AT)
{
    static_assert(pipe != PIPE_S, "PipeBarrier<PIPE_S> does not exist");
    actgrad::report.last = at;
    actgrad::core->clocks.barrier(pipe);
}
template <class Unused = void> void DataSyncBarrier() {}

// All blocks wait for each other.
template <bool isAIVOnly = true>
void SyncAll(ACTGRAD_AT)
{
    actgrad::meet_all_blocks(actgrad::number_of_blocks, at);
}
// The same by software: `gmWorkspace` has 32 bytes for each block and holds zeros, `ubWorkspace` is as large.
template <bool isAIVOnly = true>
void SyncAll(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>& ubWorkspace, int32_t usedCores = 0,
             ACTGRAD_AT)
{
    using namespace actgrad;
    const int64_t blocks = usedCores != 0 ? usedCores : number_of_blocks;
    if (options.checks) {
        const Pieces pieces{gmWorkspace.offset_bytes(), 32 * number_of_blocks, 0, 1};
        if (core->may_use_gm(gmWorkspace.argument(), pieces, true, at)) {
            // Each block finds its own part still as it was, because nothing writes there in a run.
            const uint8_t* own = memory.arguments[gmWorkspace.argument()].data + pieces.start + 32 * core->block;
            if (pieces.low() >= 0 && pieces.high() <= static_cast<int64_t>(memory.arguments[gmWorkspace.argument()].bytes) &&
                has_other_than_zero(own, 32))
                ACTGRAD_ERROR(deadlock, at, "the workspace of SyncAll holds other numbers than 0, so blocks wait for ever");
            core->may_use(ubWorkspace, ubWorkspace.address, 32 * number_of_blocks, "workspace of SyncAll", at);
        }
    }
    meet_all_blocks(blocks, at);
}

// IBSet tells the event of block `blockIdx` to one other block, which waits for it with IBWait. `gmWorkspace` holds zeros,
// 32 bytes for each block and event. A flag is free again after IBWait; until then, another IBSet of it waits.
template <bool isAIVOnly = true>
void IBSet(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>& ubWorkspace, int32_t blockIdx,
           int32_t eventID, ACTGRAD_AT)
{
    actgrad::change_block_flag(gmWorkspace.argument(), gmWorkspace.offset_bytes(), ubWorkspace, blockIdx, eventID, true, at);
}
template <bool isAIVOnly = true>
void IBWait(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>& ubWorkspace, int32_t blockIdx,
            int32_t eventID, ACTGRAD_AT)
{
    actgrad::change_block_flag(gmWorkspace.argument(), gmWorkspace.offset_bytes(), ubWorkspace, blockIdx, eventID, false, at);
}

// A barrier in two halves: each block sets the flag, and a wait ends when all blocks have set it. Mode 0 is the barrier
// of all vector cores. Modes 1 and 2 order the cores of one group (two vector cores, one cube core), which we do not
// imitate. `pipe` is the pipe whose instructions must have ended before the flag is set.
template <uint8_t modeId, pipe_t pipe>
void CrossCoreSetFlag(uint16_t flagId, ACTGRAD_AT)
{
    static_assert(modeId == 0, "actgrad imitates mode 0 of CrossCoreSetFlag, which orders all vector cores");
    actgrad::set_cross_core_flag(flagId, at);
}
template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
void CrossCoreWaitFlag(uint16_t flagId, ACTGRAD_AT)
{
    static_assert(modeId == 0, "actgrad imitates mode 0 of CrossCoreWaitFlag, which orders all vector cores");
    actgrad::wait_cross_core_flag(flagId, at);
}

// Hints for caches. The order of kernels in a launch: one kernel runs here.
inline void ICachePreLoad(int64_t) {}
template <class T> void DataCachePreload(const GlobalTensor<uint64_t>&, T) {}
inline void SetNextTaskStart() {}
inline void WaitPreTaskEnd() {}

template <class T, CacheLine line = CacheLine::SINGLE_CACHE_LINE, DcciDst dst = DcciDst::CACHELINE_OUT>
void DataCacheCleanAndInvalid(const GlobalTensor<T>&)
{}

}  // namespace AscendC

// The names of the layer below.
inline void set_flag(pipe_t source, pipe_t destination, int32_t id, ACTGRAD_AT)
{
    actgrad::set_flag(actgrad::event_of(source, destination), id, at);
}
inline void wait_flag(pipe_t source, pipe_t destination, int32_t id, ACTGRAD_AT)
{
    actgrad::wait_flag(actgrad::event_of(source, destination), id, at);
}
inline void pipe_barrier(pipe_t pipe) { actgrad::core->clocks.barrier(pipe); }
