#include "database/ydb/ydb_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "database/error.h"
#include "database/ydb/call/call.h"

namespace drover::database::ydb {
namespace {

using testing::HasSubstr;

TEST(YdbErrorTest, FollowsTheStatus) {
  const auto of = [](Status status) { return classify(status, Stage::working); };
  EXPECT_EQ(of(Status::aborted), ErrorClass::retryable);
  EXPECT_EQ(of(Status::unavailable), ErrorClass::retryable);
  EXPECT_EQ(of(Status::overloaded), ErrorClass::retryable);
  EXPECT_EQ(of(Status::undetermined), ErrorClass::retryable);
  EXPECT_EQ(of(Status::bad_session), ErrorClass::retryable);
  EXPECT_EQ(of(Status::session_busy), ErrorClass::retryable);
  EXPECT_EQ(of(Status::session_expired), ErrorClass::retryable);
  EXPECT_EQ(of(Status::unauthorized), ErrorClass::denied);
  EXPECT_EQ(of(Status::timeout), ErrorClass::timed_out);
  EXPECT_EQ(of(Status::cancelled), ErrorClass::timed_out);
  for (const Status status :
       {Status::unspecified, Status::bad_request, Status::internal_error, Status::scheme_error,
        Status::generic_error, Status::precondition_failed, Status::already_exists,
        Status::not_found, Status::unsupported, Status::external_error}) {
    EXPECT_EQ(of(status), ErrorClass::statement) << status_name(status);
  }
}

TEST(YdbErrorTest, OfACommitMayBeAmbiguous) {
  const auto of = [](Status status) { return classify(status, Stage::committing); };
  for (const Status status :
       {Status::undetermined, Status::timeout, Status::cancelled, Status::internal_error,
        Status::external_error, Status::unspecified, static_cast<Status>(400999)}) {
    EXPECT_EQ(of(status), ErrorClass::ambiguous_commit) << static_cast<int>(status);
  }
  EXPECT_EQ(of(Status::aborted), ErrorClass::retryable);
  EXPECT_EQ(of(Status::bad_session), ErrorClass::retryable);
  EXPECT_EQ(of(Status::precondition_failed), ErrorClass::statement);
  EXPECT_EQ(classify(TransportStatus::unavailable, Stage::committing),
            ErrorClass::ambiguous_commit);
  EXPECT_EQ(classify(TransportStatus::deadline_exceeded, Stage::committing),
            ErrorClass::ambiguous_commit);
  EXPECT_EQ(classify(TransportStatus::resource_exhausted, Stage::committing),
            ErrorClass::ambiguous_commit);
}

TEST(YdbErrorTest, LeavesAnOverloadedServerAloneForLonger) {
  const auto of = [](Status status) {
    return YdbError(status, "", "ExecuteQuery", Stage::working).backoff();
  };
  EXPECT_EQ(of(Status::overloaded), Backoff::slow);
  for (const Status status : {Status::aborted, Status::unavailable, Status::bad_session}) {
    EXPECT_EQ(of(status), Backoff::fast) << status_name(status);
  }
}

TEST(YdbErrorTest, OfTheTransport) {
  const auto of = [](TransportStatus status) { return classify(status, Stage::working); };
  EXPECT_EQ(of(TransportStatus::unavailable), ErrorClass::connection_lost);
  EXPECT_EQ(of(TransportStatus::deadline_exceeded), ErrorClass::connection_lost);
  EXPECT_EQ(of(TransportStatus::resource_exhausted), ErrorClass::statement);
  EXPECT_EQ(of(TransportStatus::unauthenticated), ErrorClass::denied);
  EXPECT_EQ(of(TransportStatus::unimplemented), ErrorClass::denied);
}

TEST(YdbErrorTest, WhileOpeningIsUnavailableOrDenied) {
  EXPECT_EQ(classify(Status::overloaded, Stage::opening), ErrorClass::unavailable);
  EXPECT_EQ(classify(Status::bad_session, Stage::opening), ErrorClass::unavailable);
  EXPECT_EQ(classify(Status::not_found, Stage::opening), ErrorClass::denied);
  EXPECT_EQ(classify(Status::unauthorized, Stage::opening), ErrorClass::denied);
  EXPECT_EQ(classify(TransportStatus::unavailable, Stage::opening), ErrorClass::unavailable);
  EXPECT_EQ(classify(TransportStatus::permission_denied, Stage::opening), ErrorClass::denied);
}

TEST(YdbErrorTest, EndsTheSessionOrNot) {
  const auto of_status = [](Status status) {
    return YdbError(status, "", "ExecuteQuery", Stage::working).ends_session();
  };
  const auto of_transport = [](TransportStatus status) {
    return YdbError(status, "", "ExecuteQuery", "h:1", Stage::working).ends_session();
  };
  EXPECT_TRUE(of_status(Status::bad_session));
  EXPECT_TRUE(of_status(Status::session_busy));
  EXPECT_TRUE(of_status(Status::session_expired));
  EXPECT_FALSE(of_status(Status::aborted));
  EXPECT_FALSE(of_status(Status::overloaded));
  EXPECT_TRUE(of_transport(TransportStatus::unavailable));
  EXPECT_TRUE(of_transport(TransportStatus::cancelled));
  EXPECT_FALSE(of_transport(TransportStatus::resource_exhausted));
  EXPECT_FALSE(of_transport(TransportStatus::out_of_range));
}

TEST(YdbErrorTest, SaysWhatHappenedInOneLine) {
  const YdbError reply(Status::aborted, "locks\x1B[31m\ninvalidated", "ExecuteQuery",
                       Stage::working);
  EXPECT_STREQ(reply.what(), "ExecuteQuery: ABORTED: locks [31m invalidated");
  EXPECT_EQ(reply.sqlstate(), "ABORTED");
  EXPECT_EQ(reply.status(), Status::aborted);
  EXPECT_EQ(reply.transport(), TransportStatus::ok);
  const YdbError strange(static_cast<Status>(401234), "", "ExecuteQuery", Stage::working);
  EXPECT_STREQ(strange.what(), "ExecuteQuery: status 401234");
  const YdbError lost(TransportStatus::unavailable, "no route", "CreateSession", "h:2136",
                      Stage::opening);
  EXPECT_STREQ(lost.what(), "CreateSession at h:2136: TRANSPORT_UNAVAILABLE: no route");
  EXPECT_EQ(lost.sqlstate(), "TRANSPORT_UNAVAILABLE");
  const YdbError foreign(TransportStatus::unimplemented, "", "CreateSession", "h:2136",
                         Stage::opening);
  EXPECT_THAT(foreign.what(), HasSubstr("is this a YDB server"));
}

TEST(YdbErrorTest, EachStatusHasAName) {
  std::set<std::string_view> names;
  for (int i = 400000; i <= 400200; i += 10) names.insert(status_name(static_cast<Status>(i)));
  EXPECT_EQ(names.size(), 21U) << "20 statuses and UNKNOWN_STATUS for 400110";
  EXPECT_EQ(names.count("UNKNOWN_STATUS"), 1U);
  EXPECT_EQ(transport_status_name(static_cast<TransportStatus>(99)), "TRANSPORT_UNKNOWN");
  EXPECT_EQ(transport_status_name(static_cast<TransportStatus>(-1)), "TRANSPORT_UNKNOWN");
}

TEST(ReplyTest, CollectsNestedIssues) {
  Issues issues;
  Ydb::Issue::IssueMessage& outer = *issues.Add();
  outer.set_message("Execution");
  outer.add_issues()->set_message("Transaction locks invalidated.");
  issues.Add()->set_message("see\tabove");
  EXPECT_EQ(issues_text(issues), "Execution; Transaction locks invalidated.; see above");
  EXPECT_EQ(issues_text({}), "");
}

TEST(ReplyTest, NamesThePlaceOfTheInnermostIssue) {
  Issues issues;
  EXPECT_EQ(position_of(issues), TextPosition{});
  issues.Add()->set_message("without a place");
  Ydb::Issue::IssueMessage& outer = *issues.Add();
  outer.mutable_position()->set_row(2);
  outer.mutable_position()->set_column(9);
  EXPECT_EQ(position_of(issues), (TextPosition{2, 9}));
  outer.add_issues()->set_message("without a place");
  Ydb::Issue::IssueMessage* issue = outer.add_issues();
  issue->mutable_position()->set_row(3);
  EXPECT_EQ(position_of(issues), (TextPosition{3, 0}));
  for (int i = 0; i < 50; ++i) issue = issue->add_issues();
  issue->mutable_position()->set_row(4);
  EXPECT_EQ(position_of(issues), (TextPosition{3, 0})) << "too deep";
  const YdbError error =
      reply_error(Ydb::StatusIds::GENERIC_ERROR, issues, Method::execute_query, Stage::working);
  EXPECT_EQ(error.position(), (TextPosition{3, 0}));
}

TEST(ReplyTest, IsNoBook) {
  Issues many;
  for (int i = 0; i < 1000; ++i) many.Add()->set_message(std::string(100'000, 'x'));
  EXPECT_EQ(issues_text(many).size(), message_bytes_max + std::string("…").size());
  Issues deep;
  Ydb::Issue::IssueMessage* issue = deep.Add();
  for (int i = 0; i < 50; ++i) {
    issue->set_message("level");
    issue = issue->add_issues();
  }
  EXPECT_EQ(issues_text(deep), "level; level; level; level; level; level; level; level");
}

}  // namespace
}  // namespace drover::database::ydb
