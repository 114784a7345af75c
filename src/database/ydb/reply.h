// What all replies of YDB have: a status, and issues that explain it. Pure; any thread.
#pragma once

#include <string>

#include "database/ydb/method.h"
#include "database/ydb/ydb_error.h"
#include "issue.pb.h"
#include "types.pb.h"

namespace drover::database::ydb {

using Issues = google::protobuf::RepeatedPtrField<Ydb::Issue::IssueMessage>;

// The messages of all issues, nested ones behind their own, "; " between: one line fit for a
// terminal, of 4 KiB at most. A server may nest and repeat at will: 8 levels and 100 issues are
// looked at.
std::string issues_text(const Issues& issues);

YdbError reply_error(Ydb::StatusIds::StatusCode status, const Issues& issues, Method method,
                     Stage stage);

// Throws YdbError unless the reply says success.
template <class Response>
void require_success(const Response& response, Method method, Stage stage) {
  if (response.status() == Ydb::StatusIds::SUCCESS) return;
  throw reply_error(response.status(), response.issues(), method, stage);
}

}  // namespace drover::database::ydb
