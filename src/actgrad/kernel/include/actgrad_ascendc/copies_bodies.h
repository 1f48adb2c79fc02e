// Bodies of copies.h.
#pragma once

#include "copies.h"
#include "core_bodies.h"

namespace actgrad {

ACTGRAD_BODY bool usable_pieces(const char* name, int64_t count, int64_t length, Where at)
{
    if (count == 0 || length == 0) meet(Assumption::zero_length);
    if (count > 4095)
        ACTGRAD_ERROR(copy_length, at, "%s copies %lld pieces; at most 4095 are allowed", name,
                      static_cast<long long>(count));
    if (length > 2097151)
        ACTGRAD_ERROR(copy_length, at, "the pieces of %s have %lld bytes; at most 2097151 are allowed", name,
                      static_cast<long long>(length));
    return count > 0 && length > 0;
}

ACTGRAD_BODY void fill_padding(const Transfer& t, uint32_t address)
{
    uint8_t filler[8];
    std::memcpy(filler, t.pads_value ? t.value : core->ub + address + t.left, t.element);
    const auto put = [&](int64_t from, int64_t to) {
        for (int64_t byte = from; byte + t.element <= to; byte += t.element)
            std::memcpy(core->ub + address + byte, filler, t.element);
        if (options.checks && to > from)
            core->shadow->define(address + static_cast<uint32_t>(from), static_cast<uint32_t>(to - from), t.has_value);
    };
    put(0, t.left);
    put(t.left + t.gm.piece, t.filled);
}

ACTGRAD_BODY void copy_in(const Transfer& t, Where at)
{
    report.last = at;
    core->clocks.issue(PIPE_MTE2, at);
    const int64_t past = (t.gm.count - 1) * t.ub_stride + t.filled;
    const int64_t lowest = std::min<int64_t>(0, (t.gm.count - 1) * t.ub_stride);
    if (options.checks) {
        if (!core->may_use(t.ub, static_cast<uint32_t>(t.ub.address + lowest), past - lowest, "destination", at)) return;
        for (int64_t piece = 0; piece < t.gm.count; ++piece) {
            const uint32_t address = static_cast<uint32_t>(t.ub.address + piece * t.ub_stride);
            core->writes(PIPE_MTE2, address / block_bytes,
                         static_cast<uint32_t>((address + t.filled + block_bytes - 1) / block_bytes), at);
        }
    }
    if (!core->may_use_gm(t.argument, t.gm, false, at)) return;
    const Argument& argument = memory.arguments[t.argument];
    if (options.checks) core->gm_read(PIPE_MTE2, t.argument, t.gm, at);
    for (int64_t piece = 0; piece < t.gm.count; ++piece) {
        const int64_t from = t.gm.start + piece * t.gm.stride;
        const uint32_t to = static_cast<uint32_t>(t.ub.address + piece * t.ub_stride + t.left);
        // Bytes outside of the argument stay undefined; the fault is reported already.
        const int64_t skipped = std::clamp<int64_t>(-from, 0, t.gm.piece);
        const int64_t end = std::clamp<int64_t>(static_cast<int64_t>(argument.bytes) - from, skipped, t.gm.piece);
        std::memcpy(core->ub + to + skipped, argument.data + from + skipped, end - skipped);
        if (options.checks && end > skipped)
            core->shadow->define(to + static_cast<uint32_t>(skipped), static_cast<uint32_t>(end - skipped));
        if (t.filled > t.gm.piece) fill_padding(t, static_cast<uint32_t>(t.ub.address + piece * t.ub_stride));
    }
}

ACTGRAD_BODY Slices slices_of(const AscendC::SliceInfo* info, uint32_t dimensions, uint32_t size, Where at)
{
    Slices slices{{0}, 32 * int64_t{info[0].burstLen}};
    int64_t distance = size;  // bytes from an index of the dimension to the next
    for (uint32_t dimension = 0; dimension < dimensions; ++dimension) {
        const AscendC::SliceInfo& part = info[dimension];
        const int64_t length = dimension == 0 ? slices.piece / size : part.burstLen, step = length + part.stride;
        const int64_t covered = int64_t{part.endIndex} - part.startIndex + 1 + part.stride;
        if (part.endIndex < part.startIndex || length == 0 || covered % step != 0 || (dimension != 0 && length != 1)) {
            ACTGRAD_ERROR(copy_length, at, "dimension %u of the slices goes from %u to %u in pieces of %lld and gaps of %u "
                          "elements, which does not come out even", dimension, part.startIndex, part.endIndex,
                          static_cast<long long>(length), part.stride);
            return {{}, 0};
        }
        std::vector<int64_t> starts;
        for (int64_t index = 0; index < covered / step; ++index)
            for (int64_t start : slices.starts) starts.push_back(start + (part.startIndex + index * step) * distance);
        slices.starts = starts;
        distance *= part.shapeValue;
    }
    return slices;
}

ACTGRAD_BODY void copy_slices(bool is_in, int argument, int64_t gm_start, const View& ub, const Slices& gm_slices,
                              const Slices& ub_slices, Where at)
{
    if (gm_slices.starts.empty() || ub_slices.starts.empty()) return;  // reported already
    if (gm_slices.piece != ub_slices.piece || gm_slices.starts.size() != ub_slices.starts.size())
        return ACTGRAD_ERROR(copy_length, at, "the slices in global memory have %zu pieces of %lld bytes, those in UB %zu of "
                             "%lld", gm_slices.starts.size(), static_cast<long long>(gm_slices.piece),
                             ub_slices.starts.size(), static_cast<long long>(ub_slices.piece));
    const int64_t bytes = gm_slices.piece;
    for (size_t piece = 0; piece < gm_slices.starts.size(); ++piece) {
        View part = ub;
        part.address = static_cast<uint32_t>(ub.address + ub_slices.starts[piece]);
        const Transfer transfer{argument, {gm_start + gm_slices.starts[piece], bytes, bytes, 1}, part, bytes, 0, bytes};
        if (is_in) copy_in(transfer, at);
        else copy_out(transfer, at);
    }
}

ACTGRAD_BODY void copy_loops(int argument, int64_t gm_start, const View& ub, const CopyLoop* loops, int dimensions,
                             uint32_t element, const uint8_t* padding, bool is_nearest, Where at)
{
    report.last = at;
    if (__NPU_ARCH__ != 3510)
        return ACTGRAD_ERROR(dtype_unsupported, at, "%s does not have DataCopy of several dimensions", product_name());
    core->clocks.issue(PIPE_MTE2, at);
    CopyLoop all[most_loops];
    int64_t steps = 1, last = 0;  // elements of UB, and the offset of the last one
    for (int each = 0; each < most_loops; ++each) {
        all[each] = each < dimensions ? loops[each] : CopyLoop{1, 0, 0, 0, 0};
        const int64_t count = all[each].size + all[each].left + all[each].right;
        steps *= count;
        last += std::max<int64_t>(count - 1, 0) * all[each].ub_stride;
        if (all[each].size == 0) return meet(Assumption::zero_length);
    }
    if (options.checks) {
        if (!core->may_use(ub, ub.address, static_cast<uint64_t>(last) + element, "destination", at)) return;
        core->writes(PIPE_MTE2, ub.address / block_bytes,
                     static_cast<uint32_t>((ub.address + last + element + block_bytes - 1) / block_bytes), at);
    }
    int64_t index[most_loops] = {};
    for (int64_t step = 0; step < steps; ++step) {
        int64_t from = gm_start;
        uint32_t to = ub.address;
        bool is_padding = false;
        for (int each = 0; each < most_loops; ++each) {
            const int64_t inside = index[each] - all[each].left;
            is_padding |= inside < 0 || inside >= all[each].size;
            from += std::clamp<int64_t>(inside, 0, all[each].size - 1) * all[each].gm_stride;
            to += static_cast<uint32_t>(index[each] * all[each].ub_stride);
        }
        if (is_padding && !is_nearest) {
            std::memcpy(core->ub + to, padding, element);
        } else {
            const Pieces pieces{from, element, element, 1};
            if (!core->may_use_gm(argument, pieces, false, at)) return;
            if (from < 0 || from + element > static_cast<int64_t>(memory.arguments[argument].bytes)) return;
            if (options.checks) core->gm_read(PIPE_MTE2, argument, pieces, at);
            std::memcpy(core->ub + to, memory.arguments[argument].data + from, element);
        }
        if (options.checks) core->shadow->define(to, element);
        for (int each = 0; each < most_loops; ++each) {
            if (++index[each] < all[each].left + all[each].size + all[each].right) break;
            index[each] = 0;
        }
    }
}

ACTGRAD_BODY void copy_out(const Transfer& t, Where at)
{
    report.last = at;
    core->clocks.issue(PIPE_MTE3, at);
    const int64_t past = (t.gm.count - 1) * t.ub_stride + t.gm.piece;
    const int64_t lowest = std::min<int64_t>(0, (t.gm.count - 1) * t.ub_stride);
    if (options.checks) {
        if (!core->may_use(t.ub, static_cast<uint32_t>(t.ub.address + lowest), past - lowest, "source", at)) return;
        for (int64_t piece = 0; piece < t.gm.count; ++piece) {
            const uint32_t address = static_cast<uint32_t>(t.ub.address + piece * t.ub_stride);
            core->reads(PIPE_MTE3, address / block_bytes,
                        static_cast<uint32_t>((address + t.gm.piece + block_bytes - 1) / block_bytes), at);
        }
    }
    if (!core->may_use_gm(t.argument, t.gm, true, at)) return;
    const Argument& argument = memory.arguments[t.argument];
    bool same = number_of_blocks > 1;
    for (int64_t piece = 0; piece < t.gm.count; ++piece) {
        const int64_t to = t.gm.start + piece * t.gm.stride;
        const uint32_t from = static_cast<uint32_t>(t.ub.address + piece * t.ub_stride);
        const int64_t skipped = std::clamp<int64_t>(-to, 0, t.gm.piece);
        const int64_t end = std::clamp<int64_t>(static_cast<int64_t>(argument.bytes) - to, skipped, t.gm.piece);
        const uint32_t first = from + static_cast<uint32_t>(skipped);
        const uint32_t bytes = static_cast<uint32_t>(end - skipped);
        if (options.checks && bytes != 0 && !core->shadow->is_defined(first, bytes))
            report_undefined(first, bytes, t.ub.low, at);
        uint8_t* target = argument.data + to + skipped;
        if (core->atomic != Core::Atomic::none) {
            same = false;
            core->atomic_apply(target, core->ub + first, bytes);
        } else {
            same = same && std::memcmp(target, core->ub + first, bytes) == 0;
            std::memcpy(target, core->ub + first, bytes);
        }
    }
    if (options.checks) core->gm_write(PIPE_MTE3, t.argument, t.gm, same, at);
}

ACTGRAD_BODY int64_t whole_blocks(int64_t count, uint32_t size, Where at)
{
    const int64_t bytes = count * size;
    if (count < 0 || bytes % block_bytes != 0)
        ACTGRAD_ERROR(copy_length, at, "DataCopy of %lld elements copies %lld bytes; it copies whole blocks of 32 bytes, "
                      "so the last %lld bytes are lost", static_cast<long long>(count),
                      static_cast<long long>(std::max<int64_t>(bytes, 0)),
                      static_cast<long long>(bytes % block_bytes));
    return std::max<int64_t>(bytes / block_bytes * block_bytes, 0);
}

ACTGRAD_BODY void copy_inside(const View& dst, const View& src, int64_t count, int64_t bytes, int64_t dst_stride,
                        int64_t src_stride, Where at)
{
    start(at);
    if (count == 0 || bytes == 0) return meet(Assumption::zero_length);
    const auto address = [](const View& view, int64_t piece, int64_t stride) {
        return static_cast<uint32_t>(view.address + piece * stride);
    };
    if (options.checks) {
        if (!core->may_use(src, src.address, (count - 1) * src_stride + bytes, "source", at) ||
            !core->may_use(dst, dst.address, (count - 1) * dst_stride + bytes, "destination", at))
            return;
        for (int64_t piece = 0; piece < count; ++piece) {
            const uint32_t from = address(src, piece, src_stride), to = address(dst, piece, dst_stride);
            if (from != to && from < to + bytes && to < from + bytes)
                ACTGRAD_ERROR(overlap, at, "the destination and the source overlap in part");
            core->reads(PIPE_V, from / block_bytes, static_cast<uint32_t>((from + bytes) / block_bytes), at);
            core->writes(PIPE_V, to / block_bytes, static_cast<uint32_t>((to + bytes) / block_bytes), at);
        }
    }
    for (int64_t piece = 0; piece < count; ++piece) {
        const uint32_t from = address(src, piece, src_stride), to = address(dst, piece, dst_stride);
        std::memmove(core->ub + to, core->ub + from, bytes);
        if (!options.checks) continue;
        for (uint32_t block = 0; block < bytes / block_bytes; ++block) {
            const uint32_t source = from / block_bytes + block, target = to / block_bytes + block;
            core->shadow->defined[target] = core->shadow->defined[source];
            if (core->shadow->defined[source] != ~0u)
                core->shadow->set_origin(target * block_bytes,
                                         core->shadow->origin[source].line != 0 ? core->shadow->origin[source] : at);
        }
    }
}

}  // namespace actgrad
