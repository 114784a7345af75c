# How the tests are built and how ctest runs them.
#
# Each test has a label for each thing that it needs:
#   nothing    what is in the build, and no more
#   server     PostgreSQL, which the test starts for itself
#   ydb        the test server of YDB's protocol (test/ydb_server), with its Python packages and PostgreSQL
#   hosts      root, for network namespaces, and Open MPI
#   terminal   tmux
#   browser    Chromium
#   compiler   clang, for what somebody else builds with the libraries
#   spin       spin and clang, for the models
# scripts/test quick runs those that need nothing.
#
# scripts/test gives ctest three slots a processor. A test that computes all the time takes two of them, and one
# that mostly waits, as most end-to-end tests do, takes one: so the machine has work while tests wait.

# Where a test is left out: ctest shows it as skipped, and scripts/test prints the reason.
function(drover_add_skipped_test name reason)
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "skipped: ${name}: ${reason}")
  set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION ^skipped LABELS nothing)
endfunction()

# A server begins with a copy of data that the test `cluster` makes once a run of ctest.
set(DROVER_TEST_CLUSTER ${PROJECT_BINARY_DIR}/test/cluster)
function(drover_prepare_test test needs)
  if("server" IN_LIST needs OR "ydb" IN_LIST needs)
    set_property(TEST ${test} APPEND PROPERTY FIXTURES_REQUIRED cluster)
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT "DROVER_TEST_CLUSTER=${DROVER_TEST_CLUSTER}")
  endif()
endfunction()

# The program <name>_test, or the cases of a filter, as one test. One process for all of them: to start one for
# each of 1,600 cases takes longer than most cases do.
function(drover_run_test_program test name needs filter)
  add_test(NAME ${test} COMMAND ${name}_test --gtest_brief=1 ${filter})
  set_tests_properties(${test} PROPERTIES LABELS "${needs}" TIMEOUT 1200 PROCESSORS 2)
  # Long, and so begun early: the others fit in beside it.
  if(NOT needs STREQUAL nothing)
    set_tests_properties(${test} PROPERTIES COST 150)
  endif()
  drover_prepare_test(${test} ${needs})
endfunction()

# For drover_library(), whose variables ARG_… and `tests` it reads.
macro(drover_add_test_program name)
  if(ARG_ONE_THREAD AND DROVER_SANITIZE MATCHES thread)
    drover_add_skipped_test(${name} "its cases have one thread each; the other builds have them")
  else()
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE drover::${name} ${ARG_TEST_USES} GTest::gtest_main GTest::gmock)
    if(DROVER_SANITIZE OR NOT ARG_TEST_OPTIMISED)
      target_compile_options(${name}_test PRIVATE -O0)
      drover_precompile(${name}_test test "${ARG_HEAVY}")
    else()
      drover_precompile(${name}_test test_optimised "${ARG_HEAVY}")
    endif()
    if(DROVER_UNITY)
      drover_unite(${name}_test)
    endif()
    set(needs nothing)
    if(ARG_TEST_NEEDS)
      set(needs ${ARG_TEST_NEEDS})
    endif()
    set(filter)
    if(ARG_TEST_LONG)
      set(filter --gtest_filter=-${ARG_TEST_LONG})
      if(DROVER_SANITIZE)
        drover_add_skipped_test(${name}.long
          "cases whose time is the server's or a repetition's, which shows a sanitizer nothing new; the release build has them")
      else()
        drover_run_test_program(${name}.long ${name} ${needs} --gtest_filter=${ARG_TEST_LONG})
      endif()
    endif()
    drover_run_test_program(${name} ${name} ${needs} "${filter}")
  endif()
endmacro()
