#include "file/atomic_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

namespace drover::file {
namespace {

using testing::StartsWith;

TEST(AtomicFile, CallsTheFileByItsKind) {
  const WantedFile wanted{"/dev/null/none.json", "JSON file"};
  try {
    check_can_write(wanted);
    FAIL();
  } catch (const FileError& error) {
    EXPECT_THAT(error.what(), StartsWith("JSON file \"/dev/null/none.json\": cannot "));
    EXPECT_EQ(error.path, wanted.path);
    EXPECT_NE(error.error_number, 0);
  }
  EXPECT_THROW(write_atomically(wanted, "text"), FileError);
}

}  // namespace
}  // namespace drover::file
