// Bodies of compare_select.h.
#pragma once

#include "compare_select.h"
#include "core_bodies.h"

namespace actgrad {

ACTGRAD_BODY void check_reserve(SELMODE mode, Where at)
{
    constexpr uint32_t reserve = 8192;
    if (__NPU_ARCH__ == 3510 || mode == SELMODE::VSEL_CMPMASK_SPR || core->used + reserve <= options.ub) return;
    const uint32_t start = options.ub - reserve;
    const auto is_used = [](uint32_t from, uint32_t to) {
        bool used = false;
        Shadow::for_blocks(from, to - from, [&](uint32_t block, uint32_t bits) {
            used |= (core->shadow->defined[block] & bits) != 0;
        });
        return used;
    };
    bool ends_unused = options.checks;
    for (const Buffer& buffer : core->buffers) {
        if (buffer.state == State::dead || buffer.start + buffer.bytes <= start) continue;
        const uint32_t from = std::max(buffer.start, start), to = std::min(buffer.start + buffer.bytes, arena_bytes);
        ends_unused = ends_unused && buffer.start < start && is_used(buffer.start, start) && !is_used(from, to);
        fault(Kind::ub_capacity, Severity::note, buffer.at, "this buffer covers the last %u bytes of UB, which Select at "
              "line %d needs", reserve, at.line);
    }
    fault(Kind::ub_capacity, ends_unused ? Severity::warning : Severity::error, at,
          "Select in this mode needs %u bytes of UB of its own; the buffers leave %u", reserve,
          options.ub - std::min(core->used, options.ub));
}

ACTGRAD_BODY bool begin_bytes(const Operand* operands, const int64_t* bytes, int number, Where at)
{
    if (!options.checks) return true;
    for (int i = 0; i < number; ++i)
        if (!core->may_use(operands[i].view, operands[i].view.address, bytes[i], operands[i].role, at)) return false;
    for (int i = 0; i < number; ++i) {
        const uint32_t from = operands[i].view.address / block_bytes;
        const uint32_t to = static_cast<uint32_t>((operands[i].view.address + bytes[i] + block_bytes - 1) / block_bytes);
        if (i != 0) core->reads(PIPE_V, from, to, at);
    }
    const uint32_t address = operands[0].view.address;
    core->writes(PIPE_V, address / block_bytes, static_cast<uint32_t>((address + bytes[0] + block_bytes - 1) / block_bytes), at);
    return true;
}

ACTGRAD_BODY void define_bits(const Operand& dst, const Operand* sources, int number, int64_t count, Where at)
{
    if (!options.checks) return;
    bool all = true;
    for (int i = 0; i < number; ++i)
        all &= core->shadow->is_defined(sources[i].view.address, static_cast<uint32_t>(count * sources[i].size));
    const uint32_t bytes = static_cast<uint32_t>((count + 7) / 8);
    if (all) return core->shadow->define(dst.view.address, bytes);
    for (uint32_t byte = 0; byte < bytes; ++byte) {
        uint8_t with_value = 0xFF;  // bits behind the last element keep what they had
        Where origin = at;
        for (int64_t element = 8 * byte; element < std::min<int64_t>(count, 8 * byte + 8); ++element)
            for (int i = 0; i < number; ++i)
                if (!is_defined(sources[i], element)) {
                    with_value = static_cast<uint8_t>(with_value & ~(1u << element % 8));
                    origin = origin_of(sources[i].view.address + static_cast<uint32_t>(element * sources[i].size),
                                       sources[i].size, at);
                }
        core->shadow->define_bits(dst.view.address + byte, with_value);
        if (with_value != 0xFF) core->shadow->set_origin(dst.view.address + byte, origin);
    }
}

}  // namespace actgrad
