#include "report/plain_text.h"

#include <gtest/gtest.h>

namespace drover::report {
namespace {

TEST(PlainText, OneIsNotMany) {
  EXPECT_EQ(counted(0, "connection"), "0 connections");
  EXPECT_EQ(counted(1, "connection"), "1 connection");
  EXPECT_EQ(counted(2, "connection"), "2 connections");
  EXPECT_EQ(counted(1, "Delivery"), "1 Delivery");
  EXPECT_EQ(counted(2, "Delivery"), "2 Deliveries");
  EXPECT_EQ(plural(3, "day"), "days");
}

TEST(PlainText, FiguresHaveNoExponent) {
  EXPECT_EQ(figure_text(2034.2), "2034");
  EXPECT_EQ(figure_text(1'234'567), "1234567");
  EXPECT_EQ(figure_text(999.6), "1000");
  EXPECT_EQ(figure_text(12.345), "12.3");
  EXPECT_EQ(figure_text(2), "2");
  EXPECT_EQ(figure_text(0.01234), "0.0123");
  EXPECT_EQ(figure_text(0.00006), "0.0001");
  EXPECT_EQ(figure_text(0.00001), "0");
  EXPECT_EQ(figure_text(-1500), "-1500");
}

}  // namespace
}  // namespace drover::report
