# FFTW::double and FFTW::float.
find_path(FFTW_INCLUDE_DIR fftw3.h)
find_library(FFTW_DOUBLE_LIBRARY fftw3)
find_library(FFTW_FLOAT_LIBRARY fftw3f)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(FFTW REQUIRED_VARS FFTW_DOUBLE_LIBRARY FFTW_FLOAT_LIBRARY FFTW_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install FFTW 3 (Debian and Ubuntu: libfftw3-dev)")
foreach(kind DOUBLE FLOAT)
  string(TOLOWER ${kind} name)
  if(FFTW_FOUND AND NOT TARGET FFTW::${name})
    add_library(FFTW::${name} UNKNOWN IMPORTED)
    set_target_properties(FFTW::${name} PROPERTIES IMPORTED_LOCATION ${FFTW_${kind}_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${FFTW_INCLUDE_DIR})
  endif()
endforeach()
