// Bodies of core.h.
#pragma once

#include "core.h"
#include "memory_bodies.h"

namespace actgrad {

ACTGRAD_BODY uint16_t Core::new_buffer(uint32_t bytes, uint16_t queue, Where at)
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
    if (options.checks) shadow->define(used, size, false);
    used += size;
    peak = std::max(peak, used);
    buffers.push_back(buffer);
    return static_cast<uint16_t>(buffers.size() - 1);
}

ACTGRAD_BODY void Core::forget_buffers()
{
    for (Buffer& buffer : buffers) {
        buffer.state = State::dead;
        ++buffer.generation;
    }
    used = 0;
}

ACTGRAD_BODY bool Core::may_use(const View& view, uint32_t from, uint64_t bytes, const char* role, Where at, uint32_t alignment)
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

ACTGRAD_BODY void Core::reads(pipe_t pipe, uint32_t from, uint32_t to, Where at)
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

ACTGRAD_BODY void Core::writes(pipe_t pipe, uint32_t from, uint32_t to, Where at)
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

ACTGRAD_BODY void Core::scalar_access(uint32_t address, bool is_write)
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

ACTGRAD_BODY bool Core::may_use_gm(int argument, const Pieces& pieces, bool is_write, Where at)
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
              static_cast<long long>(pieces.low()), static_cast<long long>(pieces.high()), where.name,
              static_cast<unsigned long long>(where.bytes));
    }
    if (is_write && where.read_only) {
        ACTGRAD_ERROR(inputs_modified, at, "the kernel writes into %s, which is an input", where.name);
        return false;
    }
    return true;
}

ACTGRAD_BODY void Core::gm_read(pipe_t pipe, int argument, const Pieces& pieces, Where at)
{
    const GmAccess access{pieces, at, argument, static_cast<int32_t>(block), clocks.issued(pipe), false, false};
    in_order(gm_writes, access, pipe, PIPE_MTE3, "reads", "writes");
    if (pipe == PIPE_MTE2) push(gm_reads, access);
    memory.note_read(access);
}

ACTGRAD_BODY void Core::gm_write(pipe_t pipe, int argument, const Pieces& pieces, bool same, Where at)
{
    const GmAccess access{pieces, at,   argument, static_cast<int32_t>(block), clocks.issued(pipe),
                          atomic != Atomic::none, same};
    in_order(gm_reads, access, pipe, PIPE_MTE2, "writes", "reads");
    if (pipe == PIPE_MTE3) push(gm_writes, access);
    memory.note_write(access);
}

ACTGRAD_BODY void Core::finish()
{
    for (size_t index = 1; index < buffers.size(); ++index) {
        const Buffer& buffer = buffers[index];
        if (buffer.queue == 0 || buffer.state == State::dead) continue;
        if (buffer.state == State::taken)
            ACTGRAD_ERROR(queue_leak, buffer.taken_at, "the tensor taken here is not given back; FreeTensor must follow");
        if (buffer.state == State::queued)
            ACTGRAD_ERROR(queue_leak, buffer.at, "the tensor queued here is never taken out; DeQue must follow");
    }
    for (int event = 0; event < events; ++event)
        for (int id = 0; id < event_ids; ++id)
            if (flags[event][id].is_set)
                ACTGRAD_ERROR(flag_unpaired, flags[event][id].at, "no WaitFlag follows this SetFlag of event id %d",
                              id);
    for (int id = 0; id < cross_core_ids; ++id)
        if (cross_core_flags[id].is_set)
            ACTGRAD_ERROR(flag_unpaired, cross_core_flags[id].at, "no CrossCoreWaitFlag follows this CrossCoreSetFlag of "
                          "flag id %d", id);
    if (counter_mode)
        ACTGRAD_ERROR(mask_or_repeat, counter_mode_at, "the Counter mode set here is still on at the end; "
                      "SetMaskNorm must follow");
}

ACTGRAD_BODY void Core::reset(int64_t next_block)
{
    if (options.checks) shadow->start_block(peak);
    clocks.start_block();
    buffers.assign(1, Buffer());
    queues.assign(1, Queue());
    used = peak = 0;
    for (auto& row : flags)
        for (Flag& flag : row) flag = Flag();
    for (Flag& flag : cross_core_flags) flag = Flag();
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

ACTGRAD_BODY void Core::ordered(const uint32_t* numbers, pipe_t earlier, pipe_t pipe, uint32_t from, uint32_t to, Where at,
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

ACTGRAD_BODY void Core::in_order(Pending& earlier, const GmAccess& access, pipe_t pipe, pipe_t of, const char* verb,
              const char* earlier_verb)
{
    const uint32_t known = clocks.known(pipe, of);
    while (earlier.first < earlier.accesses.size() && earlier.accesses[earlier.first].number <= known) ++earlier.first;
    for (size_t index = earlier.first; index < earlier.accesses.size(); ++index) {
        const GmAccess& other = earlier.accesses[index];
        if (other.argument != access.argument || other.number <= known || !meet_each_other(other.pieces, access.pieces))
            continue;
        ACTGRAD_ERROR(sync_missing, access.at, "%s %s bytes of %s that %s %s at line %d, and nothing orders the "
                      "two; SetFlag and WaitFlag of %s_%s must stand between", pipe_name(pipe), verb,
                      memory.arguments[access.argument].name, pipe_name(of), earlier_verb, other.at.line,
                      pipe_name(of), pipe_name(pipe));
        return;
    }
}

ACTGRAD_BODY void Core::push(Pending& pending, const GmAccess& access)
{
    constexpr size_t most = 4096;
    std::vector<GmAccess>& all = pending.accesses;
    if (all.size() == 2 * most) {  // a kernel that never waits: the oldest ones are forgotten
        const size_t kept = std::min(all.size() - pending.first, most);
        all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(kept));
        pending.first = 0;
    }
    all.push_back(access);
}

ACTGRAD_BODY bool Core::meet_each_other(const Pieces& a, const Pieces& b)
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

}  // namespace actgrad
