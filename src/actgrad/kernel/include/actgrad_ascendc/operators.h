// Operators on whole tensors: y = a + b calls Add(y, a, b, n) for the n elements of y. A comparison writes bits.
#pragma once

#include "arithmetic.h"
#include "compare_select.h"

namespace actgrad::operators {

#define ACTGRAD_ARITHMETIC_OPERATOR(Name)                                                                       \
    struct Name {                                                                                               \
        template <class T>                                                                                      \
        static void run(const LocalTensor<T>& dst, const LocalTensor<T>& a, const LocalTensor<T>& b, Where at)  \
        {                                                                                                       \
            AscendC::Name(dst, a, b, dst.GetSize(), at);                                                        \
        }                                                                                                       \
    };
#define ACTGRAD_COMPARISON_OPERATOR(Name, mode)                                                                 \
    struct Name {                                                                                               \
        template <class U, class T>                                                                             \
        static void run(const LocalTensor<U>& dst, const LocalTensor<T>& a, const LocalTensor<T>& b, Where at)  \
        {                                                                                                       \
            AscendC::Compare(dst, a, b, AscendC::CMPMODE::mode, a.GetSize(), at);                               \
        }                                                                                                       \
    };
ACTGRAD_ARITHMETIC_OPERATOR(Add)
ACTGRAD_ARITHMETIC_OPERATOR(Sub)
ACTGRAD_ARITHMETIC_OPERATOR(Mul)
ACTGRAD_ARITHMETIC_OPERATOR(Div)
ACTGRAD_ARITHMETIC_OPERATOR(And)
ACTGRAD_ARITHMETIC_OPERATOR(Or)
ACTGRAD_COMPARISON_OPERATOR(Less, LT)
ACTGRAD_COMPARISON_OPERATOR(Greater, GT)
ACTGRAD_COMPARISON_OPERATOR(Equal, EQ)
ACTGRAD_COMPARISON_OPERATOR(LessEqual, LE)
ACTGRAD_COMPARISON_OPERATOR(GreaterEqual, GE)
ACTGRAD_COMPARISON_OPERATOR(NotEqual, NE)

}  // namespace actgrad::operators
