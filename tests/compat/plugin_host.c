/* Runs the function plugin_main of a library that it loads for itself alone, with the other arguments. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  void* plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  int (*run)(int, char**) = plugin ? (int (*)(int, char**))dlsym(plugin, "plugin_main") : NULL;
  if (!run) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  return run(argc - 1, argv + 1);
}
