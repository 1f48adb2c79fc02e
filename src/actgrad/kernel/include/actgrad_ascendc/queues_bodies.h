// Bodies of queues.h.
#pragma once

#include "core_bodies.h"
#include "queues.h"

namespace actgrad {

ACTGRAD_BODY uint16_t new_queue(TPosition source, TPosition destination, int depth, uint32_t count, uint32_t bytes, Where at)
{
    int others = 0;
    for (const Queue& queue : core->queues)
        if (!queue.buffers.empty() && queue.source == source && queue.destination == destination)
            others += static_cast<int>(queue.buffers.size());
    if (others + static_cast<int>(count) > Core::most_queue_buffers)
        ACTGRAD_ERROR(ub_capacity, at, "the queues of this position have %d buffers; the event ids suffice for %d",
                      others + static_cast<int>(count), Core::most_queue_buffers);
    const uint16_t number = static_cast<uint16_t>(core->queues.size());
    core->queues.push_back({source, destination, depth, {}, {}, 0});
    for (uint32_t each = 0; each < count; ++each)
        core->queues[number].buffers.push_back(core->new_buffer(bytes, number, at));
    return number;
}

inline Queue& queue_of(uint16_t number, const char* call, Where at)
{
    report.last = at;
    if (number == 0 || number >= core->queues.size()) {
        ACTGRAD_ERROR(queue_empty, at, "%s of a queue that has no buffers; InitBuffer must give it some", call);
        throw StopBlock();
    }
    return core->queues[number];
}

ACTGRAD_BODY View take(uint16_t number, pipe_t filling, TPosition position, Where at)
{
    Queue& queue = queue_of(number, "AllocTensor", at);
    for (size_t step = 0; step < queue.buffers.size(); ++step) {
        const uint16_t index = queue.buffers[(queue.next + step) % queue.buffers.size()];
        Buffer& buffer = core->buffers[index];
        if (buffer.state != State::free) continue;
        queue.next = (queue.next + step + 1) % queue.buffers.size();
        buffer.state = State::taken;
        buffer.at = buffer.taken_at = at;
        core->clocks.wait(filling, buffer.clock);
        if (options.checks) core->shadow->define(buffer.start, buffer.bytes, false);
        return core->view_of(index, position);
    }
    for (uint16_t index : queue.buffers)
        if (core->buffers[index].state == State::taken)
            ACTGRAD_ERROR(queue_leak, core->buffers[index].taken_at, "the tensor taken here is not given back; FreeTensor must "
                          "follow before line %d takes the next one", at.line);
    ACTGRAD_ERROR(deadlock, at, "AllocTensor waits for a free buffer, and none of the %zu comes back",
                  queue.buffers.size());
    throw StopBlock();
}

// The buffer of a tensor, if the tensor belongs to this queue and is in the kernel's hands.
inline Buffer* owned(uint16_t queue, const View& tensor, const char* call, Where at)
{
    Buffer& buffer = core->buffers[tensor.buffer];
    if (tensor.buffer == 0 || buffer.queue != queue) {
        ACTGRAD_ERROR(queue_double_free, at, "%s gets a tensor that is not from this queue", call);
        return nullptr;
    }
    if (buffer.generation != tensor.generation || buffer.state == State::free) {
        ACTGRAD_ERROR(queue_double_free, at, "%s gets a tensor that was given back at line %d", call, buffer.at.line);
        return nullptr;
    }
    return &buffer;
}

ACTGRAD_BODY bool put(uint16_t number, const View& tensor, pipe_t filling, Where at)
{
    Queue& queue = queue_of(number, "EnQue", at);
    Buffer* buffer = owned(number, tensor, "EnQue", at);
    if (buffer == nullptr) return false;
    if (buffer->state == State::queued) {
        ACTGRAD_ERROR(queue_full, at, "EnQue gets a tensor that line %d has queued already", buffer->at.line);
        return false;
    }
    if (queue.waiting.size() >= static_cast<size_t>(queue.depth)) {
        ACTGRAD_ERROR(queue_full, at, "the queue holds %zu tensors, and its depth is %d; EnQue returns false",
                      queue.waiting.size(), queue.depth);
        return false;
    }
    buffer->state = State::queued;
    buffer->at = at;
    buffer->clock = core->clocks.after(filling);
    queue.waiting.push_back(tensor.buffer);
    return true;
}

ACTGRAD_BODY View pop(uint16_t number, pipe_t emptying, TPosition position, Where at)
{
    Queue& queue = queue_of(number, "DeQue", at);
    if (queue.waiting.empty()) {
        ACTGRAD_ERROR(queue_empty, at, "DeQue of an empty queue; EnQue must come first");
        throw StopBlock();
    }
    const uint16_t index = queue.waiting.front();
    queue.waiting.erase(queue.waiting.begin());
    Buffer& buffer = core->buffers[index];
    buffer.state = State::taken;
    buffer.at = at;
    core->clocks.wait(emptying, buffer.clock);
    return core->view_of(index, position);
}

ACTGRAD_BODY void give_back(uint16_t number, const View& tensor, pipe_t emptying, Where at)
{
    queue_of(number, "FreeTensor", at);
    Buffer* buffer = owned(number, tensor, "FreeTensor", at);
    if (buffer == nullptr) return;
    if (buffer->state == State::queued) {
        ACTGRAD_ERROR(queue_double_free, at, "FreeTensor gets a tensor that waits in the queue since line %d",
                      buffer->at.line);
        return;
    }
    buffer->state = State::free;
    ++buffer->generation;
    buffer->at = at;
    buffer->clock = core->clocks.after(emptying);
}

ACTGRAD_BODY size_t tensors_waiting(uint16_t queue) { return queue == 0 ? 0 : core->queues[queue].waiting.size(); }

ACTGRAD_BODY bool has_free_buffer(uint16_t queue)
{
    for (uint16_t index : core->queues[queue].buffers)
        if (core->buffers[index].state == State::free) return true;
    return false;
}

}  // namespace actgrad
