#include "ranks/mpi_meeting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

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

TEST(SrunWithoutPmix, IsRefusedRatherThanTakenForSeveralWholes) {
  EXPECT_TRUE(started_by_mpi(variables({{"SLURM_STEP_NUM_TASKS", "4"}})));
  EXPECT_THROW(refuse_srun_without_pmix(variables({{"SLURM_STEP_NUM_TASKS", "4"}})), MpiError);
  // srun --mpi=pmi2, which Open MPI of Debian does not speak.
  EXPECT_THROW(refuse_srun_without_pmix(variables(
                   {{"SLURM_STEP_NUM_TASKS", "4"}, {"PMI_RANK", "0"}, {"PMI_SIZE", "4"}})),
               MpiError);
  EXPECT_NO_THROW(
      refuse_srun_without_pmix(variables({{"SLURM_STEP_NUM_TASKS", "4"}, {"PMIX_RANK", "0"}})));
  // mpirun starts its daemons by srun.
  EXPECT_NO_THROW(refuse_srun_without_pmix(variables({{"SLURM_STEP_NUM_TASKS", "2"},
                                                      {"OMPI_COMM_WORLD_RANK", "0"},
                                                      {"OMPI_COMM_WORLD_SIZE", "4"}})));
  EXPECT_FALSE(started_by_mpi(variables({{"SLURM_STEP_NUM_TASKS", "1"}})));
}

TEST(MpiLibrary, IsLookedForBesideTheProgramFirst) {
  EXPECT_THAT(mpi_library_places("/usr/bin/drover"),
              ElementsAre("/usr/bin/libdrover_mpi.so", "/usr/lib/drover/libdrover_mpi.so",
                          "libdrover_mpi.so"));
}

}  // namespace
}  // namespace drover::ranks
