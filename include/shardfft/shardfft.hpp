#pragma once
// Everything: include this one.
#include "shardfft/error.hpp"
#include "shardfft/for_each.hpp"
#include "shardfft/gpu.hpp"
#include "shardfft/layout.hpp"
#include "shardfft/operator.hpp"
#include "shardfft/option_table.hpp"
#include "shardfft/options.hpp"
#include "shardfft/plan.hpp"
#include "shardfft/report.hpp"
#include "shardfft/side.hpp"
#include "shardfft/typed_array.hpp"
#include "shardfft/types.hpp"
