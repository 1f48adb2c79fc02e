// Runs all blocks of a kernel on one thread, each one as a coroutine with its own stack and core.
//
// A block runs until it ends or reaches SyncAll. Blocks take turns in the order of their numbers, so a run always does
// the same. If some blocks wait in SyncAll and the others have ended, the run is a deadlock.
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
    bool done = true, stopped = false, waits = false, abandoned = false;
    int64_t waits_for = 0;
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
    here.waits = true;
    here.waits_for = blocks;
    here.waits_at = at;
    swapcontext(&here.context, &scheduler);
    if (here.abandoned) throw StopBlock();
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
    timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    for (int64_t block = 0; block < blocks; ++block) {
        if (spare.empty()) spare.push_back(std::make_unique<Runner>());
        std::unique_ptr<Runner> runner = std::move(spare.back());
        spare.pop_back();
        runner->core.reset(block);
        runner->done = runner->stopped = runner->waits = runner->abandoned = false;
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
    while (!runners.empty()) {  // all of them wait in SyncAll
        const Runner& first = *runners.front();
        if (static_cast<int64_t>(runners.size()) < first.waits_for) {
            report.block = first.core.block;
            ACTGRAD_ERROR(deadlock, first.waits_at, "the blocks wait here for %lld blocks, and only %zu come",
                          static_cast<long long>(first.waits_for), runners.size());
            for (const auto& runner : runners) runner->abandoned = true;
        }
        if (options.checks) memory.compare_blocks();
        std::vector<std::unique_ptr<Runner>> waiting;
        for (auto& runner : runners) {
            runner->waits = false;
            resume(*runner);
            if (!runner->done) waiting.push_back(std::move(runner));
        }
        runners = std::move(waiting);
    }
    if (options.checks) memory.compare_blocks();
    clock_gettime(CLOCK_MONOTONIC, &after);
    options = chosen;
    return static_cast<double>(after.tv_sec - before.tv_sec) + 1e-9 * static_cast<double>(after.tv_nsec - before.tv_nsec);
}

}  // namespace actgrad
