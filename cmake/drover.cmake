# What every target of this project shares: the compiler, warnings, sanitizers, and one library a folder.
# The runtime alone includes it as well.

# GCC 12, the compiler of Debian 12, destroys temporaries of a coroutine twice: a
# program that it builds from this source corrupts its own memory.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 19)
  message(FATAL_ERROR
    "Drover needs clang 19 or newer (found ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}): "
    "GCC 12 miscompiles coroutines. Install clang-19 and configure with -DCMAKE_CXX_COMPILER=clang++-19, "
    "or, for all of Drover, with a preset: cmake --preset release")
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

option(DROVER_WARNINGS "Compile with many warnings" ON)
option(DROVER_WERROR "Treat warnings as errors" ON)
option(DROVER_PCH "Precompile the headers that most files include" ON)
option(DROVER_UNITY "Compiles several files of a library, or of its tests, at a time: half the time" ON)
set(DROVER_SANITIZE "" CACHE STRING "Sanitizers to build with, e.g. address,undefined")

set(drover_root ${CMAKE_CURRENT_LIST_DIR}/..)
add_library(drover_flags INTERFACE)
target_include_directories(drover_flags INTERFACE ${drover_root}/runtime)
target_compile_features(drover_flags INTERFACE cxx_std_20)
if(DROVER_WARNINGS)
  target_compile_options(drover_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
    -Woverloaded-virtual -Wcast-align -Wunused -Wnull-dereference -Wimplicit-fallthrough
    # Of several files at a time, a local variable may have the name of another file's constant.
    $<$<NOT:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>:-Wshadow>
    $<$<BOOL:${DROVER_WERROR}>:-Werror>)
  target_link_options(drover_flags INTERFACE -fuse-ld=lld)
endif()
if(DROVER_SANITIZE)
  target_compile_options(drover_flags INTERFACE
    -fsanitize=${DROVER_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(drover_flags INTERFACE -fsanitize=${DROVER_SANITIZE})
  if(DROVER_SANITIZE MATCHES thread)
    target_link_options(drover_flags INTERFACE
      -Wl,--version-script=${drover_root}/test/tsan.map)
  endif()
endif()

# Headers that most files of a kind include, read once for all of them: that halves the time of a file. KIND
# is `library` (compiled as the preset says), `hot` (optimised), `test` (with GoogleTest; not optimised) or
# `test_optimised`. HEAVY: a target whose property DROVER_HEAVY_HEADERS names more of them, or nothing. Without
# DROVER_PCH, as in the preset dev, each file is held to what it includes itself.
function(drover_precompile target kind heavy)
  if(NOT DROVER_PCH)
    return()
  endif()
  string(JOIN _ owner drover ${kind} headers ${heavy})
  if(NOT TARGET ${owner})
    set(source ${PROJECT_BINARY_DIR}/${owner}.cpp)
    file(TOUCH ${source})
    add_library(${owner} OBJECT ${source})
    target_link_libraries(${owner} PRIVATE drover_flags)
    target_precompile_headers(${owner} PRIVATE
      <algorithm> <array> <chrono> <cmath> <cstdint> <functional> <map> <memory> <optional> <stdexcept>
      <string> <string_view> <utility> <vector>)
    if(TARGET fmt::fmt)  # not for the runtime alone
      target_link_libraries(${owner} PRIVATE fmt::fmt)
      target_precompile_headers(${owner} PRIVATE <fmt/format.h>)
    endif()
    if(heavy)
      target_link_libraries(${owner} PRIVATE ${heavy})
      target_precompile_headers(${owner} PRIVATE $<TARGET_PROPERTY:${heavy},DROVER_HEAVY_HEADERS>)
    endif()
    if(kind MATCHES test)
      target_link_libraries(${owner} PRIVATE GTest::gmock)
      target_precompile_headers(${owner} PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
    endif()
    if(kind STREQUAL hot)
      target_compile_options(${owner} PRIVATE -O1)
    elseif(kind STREQUAL test)
      target_compile_options(${owner} PRIVATE -O0)
    endif()
    # A compiler cache knows the file by its contents.
    target_compile_options(${owner} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
endfunction()

function(drover_unite target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
endfunction()

# drover_library(name [FOLDERS folder...] [USES target...] [TEST_USES target...] [TEST_ALSO folder...]
#                [TEST_NEEDS thing] [TEST_LONG cases] [HEAVY target] [HOT] [ONE_THREAD]
#                [TEST_OPTIMISED])
#
# Makes the library drover_<name> (alias drover::<name>) of the .cpp files of the calling folder and its
# FOLDERS, and, of their *_test.cpp files and those of the folders TEST_ALSO, the program <name>_test. USES are
# the libraries it may include: the arrows of ARCHITECTURE.md, kept true by the linker. The flags are this
# build's own, and do not follow an installed library (runtime/cmake/install_library.cmake). HOT: what it does is a
# loop of many turns, so that the sanitizers' builds optimise it, for twice the time. HEAVY: a target
# that most files include large headers of, which are precompiled for them (drover_precompile).
#
# How the program is run says cmake/tests.cmake. TEST_NEEDS is what its cases need (server or ydb; nothing
# without it), TEST_LONG the cases (a filter of GoogleTest's) that the sanitizers' builds leave out: their time is the server's, or goes into repeating what others do once.
# ONE_THREAD: no case has a second thread. Tests are compiled without optimising, in a third of the time;
# TEST_OPTIMISED: the library is templates and lock-free, so that what is tested is what the
# optimiser makes of it in the test (but for the sanitizers, which see the same accesses either way).
function(drover_library name)
  cmake_parse_arguments(ARG "HOT;ONE_THREAD;TEST_OPTIMISED" "TEST_NEEDS;TEST_LONG;HEAVY"
    "FOLDERS;USES;TEST_USES;TEST_ALSO" ${ARGN})
  list(TRANSFORM ARG_FOLDERS APPEND /*.cpp OUTPUT_VARIABLE below)
  file(GLOB sources CONFIGURE_DEPENDS *.cpp ${below})
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX _test[.]cpp$)
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
  set(kind library)
  if(sources AND ARG_HOT AND DROVER_SANITIZE)
    set(kind hot)
    target_compile_options(drover_${name} PRIVATE -O1)
  endif()
  if(sources AND fmt::fmt IN_LIST ARG_USES)
    drover_precompile(drover_${name} ${kind} "${ARG_HEAVY}")
  endif()
  if(sources AND DROVER_UNITY)
    drover_unite(drover_${name})
  endif()
  if(DROVER_TESTS AND tests)
    drover_add_test_program(${name})
  endif()
endfunction()

# drover_embed(name file constant)
#
# Gives the sources of the library drover_<name> the header FILE.h, by its path in src, in which drover::<constant>
# is the text of that file of the calling folder, behind a line break.
function(drover_embed name file constant)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/embedded/${folder}/${file}.h @ONLY CONTENT
    "#pragma once\nnamespace drover {\ninline constexpr char @constant@[] = R\"embedded(\n@text@)embedded\";\n}\n")
  target_include_directories(drover_${name} PRIVATE ${PROJECT_BINARY_DIR}/embedded)
endfunction()
