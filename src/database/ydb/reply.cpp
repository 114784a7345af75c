#include "database/ydb/reply.h"

#include <cstddef>

#include "database/message.h"

namespace drover::database::ydb {
namespace {

constexpr int levels_most = 8;
constexpr std::size_t issues_most = 100;

void collect(const Issues& issues, int level, std::size_t& count, std::string& text) {
  for (const Ydb::Issue::IssueMessage& issue : issues) {
    if (++count > issues_most || text.size() > message_bytes_max) return;
    if (!issue.message().empty()) {
      if (!text.empty()) text += "; ";
      text.append(issue.message(), 0, message_bytes_max);
    }
    if (level < levels_most) collect(issue.issues(), level + 1, count, text);
  }
}

}  // namespace

std::string issues_text(const Issues& issues) {
  std::string text;
  std::size_t count = 0;
  collect(issues, 1, count, text);
  return one_line(text);
}

YdbError reply_error(Ydb::StatusIds::StatusCode status, const Issues& issues, Method method,
                     Stage stage) {
  return YdbError(static_cast<Status>(status), issues_text(issues), info_of(method).name, stage);
}

}  // namespace drover::database::ydb
