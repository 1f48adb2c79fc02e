// The template parameter of the kernel elu: how exp(z) - 1 is computed.
#ifndef ELU_TILING_KEY_H
#define ELU_TILING_KEY_H

#include "ascendc/host_api/tiling/template_argument.h"

#define ELU_BY_EXP 0
#define ELU_BY_POLYNOMIAL 1

ASCENDC_TPL_ARGS_DECL(Elu, ASCENDC_TPL_UINT_DECL(mode, 8, ASCENDC_TPL_UI_LIST, ELU_BY_EXP, ELU_BY_POLYNOMIAL));

ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_UINT_SEL(mode, ASCENDC_TPL_UI_LIST, ELU_BY_EXP, ELU_BY_POLYNOMIAL)));

#endif
