// What a script demands that its protocol does not have, found before the script is executed. Pure function.
#pragma once

#include "workload/sql/script/script.h"
#include "workload/sql/script/script_set.h"

namespace drover::sql {

// Throws ScriptError with the place of a command that every execution of the script reaches, and
// that always fails:
//
//   simple                pipelines
//   extended, prepared    two statements joined by \;, \startpipeline within a pipeline,
//                         \syncpipeline and \endpipeline outside of one, \gset and \aset within
//                         one, a pipeline that is still open at the end of the script
//   declared              pipelines; BEGIN, COMMIT and ROLLBACK with what YDB has not, or joined to others
//
// A command between \if and \endif may never be reached: it fails when it is.
void check_for_protocol(const Script& script, Protocol protocol);

// The same words where it is found later.
inline constexpr std::string_view simple_pipeline =
    "cannot use pipeline mode with the simple query protocol";
inline constexpr std::string_view nested_pipeline = "already in pipeline mode";
inline constexpr std::string_view no_pipeline = "not in pipeline mode";
inline constexpr std::string_view storing_in_pipeline =
    "\\gset and \\aset are not allowed in pipeline mode";
inline constexpr std::string_view unfinished_pipeline = "end of script reached with pipeline open";

}  // namespace drover::sql
