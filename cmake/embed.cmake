# cmake -DOUT=... -DROOT=... -DFILES="a;b" -P embed.cmake: the texts of files below ROOT, by name, in a C++ source.
set(text "// Made by cmake/embed.cmake.\n#include \"device/cuda/lines/kernel_sources.hpp\"\n\nnamespace shardfft::device::lines {\n\n")
string(APPEND text "const std::vector<KernelSource>& kernel_sources() {\n  static const std::vector<KernelSource> all = {\n")
foreach(file ${FILES})
  file(READ ${ROOT}/${file} content)
  string(APPEND text "{\"${file}\", R\"shardfft(${content})shardfft\"},\n")
endforeach()
string(APPEND text "  };\n  return all;\n}\n\n}  // namespace shardfft::device::lines\n")
file(WRITE ${OUT} "${text}")
