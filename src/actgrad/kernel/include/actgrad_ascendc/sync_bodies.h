// Bodies of sync.h.
#pragma once

#include "sync.h"
#include "core_bodies.h"

namespace actgrad {

ACTGRAD_BODY Flag* flag_of(AscendC::HardEvent event, int32_t id, const char* call, Where at)
{
    report.last = at;
    if (id < 0 || id >= Core::event_ids) {
        ACTGRAD_ERROR(flag_unpaired, at, "%s gets event id %d; the ids are 0 to %d", call, id, Core::event_ids - 1);
        return nullptr;
    }
    return &core->flags[static_cast<int>(event)][id];
}

ACTGRAD_BODY void set_flag(AscendC::HardEvent event, int32_t id, Where at)
{
    Flag* flag = flag_of(event, id, "SetFlag", at);
    if (flag == nullptr) return;
    if (flag->is_set)
        ACTGRAD_ERROR(flag_unpaired, at, "SetFlag of event id %d follows the SetFlag at line %d without a WaitFlag", id,
                      flag->at.line);
    flag->is_set = true;
    flag->clock = core->clocks.after(pipes_of(event).source);
    flag->at = at;
}

ACTGRAD_BODY void wait_flag(AscendC::HardEvent event, int32_t id, Where at)
{
    Flag* flag = flag_of(event, id, "WaitFlag", at);
    if (flag == nullptr) return;
    if (!flag->is_set) {
        ACTGRAD_ERROR(flag_unpaired, at, "WaitFlag of event id %d waits for ever; no SetFlag of this event and id comes "
                      "before it", id);
        return;
    }
    flag->is_set = false;
    core->clocks.wait(pipes_of(event).destination, flag->clock);
}

ACTGRAD_BODY AscendC::HardEvent event_of(pipe_t source, pipe_t destination)
{
    for (int event = 0; event < Core::events; ++event) {
        const PipePair pair = pipes_of(static_cast<AscendC::HardEvent>(event));
        if (pair.source == source && pair.destination == destination) return static_cast<AscendC::HardEvent>(event);
    }
    return AscendC::HardEvent::V_V;
}

ACTGRAD_BODY bool has_other_than_zero(const uint8_t* bytes, int count)
{
    for (int i = 0; i < count; ++i)
        if (bytes[i] != 0) return true;
    return false;
}

ACTGRAD_BODY void meet_all_blocks(int64_t blocks, Where at)
{
    report.last = at;
    core->clocks.barrier(PIPE_ALL);
    core->gm_reads.clear();
    core->gm_writes.clear();
    if (number_of_blocks > ACTGRAD_VECTOR_CORES)
        ACTGRAD_ERROR(deadlock, at, "all %lld blocks wait for each other; %s has %d cores, and the other blocks never start",
                      static_cast<long long>(number_of_blocks), product_name(), ACTGRAD_VECTOR_CORES);
    wait_for_blocks(blocks, at);
}

ACTGRAD_BODY void change_block_flag(int argument, int64_t start, const View& ub, int64_t block, int64_t event, bool sets, Where at)
{
    const char* call = sets ? "IBSet" : "IBWait";
    report.last = at;
    core->clocks.barrier(PIPE_ALL);
    core->gm_reads.clear();
    core->gm_writes.clear();
    if (block < 0 || block >= number_of_blocks || event < 0)
        return ACTGRAD_ERROR(flag_unpaired, at, "%s gets block %lld and event %lld; the run has %lld blocks", call,
                             static_cast<long long>(block), static_cast<long long>(event),
                             static_cast<long long>(number_of_blocks));
    if (number_of_blocks > ACTGRAD_VECTOR_CORES)
        ACTGRAD_ERROR(deadlock, at, "blocks wait for each other; %s has %d cores for the %lld blocks, and the others never "
                      "start", product_name(), ACTGRAD_VECTOR_CORES, static_cast<long long>(number_of_blocks));
    const int64_t slot = start + 32 * (event * number_of_blocks + block);
    if (options.checks) {
        if (!core->may_use_gm(argument, {slot, 32, 0, 1}, true, at) ||
            slot + 32 > static_cast<int64_t>(memory.arguments[argument].bytes) ||
            !core->may_use(ub, ub.address, 32, "workspace", at))
            return;
        if (has_other_than_zero(memory.arguments[argument].data + slot, 32))
            ACTGRAD_ERROR(deadlock, at, "the workspace of %s holds other numbers than 0, so the flag is wrong", call);
    }
    size_t flag = 0;
    while (flag < block_flags.size() && (block_flags[flag].argument != argument || block_flags[flag].at != slot)) ++flag;
    if (flag == block_flags.size()) block_flags.push_back({argument, slot, false, {}, {"", 0}});
    if (block_flags[flag].is_set == sets) wait_for_flag(flag, !sets, at);
    if (sets) block_flags[flag].told = memory.tell(core->block, number_of_blocks);
    else memory.learn(core->block, block_flags[flag].told);
    block_flags[flag].is_set = sets;
    block_flags[flag].set_at = at;
}

ACTGRAD_BODY Flag* cross_core_flag_of(uint16_t id, const char* call, Where at)
{
    report.last = at;
    if (id < Core::cross_core_ids) return &core->cross_core_flags[id];
    ACTGRAD_ERROR(flag_unpaired, at, "%s gets flag id %d; the ids are 0 to %d", call, id, Core::cross_core_ids - 1);
    return nullptr;
}

ACTGRAD_BODY void set_cross_core_flag(uint16_t id, Where at)
{
    Flag* flag = cross_core_flag_of(id, "CrossCoreSetFlag", at);
    if (flag == nullptr) return;
    flag->is_set = true;
    flag->at = at;
}

ACTGRAD_BODY void wait_cross_core_flag(uint16_t id, Where at)
{
    Flag* flag = cross_core_flag_of(id, "CrossCoreWaitFlag", at);
    if (flag == nullptr) return;
    if (!flag->is_set) {
        ACTGRAD_ERROR(flag_unpaired, at, "CrossCoreWaitFlag of flag id %d waits for ever; no CrossCoreSetFlag of this id "
                      "comes before it", id);
        return;
    }
    flag->is_set = false;
    meet_all_blocks(number_of_blocks, at);
}

}  // namespace actgrad
