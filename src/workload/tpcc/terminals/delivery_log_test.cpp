#include "workload/tpcc/terminals/delivery_log.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "support/temporary_folder.h"

namespace drover::tpcc {
namespace {

DeliveryRecord example() {
  DeliveryRecord record;
  record.queued = 1763730000.25;
  record.completed = 1763730001.5;
  record.w_id = 3;
  record.carrier_id = 7;
  record.orders = {2107, 0, 2104};
  return record;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(DeliveryLogTest, ALineNamesTheOrdersOfTheDistrictsThatHadOne) {
  EXPECT_EQ(format_delivery(example()),
            "{\"queued\":1763730000.250000,\"w_id\":3,\"o_carrier_id\":7,"
            "\"orders\":[[1,2107],[3,2104]],\"completed\":1763730001.500000}\n");
}

TEST(DeliveryLogTest, AFailedOneSaysSo) {
  DeliveryRecord record = example();
  record.failed = true;
  EXPECT_EQ(format_delivery(record),
            "{\"queued\":1763730000.250000,\"w_id\":3,\"o_carrier_id\":7,"
            "\"error\":\"not delivered\",\"completed\":1763730001.500000}\n");
}

TEST(DeliveryLogTest, WritesWhatWasAppended) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() / "deliveries";
  DeliveryLog log(path);
  log.append(example());
  log.write_out();
  log.append(example());
  log.close();
  EXPECT_EQ(log.failure(), "");
  EXPECT_EQ(text_of(path), format_delivery(example()) + format_delivery(example()));
}

TEST(DeliveryLogTest, SaysWhyItCannotBeMade) {
  try {
    DeliveryLog log("/no/such/folder/deliveries");
    ADD_FAILURE() << "it was made";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(),
                 "delivery log \"/no/such/folder/deliveries\": cannot create it: "
                 "No such file or directory");
  }
}

TEST(DeliveryLogTest, AFullDiskIsNoReasonToEndTheRun) {
  DeliveryLog log("/dev/full");
  log.append(example());
  log.write_out();
  EXPECT_EQ(log.failure(),
            "delivery log \"/dev/full\": cannot write to it: No space left on device");
  log.append(example());
  log.close();
}

}  // namespace
}  // namespace drover::tpcc
