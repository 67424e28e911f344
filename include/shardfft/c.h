#ifndef SHARDFFT_C_H
#define SHARDFFT_C_H
/* The C interface: include this one. C11 and C++. */
#include "shardfft/c/base.h"
#include "shardfft/c/gpu.h"
#include "shardfft/c/halo.h"
#include "shardfft/c/layout.h"
#include "shardfft/c/operator.h"
#include "shardfft/c/options.h"
#include "shardfft/c/particles.h"
#include "shardfft/c/plan.h"
#include "shardfft/c/poisson.h"
#include "shardfft/c/redistribution.h"
#include "shardfft/c/side.h"
#include "shardfft/c/spectra.h"
#include "shardfft/c/wisdom.h"
#endif
