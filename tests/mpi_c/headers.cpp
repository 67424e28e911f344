// The C interface as C++ sees it: compiled without warnings, by a test of the build.
#include <shardfft/c.h>

int main() { return shardfft_layout_free(nullptr); }
