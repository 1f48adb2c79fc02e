// Runs all blocks of a kernel on one thread, each one as a coroutine with its own stack and core.
//
// A block runs until it ends or waits for others (SyncAll, IBWait). Blocks take turns in the order of their numbers, so a
// run always does the same. If all blocks that have not ended wait for ever, the run is a deadlock.
#pragma once

#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

#include <exception>
#include <memory>

#include "found.h"
#include "sync.h"

namespace actgrad {

constexpr size_t stack_bytes = 8u << 20, stack_guard = 64u << 20;  // a large local array must not jump over the guard

inline uint8_t* map_memory(size_t bytes)
{
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return static_cast<uint8_t*>(memory);
}

// What a running block needs: a core and a stack. Both are used again by later blocks.
struct Runner {
    Core core;
    ucontext_t context;
    uint8_t* stack = map_memory(stack_guard + stack_bytes) + stack_guard;
    bool done = true, stopped = false, abandoned = false;
    int64_t waits_for = 0;            // blocks in SyncAll
    bool waits_for_flag = false, wanted = false;
    size_t flag = 0;                  // of IBSet and IBWait
    Where waits_at = {"", 0};
    Options options;

    Runner()
    {
        mprotect(stack - stack_guard, stack_guard, PROT_NONE);  // an overflow must not reach other memory
        core.ub = map_memory(arena_bytes + 4096);
        // Contents are random on the device. This is NaN in each floating type; later blocks find what earlier ones left.
        std::memset(core.ub, 0xFF, ub_bytes);
        core.shadow = reinterpret_cast<Shadow*>(map_memory(sizeof(Shadow)));
    }
    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;
    ~Runner()
    {
        munmap(stack - stack_guard, stack_guard + stack_bytes);
        munmap(core.ub, arena_bytes + 4096);
        munmap(core.shadow, sizeof(Shadow));
    }
};

inline ucontext_t scheduler;
inline Runner* running = nullptr;

// A kernel with its arguments.
struct Job {
    virtual void run() const = 0;

protected:
    ~Job() = default;
};
inline const Job* job_of_blocks = nullptr;

inline size_t fault_of_exception = most_faults;  // its number in `found`

inline void report_exception(const char* what)
{
    running->stopped = true;
    const size_t before = found.size();
    ACTGRAD_ERROR(crash, report.last, "the kernel threw an exception%s%s", *what != 0 ? ": " : "", what);
    if (found.size() != before) fault_of_exception = before;
}

inline void run_block()
{
    try {
        job_of_blocks->run();
    } catch (const StopBlock&) {
        running->stopped = true;
    } catch (const std::exception& error) {
        report_exception(error.what());
    } catch (...) {
        report_exception("");
    }
    running->done = true;
}

inline void resume(Runner& runner)
{
    running = &runner;
    core = &runner.core;
    report.block = runner.core.block;
    options = runner.options;
    swapcontext(&scheduler, &runner.context);
    runner.options = options;
    if (runner.done && !runner.stopped && options.checks) runner.core.finish();
}

inline void suspend(int64_t blocks, Where at)
{
    Runner& here = *running;
    here.waits_for = blocks;
    here.waits_at = at;
    swapcontext(&here.context, &scheduler);
    if (here.abandoned) throw StopBlock();
}

inline void suspend_for_flag(size_t flag, bool is_set, Where at)
{
    Runner& here = *running;
    here.waits_for_flag = true;
    here.flag = flag;
    here.wanted = is_set;
    suspend(0, at);
}

inline void report_deadlock(const Runner& runner, int64_t in_sync)
{
    report.block = runner.core.block;
    if (!runner.waits_for_flag)
        ACTGRAD_ERROR(deadlock, runner.waits_at, "the blocks wait here for %lld blocks, and only %lld come",
                      static_cast<long long>(runner.waits_for), static_cast<long long>(in_sync));
    else if (runner.wanted)
        ACTGRAD_ERROR(deadlock, runner.waits_at, "IBWait waits for ever; no IBSet of this block and event comes");
    else
        ACTGRAD_ERROR(deadlock, runner.waits_at, "IBSet waits for ever, because no IBWait has taken the flag of line %d",
                      block_flags[runner.flag].set_at.line);
}

// Runs the job for each block and returns the seconds that it took.
inline double run_blocks(int64_t blocks, const Job& job)
{
    std::vector<std::unique_ptr<Runner>> runners;  // of the blocks that have started
    std::vector<std::unique_ptr<Runner>> spare;
    const Options chosen = options;
    spare.push_back(std::make_unique<Runner>());
    number_of_blocks = blocks;
    job_of_blocks = &job;
    wait_for_blocks = suspend;
    wait_for_flag = suspend_for_flag;
    block_flags.clear();
    memory.forget_times();
    timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    for (int64_t block = 0; block < blocks; ++block) {
        if (spare.empty()) spare.push_back(std::make_unique<Runner>());
        std::unique_ptr<Runner> runner = std::move(spare.back());
        spare.pop_back();
        runner->core.reset(block);
        runner->done = runner->stopped = runner->abandoned = runner->waits_for_flag = false;
        runner->options = chosen;
        getcontext(&runner->context);
        runner->context.uc_stack.ss_sp = runner->stack;
        runner->context.uc_stack.ss_size = stack_bytes;
        runner->context.uc_link = &scheduler;
        makecontext(&runner->context, run_block, 0);
        resume(*runner);
        if (runner->done) spare.push_back(std::move(runner));
        else runners.push_back(std::move(runner));
    }
    while (!runners.empty()) {
        // A block whose flag has come goes on first. Otherwise all blocks wait, and SyncAll ends if enough are there.
        const auto can_go_on = [](const Runner& runner) {
            return runner.waits_for_flag && block_flags[runner.flag].is_set == runner.wanted;
        };
        int64_t in_sync = 0;
        bool any_flag = false;
        const Runner* first = nullptr;  // of those that wait for others
        for (const auto& runner : runners) {
            any_flag = any_flag || can_go_on(*runner);
            in_sync += !runner->waits_for_flag;
            if (first == nullptr && !runner->waits_for_flag) first = runner.get();
        }
        if (!any_flag && (first == nullptr || in_sync < first->waits_for)) {
            report_deadlock(first == nullptr ? *runners.front() : *first, in_sync);
            for (const auto& runner : runners) runner->abandoned = true;
        }
        if (options.checks && !any_flag) memory.compare_blocks();
        std::vector<std::unique_ptr<Runner>> waiting;
        for (auto& runner : runners) {
            if (runner->abandoned || (any_flag ? can_go_on(*runner) : !runner->waits_for_flag)) {
                runner->waits_for_flag = false;
                resume(*runner);
            }
            if (!runner->done) waiting.push_back(std::move(runner));
        }
        runners = std::move(waiting);
    }
    if (options.checks) memory.compare_blocks();
    for (const BlockFlag& flag : block_flags)
        if (flag.is_set && options.checks) ACTGRAD_ERROR(flag_unpaired, flag.set_at, "no IBWait follows this IBSet");
    clock_gettime(CLOCK_MONOTONIC, &after);
    options = chosen;
    return static_cast<double>(after.tv_sec - before.tv_sec) + 1e-9 * static_cast<double>(after.tv_nsec - before.tv_nsec);
}

}  // namespace actgrad
