// The faults that a run has found, for those who print them. A kernel compiles faster without this file.
#pragma once

#include <cstdio>
#include <string>

#include "faults.h"

namespace actgrad {

struct Fault {
    Kind kind;
    Severity severity;
    Where at;
    int64_t block;
    std::string message;
};

constexpr size_t most_faults = 1000;
inline std::vector<Fault> found;

}  // namespace actgrad
