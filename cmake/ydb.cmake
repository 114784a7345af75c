# What the client of YDB (src/database/ydb) needs: gRPC's C library, protobuf and its compiler; its
# tests also gRPC's C++ library and the plugin that makes services.
#
# DROVER_YDB: AUTO builds it if all of that is there, ON insists, OFF leaves it out. Afterwards
# DROVER_YDB_FOUND says which it is.
set(DROVER_YDB AUTO CACHE STRING "Build the client of YDB: AUTO, ON or OFF")
set_property(CACHE DROVER_YDB PROPERTY STRINGS AUTO ON OFF)

set(DROVER_YDB_FOUND FALSE)
if(DROVER_YDB)
  find_package(Protobuf QUIET)
  find_program(DROVER_PROTOC protoc)
  find_path(DROVER_GRPC_HEADERS grpc/grpc.h)
  find_library(DROVER_GRPC_LIBRARY grpc)
  find_library(DROVER_GPR_LIBRARY gpr)
  find_library(DROVER_ABSL_STRINGS_LIBRARY absl_strings)
  find_library(DROVER_ABSL_SYNCHRONIZATION_LIBRARY absl_synchronization)
  set(DROVER_GRPC_LIBRARIES ${DROVER_GRPC_LIBRARY} ${DROVER_GPR_LIBRARY}
    ${DROVER_ABSL_STRINGS_LIBRARY} ${DROVER_ABSL_SYNCHRONIZATION_LIBRARY})
  set(wanted Protobuf_FOUND DROVER_PROTOC DROVER_GRPC_HEADERS DROVER_GRPC_LIBRARY
    DROVER_GPR_LIBRARY DROVER_ABSL_STRINGS_LIBRARY DROVER_ABSL_SYNCHRONIZATION_LIBRARY)
  set(packages "libgrpc-dev libprotobuf-dev protobuf-compiler")
  if(DROVER_TESTS)
    find_library(DROVER_GRPCPP_LIBRARY grpc++)
    find_program(DROVER_GRPC_PLUGIN grpc_cpp_plugin)
    list(APPEND wanted DROVER_GRPCPP_LIBRARY DROVER_GRPC_PLUGIN)
    string(APPEND packages " libgrpc++-dev protobuf-compiler-grpc")
  endif()
  set(DROVER_YDB_FOUND TRUE)
  foreach(one ${wanted})
    if(NOT ${one})
      set(DROVER_YDB_FOUND FALSE)
    endif()
  endforeach()
  if(NOT DROVER_YDB_FOUND)
    set(advice "install ${packages}, or scripts/install-dependencies")
    if(DROVER_YDB STREQUAL "AUTO")
      message(STATUS "Without the client of YDB. To have it: ${advice}")
    else()
      message(FATAL_ERROR "DROVER_YDB=${DROVER_YDB}, but something is missing: ${advice}")
    endif()
  endif()
endif()
