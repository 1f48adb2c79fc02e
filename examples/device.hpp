// The C++ programs in this folder include this file: a device, tensors in its memory, and CHECK, which ends the program
// with a message when a call fails.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"

inline void check(int status, const char* call) {
    if (status == 0) return;
    const char* text = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s: status %d\n%s\n", call, status, text ? text : "");
    std::exit(1);
}
#define CHECK(call) check(call, #call)

// Opens the device and a stream. The destructor closes both.
class Device {
public:
    Device() {
        CHECK(aclInit(nullptr));
        CHECK(aclrtSetDevice(0));
        CHECK(aclrtCreateStream(&stream_));
    }
    ~Device() {
        aclrtDestroyStream(stream_);
        aclrtResetDevice(0);
        aclFinalize();
    }
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;
    aclrtStream stream() const { return stream_; }

private:
    aclrtStream stream_ = nullptr;
};

// A contiguous tensor of floats in device memory.
class Tensor {
public:
    Tensor(const std::vector<int64_t>& shape, const std::vector<float>& values) : count_(values.size()) {
        CHECK(aclrtMalloc(&memory_, count_ * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST));
        CHECK(aclrtMemcpy(memory_, count_ * sizeof(float), values.data(), count_ * sizeof(float),
                          ACL_MEMCPY_HOST_TO_DEVICE));
        tensor_ = aclCreateTensor(shape.data(), shape.size(), ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape.data(),
                                  shape.size(), memory_);
    }
    Tensor(const std::vector<int64_t>& shape, float value) : Tensor(shape, std::vector<float>(size(shape), value)) {}
    ~Tensor() {
        aclDestroyTensor(tensor_);
        aclrtFree(memory_);
    }
    Tensor(const Tensor&) = delete;
    Tensor& operator=(const Tensor&) = delete;
    operator aclTensor*() const { return tensor_; }

    std::vector<float> values() const {
        std::vector<float> result(count_);
        CHECK(aclrtMemcpy(result.data(), count_ * sizeof(float), memory_, count_ * sizeof(float),
                          ACL_MEMCPY_DEVICE_TO_HOST));
        return result;
    }

    void print(const char* name) const {
        std::printf("%s:", name);
        for (float value : values()) std::printf(" %.6f", value);
        std::printf("\n");
    }

private:
    static std::size_t size(const std::vector<int64_t>& shape) {
        std::size_t count = 1;
        for (int64_t n : shape) count *= static_cast<std::size_t>(n);
        return count;
    }

    std::size_t count_;
    void* memory_ = nullptr;
    aclTensor* tensor_ = nullptr;
};

// An aclScalar of type float.
class Scalar {
public:
    explicit Scalar(float value) : scalar_(aclCreateScalar(&value, ACL_FLOAT)) {}
    ~Scalar() { aclDestroyScalar(scalar_); }
    Scalar(const Scalar&) = delete;
    Scalar& operator=(const Scalar&) = delete;
    operator aclScalar*() const { return scalar_; }

private:
    aclScalar* scalar_;
};

// Runs phase one of an operator, allocates the workspace, and runs phase two.
template <typename PhaseOne, typename PhaseTwo>
void run(const Device& device, PhaseOne phase_one, PhaseTwo phase_two) {
    uint64_t workspace_size = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(phase_one(&workspace_size, &executor));
    void* workspace = nullptr;
    if (workspace_size > 0) CHECK(aclrtMalloc(&workspace, workspace_size, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(phase_two(workspace, workspace_size, executor, device.stream()));
    CHECK(aclrtSynchronizeStream(device.stream()));
    if (workspace != nullptr) CHECK(aclrtFree(workspace));
}
