# nlohmann_json::nlohmann_json: headers only, not part of the interface; where there are none, those that are carried here.
find_package(nlohmann_json 3.10 QUIET)
if(NOT TARGET nlohmann_json::nlohmann_json)
  add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED GLOBAL)
  target_include_directories(nlohmann_json::nlohmann_json SYSTEM INTERFACE
    ${CMAKE_CURRENT_LIST_DIR}/../third_party/nlohmann_json/include)
endif()
