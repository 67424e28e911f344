# nlohmann_json::nlohmann_json, headers with which tests and benchmark drivers read JSON; the library needs none.
find_package(nlohmann_json 3.10 QUIET)
if(NOT nlohmann_json_FOUND)
  message(FATAL_ERROR "nlohmann_json 3.10 was not found: install it (Debian and Ubuntu: nlohmann-json3-dev), or name its folder "
    "with -DCMAKE_PREFIX_PATH")
endif()
