#include "ranks/mpi_meeting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "ranks/job.h"

namespace drover::ranks {
namespace {

using ::testing::ElementsAre;

Variables variables(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const char* name) -> const char* {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : found->second.c_str();
  };
}

TEST(StartedByMpi, ByMpirunSrunAndOthersOfPmi) {
  EXPECT_TRUE(
      started_by_mpi(variables({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "4"}})));
  EXPECT_TRUE(started_by_mpi(variables({{"PMIX_RANK", "1"}, {"SLURM_STEP_NUM_TASKS", "4"}})));
  EXPECT_TRUE(started_by_mpi(variables({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}})));
  // How many they are is not said: MPI is asked.
  EXPECT_TRUE(started_by_mpi(variables({{"PMIX_RANK", "0"}})));
}

TEST(StartedByMpi, NotAloneNorInAScriptOfSlurm) {
  EXPECT_FALSE(started_by_mpi(variables({})));
  EXPECT_FALSE(
      started_by_mpi(variables({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}})));
  EXPECT_FALSE(started_by_mpi(variables({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}})));
  EXPECT_FALSE(started_by_mpi(variables({{"PMIX_RANK", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}})));
}

TEST(RanksByVariables, TheStepsNumberAndNotTheJobs) {
  EXPECT_EQ(ranks_by_variables(variables(
                {{"PMIX_RANK", "0"}, {"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_NTASKS", "8"}})),
            2);
  EXPECT_EQ(ranks_by_variables(variables({{"PMI_RANK", "0"}, {"PMI_SIZE", "many"}})), std::nullopt);
  EXPECT_EQ(ranks_by_variables(variables({{"PMI_SIZE", "2"}})), std::nullopt);
}

TEST(StartedByMpi, NotBySrunWithoutPmix) {
  EXPECT_FALSE(started_by_mpi(variables({{"SLURM_STEP_NUM_TASKS", "4"}})));
  EXPECT_FALSE(started_by_mpi(
      variables({{"SLURM_STEP_NUM_TASKS", "4"}, {"PMI_RANK", "0"}, {"PMI_SIZE", "4"}})));
  EXPECT_TRUE(started_by_mpi(variables({{"SLURM_STEP_NUM_TASKS", "4"}, {"PMIX_RANK", "0"}})));
}

TEST(RankByVariables, FromZero) {
  EXPECT_EQ(rank_by_variables(variables({{"PMIX_RANK", "0"}})), 0);
  EXPECT_EQ(rank_by_variables(variables({{"OMPI_COMM_WORLD_RANK", "3"}})), 3);
  EXPECT_EQ(rank_by_variables(variables({})), std::nullopt);
}

// The variables that srun sets for the tasks of a step, and Kubernetes for the pods of an indexed
// Job.
TEST(PlaceInJob, OfSlurmAndKubernetes) {
  const auto task = place_in_job(variables({{"SLURM_STEP_NUM_TASKS", "4"},
                                            {"SLURM_PROCID", "2"},
                                            {"SLURM_STEP_NODELIST", "n[07,09-12],gpu3"},
                                            {"SLURM_JOB_ID", "1234"},
                                            {"SLURM_STEP_ID", "3"}}));
  ASSERT_TRUE(task);
  EXPECT_EQ(task->index, 2U);
  EXPECT_EQ(task->size, 4U);
  EXPECT_EQ(task->coordinator, "n07:29875");
  const auto pod = place_in_job(variables({{"JOB_COMPLETION_INDEX", "1"}}));
  ASSERT_TRUE(pod);
  EXPECT_EQ(pod->index, 1U);
  EXPECT_EQ(pod->size, std::nullopt);
  EXPECT_FALSE(place_in_job(variables({})));
  // A batch script is not a step, and a step of one task has no other processes.
  EXPECT_FALSE(place_in_job(variables({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}})));
  EXPECT_FALSE(place_in_job(variables(
      {{"SLURM_STEP_NUM_TASKS", "1"}, {"SLURM_PROCID", "0"}, {"SLURM_STEP_NODELIST", "n1"}})));
}

TEST(FirstNode, OfASlurmNodeList) {
  EXPECT_EQ(first_node("n1"), "n1");
  EXPECT_EQ(first_node("n1,n2"), "n1");
  EXPECT_EQ(first_node("n[01-04]"), "n01");
  EXPECT_EQ(first_node("rack[1-2]-n[07,09-12],gpu3"), "rack1-n07");
  EXPECT_EQ(first_node("n[3"), "n3");
}

TEST(MpiLibrary, IsLookedForBesideTheProgramFirst) {
  EXPECT_THAT(mpi_library_places("/usr/bin/drover"),
              ElementsAre("/usr/bin/libdrover_mpi.so", "/usr/lib/drover/libdrover_mpi.so",
                          "libdrover_mpi.so"));
}

}  // namespace
}  // namespace drover::ranks
