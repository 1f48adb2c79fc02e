// Descriptions of operators for graphs. A tiling function does not need them.
#pragma once

#include "actgrad_ascendc/host.h"

#define REG_OP(Op) [[maybe_unused]] static const ::actgrad::host::GraphOperator actgrad_graph_of_##Op = ::actgrad::host::GraphOperator()
#define INPUT(...) Ignore()
#define OPTIONAL_INPUT(...) Ignore()
#define DYNAMIC_INPUT(...) Ignore()
#define OUTPUT(...) Ignore()
#define DYNAMIC_OUTPUT(...) Ignore()
#define ATTR(...) Ignore()
#define REQUIRED_ATTR(...) Ignore()
#define OP_END_FACTORY_REG(Op) Ignore();

namespace actgrad::host {

struct GraphOperator {
    const GraphOperator& Ignore() const { return *this; }
};

}  // namespace actgrad::host
