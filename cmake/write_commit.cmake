# Writes the header OUTPUT with the commit of the sources in SOURCE, if it is not there already with
# the same content. Runs at every build, so that a commit between two builds is not missed.
#
#   cmake -D SOURCE=... -D OUTPUT=... -P write_commit.cmake
# Variables of git's could name another repository. Optional locks are left to whoever works there.
function(ask_git variable)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env --unset=GIT_DIR --unset=GIT_WORK_TREE --unset=GIT_INDEX_FILE
      git --no-optional-locks -C ${SOURCE} ${ARGN}
    OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    set(answer "")
  endif()
  set(${variable} "${answer}" PARENT_SCOPE)
endfunction()

# Sources without a repository of their own may lie within one of something else.
ask_git(top rev-parse --show-toplevel)
get_filename_component(source "${SOURCE}" REALPATH)
if(top)
  get_filename_component(top "${top}" REALPATH)
endif()
if("${top}" STREQUAL "${source}")
  ask_git(commit rev-parse --short=12 HEAD)
  ask_git(date log -1 --format=%cs)
  ask_git(changes status --porcelain --untracked-files=no)
endif()
if(changes)
  string(APPEND commit -dirty)
endif()
if(NOT commit)
  set(commit unknown)
endif()
if(NOT date)
  string(TIMESTAMP date "%Y-%m-%d" UTC)  # honours SOURCE_DATE_EPOCH
endif()

set(text "// Made by cmake/write_commit.cmake.\n#pragma once\n\n")
string(APPEND text "#define DROVER_COMMIT \"${commit}\"\n#define DROVER_COMMIT_DATE \"${date}\"\n")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT "${text}" STREQUAL "${before}")
  file(WRITE ${OUTPUT} "${text}")
endif()
