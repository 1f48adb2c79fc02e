// Unit tests of kernels: a gtest file that includes this header and the kernel's file runs the kernel on the CPU.
//
//   uint8_t* x = static_cast<uint8_t*>(AscendC::GmAlloc(bytes));
//   ICPU_SET_TILING_KEY(1);
//   ICPU_RUN_KF(kernel, blocks, x, y, workspace, tiling);
//   AscendC::GmFree(x);
//
// Faults go to the standard error output, with the kernel's file and line. A fault of severity error also fails the
// test, if gtest.h is included before this header.
#pragma once

#include <unistd.h>

#include "actgrad_ascendc/blocks.h"
#include "actgrad_ascendc/found.h"
#include "kernel_operator.h"

namespace actgrad {

constexpr uint64_t page_of_test = 4096;

template <class F>
class CallJob : public Job {
public:
    explicit CallJob(F call) : call_(call) {}
    void run() const override { call_(); }

private:
    F call_;
};

inline void print_faults()
{
    for (const Fault& fault : found)
        std::fprintf(stderr, "%s:%d: %s: %s [%s, block %lld]\n", fault.at.file, fault.at.line, name_of(fault.severity),
                     fault.message.c_str(), name_of(fault.kind), static_cast<long long>(fault.block));
}
inline size_t number_of_errors()
{
    size_t errors = 0;
    for (const Fault& fault : found) errors += fault.severity == Severity::error;
    return errors;
}

// Runs a kernel in this process. `report` holds the faults afterwards.
template <class Kernel, class... A>
inline void run_in_test(Kernel kernel, int64_t blocks, A... arguments)
{
    report = Report();
    found.clear();
    memory.is_complete = false;  // a test may also pass memory that GmAlloc has not given out
    const auto call = [&] { kernel(arguments...); };
    const CallJob<decltype(call)> job(call);
    run_blocks(blocks, job);
    print_faults();
}

}  // namespace actgrad

namespace AscendC {

// Memory for an argument. It ends at a page that nobody may touch.
inline void* GmAlloc(size_t bytes)
{
    const size_t room = (bytes + 31) / 32 * 32;
    const size_t mapped = (room + actgrad::page_of_test - 1) / actgrad::page_of_test * actgrad::page_of_test;
    uint8_t* base = actgrad::map_memory(mapped + 2 * actgrad::page_of_test);
    mprotect(base, actgrad::page_of_test, PROT_NONE);
    mprotect(base + actgrad::page_of_test + mapped, actgrad::page_of_test, PROT_NONE);
    uint8_t* data = base + actgrad::page_of_test + mapped - room;
    const std::string name = "argument " + std::to_string(actgrad::memory.arguments.size() + 1);
    actgrad::memory.add(data, bytes, false, name.c_str());
    return data;
}
inline void GmFree(void* pointer)
{
    std::vector<actgrad::Argument>& all = actgrad::memory.arguments;
    for (size_t i = 0; i < all.size(); ++i) {
        if (all[i].data != pointer) continue;
        const uintptr_t first = reinterpret_cast<uintptr_t>(pointer) / actgrad::page_of_test * actgrad::page_of_test;
        const size_t room = (all[i].bytes + 31) / 32 * 32;
        const size_t mapped = (room + actgrad::page_of_test - 1) / actgrad::page_of_test * actgrad::page_of_test;
        munmap(reinterpret_cast<void*>(first - actgrad::page_of_test), mapped + 2 * actgrad::page_of_test);
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
        return;
    }
}

enum class KernelMode { MIX_MODE = 0, AIC_MODE, AIV_MODE };
inline void SetKernelMode(KernelMode) {}

}  // namespace AscendC

using AscendC::KernelMode;

#define ICPU_SET_TILING_KEY(key) (::actgrad::tiling_key = static_cast<uint64_t>(key))
#ifdef ADD_FAILURE
#define ICPU_RUN_KF(kernel, blocks, ...)                                                                        \
    do {                                                                                                        \
        ::actgrad::run_in_test(kernel, blocks, __VA_ARGS__);                                                    \
        if (::actgrad::number_of_errors() != 0) ADD_FAILURE() << ::actgrad::number_of_errors() << " faults of the kernel"; \
    } while (0)
#else
#define ICPU_RUN_KF(kernel, blocks, ...) ::actgrad::run_in_test(kernel, blocks, __VA_ARGS__)
#endif
