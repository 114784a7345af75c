# What every target of this project shares: warnings, sanitizers, and one library a folder.

add_library(drover_flags INTERFACE)
target_include_directories(drover_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_compile_options(drover_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Wcast-align -Wunused -Wnull-dereference -Wimplicit-fallthrough)
if(DROVER_WERROR)
  target_compile_options(drover_flags INTERFACE -Werror)
endif()
target_link_options(drover_flags INTERFACE -fuse-ld=lld)
if(DROVER_SANITIZE)
  target_compile_options(drover_flags INTERFACE
    -fsanitize=${DROVER_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(drover_flags INTERFACE -fsanitize=${DROVER_SANITIZE})
  if(DROVER_SANITIZE MATCHES thread)
    target_link_options(drover_flags INTERFACE
      -Wl,--version-script=${PROJECT_SOURCE_DIR}/test/tsan.map)
  endif()
endif()

# Headers that most files of a kind include, read once for all of them: that halves the time of a file. KIND
# is `library` (compiled as the preset says), `command` (with CLI11; not optimised under the sanitizers) or
# `test` (with GoogleTest; not optimised). Without DROVER_PCH, as in the preset dev, each file is held to what
# it includes itself.
function(drover_precompile target kind)
  if(NOT DROVER_PCH)
    return()
  endif()
  set(owner drover_${kind}_headers)
  if(NOT TARGET ${owner})
    set(source ${PROJECT_BINARY_DIR}/${kind}_headers.cpp)
    file(TOUCH ${source})
    add_library(${owner} OBJECT ${source})
    target_link_libraries(${owner} PRIVATE drover_flags fmt::fmt)
    target_precompile_headers(${owner} PRIVATE
      <algorithm> <array> <chrono> <cmath> <cstdint> <fmt/format.h> <functional> <map> <memory> <optional>
      <stdexcept> <string> <string_view> <utility> <vector>)
    if(kind STREQUAL test)
      target_link_libraries(${owner} PRIVATE GTest::gmock)
      target_precompile_headers(${owner} PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
    elseif(kind STREQUAL command)
      target_link_libraries(${owner} PRIVATE CLI11::CLI11)
      target_precompile_headers(${owner} PRIVATE <CLI/CLI.hpp>)
    endif()
    if(kind STREQUAL test OR (kind STREQUAL command AND DROVER_SANITIZE))
      target_compile_options(${owner} PRIVATE -O0)
    endif()
    # A compiler cache knows the file by its contents.
    target_compile_options(${owner} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
endfunction()

# The program <name>_test as one test, and its `suites` of the server as another. What a server does no
# sanitizer sees, but it takes long: their builds say so in place of it.
function(drover_add_whole_test name suites)
  set(tests ${name})
  if(suites)
    string(REPLACE ":" ".*:" filter "${suites}.*")
    list(APPEND tests ${name}.of_server)
    add_test(NAME ${name} COMMAND ${name}_test --gtest_filter=-${filter})
    if(DROVER_SANITIZE)
      set(reason "skipped: the work is the server's, which no sanitizer sees; the release build has it")
      add_test(NAME ${name}.of_server COMMAND ${CMAKE_COMMAND} -E echo ${reason})
      set_tests_properties(${name}.of_server PROPERTIES SKIP_REGULAR_EXPRESSION ^skipped)
    else()
      add_test(NAME ${name}.of_server COMMAND ${name}_test --gtest_filter=${filter})
    endif()
  else()
    add_test(NAME ${name} COMMAND ${name}_test)
  endif()
  # Long, and so begun early: the others fit in beside it.
  set_tests_properties(${tests} PROPERTIES TIMEOUT 1200 COST 1500)
endfunction()

# drover_library(name [USES target...] [TEST_USES target...] [TEST_ALSO folder...]
#                [COLD] [TEST_WHOLE] [TEST_OF_SERVER suites] [TEST_OPTIMISED])
#
# Makes the library drover_<name> (alias drover::<name>) of the .cpp files of the calling folder, and, of its
# *_test.cpp files and those of the folders TEST_ALSO, the program <name>_test. USES are the libraries it may
# include: the arrows of ARCHITECTURE.md, kept true by the linker. The flags are this build's own, and do not
# follow an installed library (cmake/install_library.cmake). COLD: what it does is no loop of many turns, so
# that the sanitizers' builds do without optimising it, in half the time. TEST_WHOLE: the cases share a
# server, so the program is one test of ctest's and not one a case; but for TEST_OF_SERVER, the suites (a:b)
# that only the server has work with, which are a test of their own. Tests are compiled without optimising, in a third
# of the time; TEST_OPTIMISED: the library is templates and lock-free, so that what is tested is what the
# optimiser makes of it in the test (but for the sanitizers, which see the same accesses either way).
function(drover_library name)
  cmake_parse_arguments(ARG "COLD;TEST_WHOLE;TEST_OPTIMISED" "TEST_OF_SERVER" "USES;TEST_USES;TEST_ALSO" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  file(GLOB tests CONFIGURE_DEPENDS *_test.cpp)
  if(tests)
    list(REMOVE_ITEM sources ${tests})
  endif()
  foreach(folder ${ARG_TEST_ALSO})
    file(GLOB more CONFIGURE_DEPENDS ${folder}/*_test.cpp)
    list(APPEND tests ${more})
  endforeach()
  if(sources)
    add_library(drover_${name} STATIC ${sources})
    target_link_libraries(drover_${name} PUBLIC
      $<BUILD_INTERFACE:drover_flags> Threads::Threads ${ARG_USES})
  else()
    add_library(drover_${name} INTERFACE)
    target_link_libraries(drover_${name} INTERFACE
      $<BUILD_INTERFACE:drover_flags> Threads::Threads ${ARG_USES})
  endif()
  add_library(drover::${name} ALIAS drover_${name})
  if(ARG_COLD AND DROVER_SANITIZE)
    target_compile_options(drover_${name} PRIVATE -O0)
  endif()
  if(sources AND ARG_COLD)
    drover_precompile(drover_${name} command)
  elseif(sources AND fmt::fmt IN_LIST ARG_USES)
    drover_precompile(drover_${name} library)
  endif()
  if(DROVER_TESTS AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE drover::${name} ${ARG_TEST_USES} GTest::gtest_main GTest::gmock)
    if(DROVER_SANITIZE OR NOT ARG_TEST_OPTIMISED)
      target_compile_options(${name}_test PRIVATE -O0)
      drover_precompile(${name}_test test)
    endif()
    if(ARG_TEST_WHOLE)
      drover_add_whole_test(${name} "${ARG_TEST_OF_SERVER}")
    else()
      gtest_discover_tests(${name}_test TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60
        PROPERTIES TIMEOUT 300)
    endif()
  endif()
endfunction()
