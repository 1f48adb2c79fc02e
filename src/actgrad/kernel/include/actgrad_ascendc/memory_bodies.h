// Bodies of faults.h and global_memory.h.
#pragma once

#include <algorithm>
#include <cstdarg>

#include "found.h"
#include "global_memory.h"

namespace actgrad {

ACTGRAD_BODY void fault(Kind kind, Severity severity, Where at, const char* format, ...)
{
    Fault* weaker = nullptr;  // the same fault, found before with less certainty
    for (Fault& known : found)
        if (known.kind == kind && known.at.line == at.line && std::strcmp(known.at.file, at.file) == 0) {
            if (known.severity <= severity) return;
            weaker = &known;
        }
    if (weaker == nullptr && found.size() >= most_faults) return;
    char text[1024];
    va_list values;
    va_start(values, format);
    std::vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (weaker != nullptr) *weaker = {kind, severity, at, report.block, text};
    else found.push_back({kind, severity, at, report.block, text});
}

ACTGRAD_BODY int GlobalMemory::find(const void* pointer) const
{
    int best = -1;
    for (int each = 0; each < static_cast<int>(arguments.size()); ++each)
        if (arguments[each].data <= pointer && (best < 0 || arguments[each].data > arguments[best].data))
            best = each;
    return best;
}

ACTGRAD_BODY std::vector<uint32_t> GlobalMemory::tell(int64_t block, int64_t blocks)
{
    if (times_.now.empty()) {
        times_.now.assign(static_cast<size_t>(blocks), 1);
        times_.known.assign(static_cast<size_t>(blocks), {2, std::vector<uint32_t>(static_cast<size_t>(blocks), 0)});
    }
    std::vector<uint32_t> told = times_.known[block].back();
    told[block] = times_.now[block]++;
    times_.known[block].push_back(told);
    return told;
}

ACTGRAD_BODY void GlobalMemory::learn(int64_t block, const std::vector<uint32_t>& told)
{
    std::vector<uint32_t> all = tell(block, static_cast<int64_t>(told.size()));
    for (size_t other = 0; other < all.size(); ++other) all[other] = std::max(all[other], told[other]);
    times_.known[block].back() = all;
}

ACTGRAD_BODY bool GlobalMemory::is_ordered(const GmAccess& a, const GmAccess& b) const
{
    if (times_.now.empty()) return false;
    // Accesses before the first flag have the time 0, and count as those of time 1.
    const uint32_t time_of_a = std::max(a.time, 1u), time_of_b = std::max(b.time, 1u);
    return times_.known[b.block][time_of_b][a.block] >= time_of_a || times_.known[a.block][time_of_a][b.block] >= time_of_b;
}

ACTGRAD_BODY void GlobalMemory::note(std::vector<GmAccess>& list, std::vector<int>& latest, GmAccess access)
{
    if (!times_.now.empty()) access.time = times_.now[access.block];
    if (latest.size() < arguments.size()) latest.resize(arguments.size(), -1);
    int& index = latest[access.argument];
    if (index >= 0 && access.pieces.count == 1) {  // the usual case: the next tile follows the last one
        GmAccess& last = list[index];
        if (last.pieces.count == 1 && last.block == access.block && last.time == access.time && last.atomic == access.atomic &&
            last.same == access.same && last.at.line == access.at.line && last.at.file == access.at.file &&
            last.pieces.start + last.pieces.piece == access.pieces.start) {
            last.pieces.piece += access.pieces.piece;
            return;
        }
    }
    index = static_cast<int>(list.size());
    list.push_back(access);
}

// ---- two blocks at one byte

struct Interval {
    int64_t from, to;
    const GmAccess* access;
    bool is_write;
};
// The two intervals of different blocks that reach farthest.
struct Farthest {
    const Interval* best = nullptr;
    const Interval* other = nullptr;

    void add(const Interval* interval)
    {
        if (best == nullptr || interval->to > best->to) {
            if (best != nullptr && best->access->block != interval->access->block) other = best;
            best = interval;
        } else if (interval->access->block != best->access->block &&
                   (other == nullptr || interval->to > other->to)) {
            other = interval;
        }
    }
    const Interval* of_another_block(const Interval& interval) const
    {
        const Interval* found = best != nullptr && best->access->block != interval.access->block ? best : other;
        return found != nullptr && found->to > interval.from ? found : nullptr;
    }
};

inline void expand(std::vector<Interval>& intervals, const GmAccess& access, bool is_write)
{
    for (int64_t piece = 0; piece < access.pieces.count; ++piece) {
        const int64_t from = access.pieces.start + piece * access.pieces.stride;
        intervals.push_back({from, from + access.pieces.piece, &access, is_write});
    }
}

ACTGRAD_BODY void GlobalMemory::collide(const Interval& write, const Interval& other) const
{
    if (is_ordered(*write.access, *other.access)) return;
    const GmAccess &a = *write.access, &b = *other.access;
    const int64_t from = std::max(write.from, other.from);
    const char* name = memory.arguments[a.argument].name;
    if (!other.is_write) {
        report.block = b.block;
        ACTGRAD_ERROR(gm_race, b.at,
                      "block %d reads byte %lld of %s, which block %d writes at line %d without SyncAll between",
                      b.block, static_cast<long long>(from), name, a.block, a.at.line);
    } else if (!(a.atomic && b.atomic)) {
        const GmAccess& later = a.block > b.block ? a : b;
        const GmAccess& earlier = a.block > b.block ? b : a;
        report.block = later.block;
        ACTGRAD_ERROR(gm_overlapping_writes, later.at,
                      "blocks %d and %d both write byte %lld of %s%s; block %d does so at line %d", earlier.block,
                      later.block, static_cast<long long>(from), name, later.same ? " (the same values, by luck)" : "",
                      earlier.block, earlier.at.line);
    }
}

ACTGRAD_BODY void GlobalMemory::sweep(const std::vector<Interval>& intervals) const
{
    Farthest writes, reads;
    int argument = -1;
    for (const Interval& interval : intervals) {
        if (interval.access->argument != argument) {
            argument = interval.access->argument;
            writes = reads = Farthest();
        }
        if (const Interval* write = writes.of_another_block(interval)) collide(*write, interval);
        if (interval.is_write) {
            if (const Interval* read = reads.of_another_block(interval)) collide(interval, *read);
        }
        (interval.is_write ? writes : reads).add(&interval);
    }
}

ACTGRAD_BODY void GlobalMemory::compare_blocks()
{
    std::vector<Interval> intervals;
    std::vector<char> is_written(arguments.size(), 0);
    for (const GmAccess& access : writes_) is_written[access.argument] = 1;
    for (const GmAccess& access : writes_) expand(intervals, access, true);
    for (const GmAccess& access : reads_)
        if (is_written[access.argument]) expand(intervals, access, false);
    std::sort(intervals.begin(), intervals.end(), [](const Interval& a, const Interval& b) {
        return a.access->argument != b.access->argument ? a.access->argument < b.access->argument
                                                        : a.from < b.from;
    });
    sweep(intervals);
    reads_.clear();
    writes_.clear();
    latest_read_.clear();
    latest_write_.clear();
}

}  // namespace actgrad
