# cmake -DSOURCE=<folder> -DOUTPUT=<header> -P revision.cmake: writes the commit of the sources as `git describe` says it without
# tags, when it is another text than the header has. Run before every build, since revisions change without a new configuration.
cmake_minimum_required(VERSION 3.25)
find_program(GIT git)
set(revision unknown)
if(GIT AND EXISTS ${SOURCE}/../.git)  # not that of a repository around the sources
  execute_process(COMMAND ${GIT} describe --always --dirty --exclude=* --abbrev=12 WORKING_DIRECTORY ${SOURCE}
    OUTPUT_VARIABLE told RESULT_VARIABLE code ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(code EQUAL 0)
    set(revision ${told})
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#pragma once\n#define BENCH_REVISION \"@revision@\"\n" @ONLY)
