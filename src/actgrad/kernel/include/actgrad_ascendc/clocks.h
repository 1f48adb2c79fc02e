// Vector clocks of the pipes.
//
// We run a kernel in the order of its text. On the device the pipes run at the same time, so an order that the kernel
// did not ask for is luck. Each pipe numbers its instructions and has a clock: how many instructions of each pipe have
// ended for certain before the pipe's next instruction starts. SetFlag stores the clock of its pipe and WaitFlag joins
// it into the clock of the other pipe; EnQue with DeQue and FreeTensor with AllocTensor do the same. An access whose
// predecessor is not in the clock is a race, whatever the schedule is. One run therefore finds the races of all
// schedules.
//
// Scalar instructions (S) hand out all others, so each instruction joins the clock of S.
#pragma once

#include "faults.h"

namespace actgrad {

constexpr int pipes = 8;

inline const char* pipe_name(int pipe)
{
    static const char* const names[] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "ALL", "FIX"};
    return names[pipe & 7];
}

struct Clock {
    uint32_t ended[pipes] = {};

    void join(const Clock& other)
    {
        for (int pipe = 0; pipe < pipes; ++pipe)
            ended[pipe] = ended[pipe] < other.ended[pipe] ? other.ended[pipe] : ended[pipe];
    }
};

class Clocks {
public:
    // Starts an instruction of a pipe and returns its number.
    uint32_t issue(pipe_t pipe, Where at)
    {
        clock_[pipe].join(clock_[PIPE_S]);
        log_[pipe][++issued_[pipe] % kept] = at;
        return issued_[pipe];
    }
    // How many instructions of `of` have ended before the next instruction of `pipe`.
    uint32_t known(pipe_t pipe, pipe_t of) const { return clock_[pipe].ended[of]; }
    uint32_t issued(pipe_t pipe) const { return issued_[pipe]; }
    // The clock after all that the pipe has started so far.
    Clock after(pipe_t pipe) const
    {
        Clock clock = clock_[pipe];
        clock.join(clock_[PIPE_S]);
        clock.ended[pipe] = issued_[pipe];
        return clock;
    }
    // The next block starts: all that came before has ended.
    void start_block() { barrier(PIPE_ALL); }
    void wait(pipe_t pipe, const Clock& clock) { clock_[pipe].join(clock); }
    // PipeBarrier: a pipe knows its own instructions, and PIPE_ALL all of them.
    void barrier(pipe_t pipe)
    {
        if (pipe != PIPE_ALL) {
            clock_[pipe].ended[pipe] = issued_[pipe];
            return;
        }
        Clock all;
        for (int each = 0; each < pipes; ++each) all.ended[each] = issued_[each];
        for (Clock& clock : clock_) clock = all;
    }
    // The position of an instruction, for messages. Old ones are forgotten.
    Where where(pipe_t pipe, uint32_t number) const
    {
        return number + kept > issued_[pipe] && number != 0 ? log_[pipe][number % kept] : Where{"", 0};
    }

private:
    static constexpr uint32_t kept = 256;
    Clock clock_[pipes];
    uint32_t issued_[pipes] = {};
    Where log_[pipes][kept];
};

}  // namespace actgrad
