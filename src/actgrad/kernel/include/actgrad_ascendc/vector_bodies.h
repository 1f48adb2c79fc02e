// Bodies of vector.h.
#pragma once

#include "vector.h"
#include "core_bodies.h"

namespace actgrad {

ACTGRAD_BODY bool usable_count(int64_t count, const char* name, Where at)
{
    if (count == 0) meet(Assumption::zero_length);
    if (count < 0 || count > INT32_MAX)
        ACTGRAD_ERROR(parameter_truncated, at, "the count of %s is %lld; the device has 31 bits for it", name,
                      static_cast<long long>(count));
    return count > 0 && count <= INT32_MAX;
}

ACTGRAD_BODY bool begin_first_n(const Operand* operands, int number, int64_t count, Where at)
{
    if (!options.checks) return true;
    bool usable = true;
    for (int i = 0; i < number; ++i)
        usable &= core->may_use(operands[i].view, operands[i].view.address, count * operands[i].size, operands[i].role,
                                at);
    const Operand& to = operands[0];
    if (!usable) {  // later calls would only repeat that these bytes have no value
        const View& view = to.view;
        const uint64_t end = std::min<uint64_t>(view.address + count * to.size, view.high);
        if (view.buffer != 0 && view.address >= view.low && end > view.address)
            core->shadow->define(view.address, static_cast<uint32_t>(end - view.address));
        return false;
    }
    for (int i = 1; i < number; ++i) {
        const uint32_t from = operands[i].view.address;
        if (is_overlap(to.view.address, to.size, from, operands[i].size, count))
            ACTGRAD_ERROR(overlap, at, "the %s and the %s overlap in part; they must coincide or lie apart", to.role,
                          operands[i].role);
        core->reads(PIPE_V, from / block_bytes,
                    static_cast<uint32_t>((from + count * operands[i].size + block_bytes - 1) / block_bytes), at);
    }
    const uint32_t start_address = to.view.address;
    core->writes(PIPE_V, start_address / block_bytes,
                 static_cast<uint32_t>((start_address + count * to.size + block_bytes - 1) / block_bytes), at);
    return true;
}

ACTGRAD_BODY void spread_undefined(const Operand* operands, int number, int64_t count, Where at)
{
    Shadow& shadow = *core->shadow;
    const Operand& to = operands[0];
    for (int64_t i = 0; i < count; ++i) {
        bool is_value = true;
        Where origin = at;
        for (int j = 1; j < number; ++j) {
            const uint32_t from = operands[j].view.address + static_cast<uint32_t>(i * operands[j].size);
            if (shadow.is_defined(from, operands[j].size)) continue;
            is_value = false;
            origin = origin_of(from, operands[j].size, at);
        }
        const uint32_t address = to.view.address + static_cast<uint32_t>(i * to.size);
        if (is_value) {
            shadow.define(address, to.size);
            continue;
        }
        uint8_t bits[8] = {};  // of calls on bits: And, Or, Not
        for (uint32_t byte = 0; byte < to.size && shadow.has_partial; ++byte) {
            bits[byte] = 0xFF;
            for (int j = 1; j < number; ++j)
                bits[byte] = operands[j].size != to.size ? 0 :
                    static_cast<uint8_t>(bits[byte] & shadow.bits_of_byte(operands[j].view.address +
                                                                         static_cast<uint32_t>(i * to.size) + byte));
        }
        shadow.define(address, to.size, false);
        for (uint32_t byte = 0; byte < to.size && shadow.has_partial; ++byte) shadow.define_bits(address + byte, bits[byte]);
        shadow.set_origin(address, origin);
    }
}

ACTGRAD_BODY void end_first_n(const Operand* operands, int number, int64_t count, Where at)
{
    if (!options.checks) return;
    const Operand& to = operands[0];
    for (int i = 1; i < number; ++i)
        if (!core->shadow->is_defined(operands[i].view.address, static_cast<uint32_t>(count * operands[i].size)))
            return spread_undefined(operands, number, count, at);
    core->shadow->define(to.view.address, static_cast<uint32_t>(count * to.size));
}

ACTGRAD_BODY Active pick(const Mask& mask, bool sets_mask, int64_t repeats, uint32_t lanes, const char* name, Where at)
{
    Active active{lanes, static_cast<uint32_t>(repeats), {0, 0}, {0, 0}};
    uint64_t bits[2] = {core->mask[0], core->mask[1]};
    if (core->counter_mode) {
        const int64_t total = sets_mask ? mask.count : static_cast<int64_t>(core->mask[0]);
        if (total == 0 || (sets_mask && mask.has_bits)) {
            ACTGRAD_ERROR(mask_or_repeat, at, "the mask of %s is %s in Counter mode, where it is the number of elements",
                          name, total == 0 ? "0" : "an array of bits");
            active.repeats = 0;
            return active;
        }
        active.repeats = static_cast<uint32_t>((total + lanes - 1) / lanes);
        leading_bits(active.bits, lanes);
        leading_bits(active.last, total - int64_t{active.repeats - 1} * lanes);
        return active;
    }
    if (repeats == 0) meet(Assumption::zero_length);
    if (sets_mask && !mask.has_bits) {
        if (mask.count < 1 || mask.count > lanes)
            ACTGRAD_ERROR(mask_or_repeat, at, "the mask of %s is %lld; a repeat has %u elements here", name,
                          static_cast<long long>(mask.count), lanes);
        leading_bits(bits, static_cast<uint64_t>(std::clamp<int64_t>(mask.count, 0, lanes)));
    } else if (sets_mask) {
        bits[0] = mask.bits[0];
        bits[1] = mask.bits[1];
    }
    if (lanes < 128) bits[1] = 0;
    if (lanes < 64) bits[0] &= (1ull << lanes) - 1;
    if (bits[0] == 0 && bits[1] == 0 && !(sets_mask && !mask.has_bits))
        ACTGRAD_ERROR(mask_or_repeat, at, "the mask of %s picks no element", name);
    active.bits[0] = active.last[0] = bits[0];
    active.bits[1] = active.last[1] = bits[1];
    return active;
}

ACTGRAD_BODY bool has_bad_overlap(const Operand& to, const Operand& from, const Active& active)
{
    const auto last = [&](const Operand& operand) {
        const uint32_t blocks = active.lanes * operand.size / block_bytes;
        return operand.view.address + ((active.repeats - 1) * operand.repeat_stride +
                                       (blocks - 1) * operand.block_stride + 1) * block_bytes;
    };
    if (last(to) <= from.view.address || last(from) <= to.view.address) return false;
    const bool same = to.view.address == from.view.address && to.block_stride == from.block_stride &&
                      to.repeat_stride == from.repeat_stride && to.size == from.size;
    if (same && (to.repeat_stride != 0 || active.repeats == 1)) return false;
    static std::vector<uint32_t> written(arena_blocks);  // the repeat that wrote a block, plus 1
    std::fill(written.begin(), written.end(), 0);
    for (uint32_t repeat = 0; repeat < active.repeats; ++repeat) {
        bool bad = false;
        for_touched(from, active, repeat, [&](uint32_t address) { bad |= written[address / block_bytes] != 0; });
        if (bad) return true;
        for_touched(to, active, repeat, [&](uint32_t address) { written[address / block_bytes] = repeat + 1; });
        if (to.size == from.size) {
            uint32_t ours[8], theirs[8];
            int a = 0, b = 0;
            for_touched(to, active, repeat, [&](uint32_t address) { ours[a++ & 7] = address; });
            for_touched(from, active, repeat, [&](uint32_t address) { theirs[b++ & 7] = address; });
            for (int i = 0; i < a; ++i)
                for (int j = 0; j < b; ++j)
                    if (i != j && ours[i] == theirs[j]) return true;
        }
    }
    return false;
}

ACTGRAD_BODY bool begin_strided(const Operand* operands, int number, const Active& active, bool accumulates, Where at)
{
    if (!options.checks) return true;
    bool usable = true;
    for (int i = 0; i < number; ++i)
        for (uint32_t repeat = 0; repeat < active.repeats && usable; ++repeat)
            for_touched(operands[i], active, repeat, [&](uint32_t address) {
                if (usable) usable = core->may_use(operands[i].view, address, block_bytes, operands[i].role, at);
            });
    if (!usable) return false;
    const Operand& to = operands[0];
    if (to.block_stride == 0) {
        uint32_t touched = 0;
        for_touched(to, active, 0, [&](uint32_t) { ++touched; });
        if (touched > 1)
            ACTGRAD_ERROR(mask_or_repeat, at, "the block stride of the %s is 0, so its %u blocks lie in one place", to.role,
                          touched);
    }
    for (int i = 1; i < number; ++i) {
        const bool may_accumulate = accumulates && i == 2 && to.view.address == operands[2].view.address &&
                                    (to.repeat_stride == 0 || operands[2].repeat_stride == 0);
        if (!may_accumulate && has_bad_overlap(to, operands[i], active))
            ACTGRAD_ERROR(overlap, at, "the %s overlaps the %s, and a repeat reads what was written before", to.role,
                          operands[i].role);
    }
    for (uint32_t repeat = 0; repeat < active.repeats; ++repeat) {
        for (int i = 1; i < number; ++i)
            for_touched(operands[i], active, repeat, [&](uint32_t address) {
                core->reads(PIPE_V, address / block_bytes, address / block_bytes + 1, at);
            });
        for_touched(to, active, repeat, [&](uint32_t address) {
            core->writes(PIPE_V, address / block_bytes, address / block_bytes + 1, at);
        });
    }
    return true;
}

ACTGRAD_BODY void define_lane(const Operand* operands, int number, uint32_t repeat, uint32_t lane, Where at)
{
    Shadow& shadow = *core->shadow;
    bool is_value = true;
    Where origin = at;
    for (int i = 1; i < number; ++i) {
        const uint32_t from = lane_address(operands[i], repeat, lane);
        if (shadow.is_defined(from, operands[i].size)) continue;
        is_value = false;
        origin = origin_of(from, operands[i].size, at);
    }
    const uint32_t address = lane_address(operands[0], repeat, lane);
    shadow.define(address, operands[0].size, is_value);
    if (!is_value) shadow.set_origin(address, origin);
}

ACTGRAD_BODY void define_chunk(const Operand* operands, int number, uint32_t repeat, uint32_t lane, uint32_t chunk,
                         uint32_t bits, bool whole, Where at)
{
    bool all = whole;
    for (int i = 1; i < number && all; ++i)
        all = core->shadow->is_defined(lane_address(operands[i], repeat, lane), chunk * operands[i].size);
    if (all) return core->shadow->define(lane_address(operands[0], repeat, lane), chunk * operands[0].size);
    for (uint32_t i = 0; i < chunk; ++i)
        if (bits >> i & 1) define_lane(operands, number, repeat, lane + i, at);
}

}  // namespace actgrad
