// The definition of the operator: tensors, dtypes, attributes and products.
#include "register/op_def_registry.h"

namespace ops {
class Celu : public OpDef {
public:
    explicit Celu(const char* name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT});
        this->Attr("alpha").AttrType(OPTIONAL).Float(1.0);
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(Celu);
}  // namespace ops
