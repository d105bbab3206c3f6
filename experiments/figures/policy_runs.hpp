#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "experiments/figures/judging.hpp"

namespace damocles {

/// A graph and a machine on which policies stand side by side. The handbook names none, so they are
/// ours, each made to bring out one thing.
struct PolicyCase {
  std::string name;
  std::string workload;
  std::string platform;
};

/// Products whose tasks are all alike: on GPUs and cores, a quarter as fast, of room for all and a
/// bus that costs nothing; behind a bus that a task outpaces; where memory is short.
inline const PolicyCase uneven{
    "two fast and four slow processors", "gemm2d:n=100",
    "gpus:k=2,memory=64GB,gflops=2000,bandwidth=1000GB/s,cpus=4,cpu_gflops=500"};
inline const PolicyCase slow_bus{"a GPU behind a slow bus", "gemm2d:n=40",
                                 "gpus:k=1,memory=1000MiB,bandwidth=6GB/s"};
inline const PolicyCase slow_bus_late{"the same, tasks taken two at a time", "gemm2d:n=40",
                                      "gpus:k=1,memory=1000MiB,bandwidth=6GB/s,depth=2"};
inline const PolicyCase scarce{"two GPUs of little memory", "gemm2d:n=80",
                               "gpus:k=2,memory=500MiB"};
/// Cholesky with dependencies on GPUs and cores, where POTRF is quicker on a core; and where all
/// kinds go by flops and it is said what processors draw.
inline const PolicyCase node{"Cholesky on two GPUs and eight cores", "cholesky:n=20,deps=true",
                             "gpus:k=2,memory=2000MiB,cpus=8,cpu_gflops=40,times=POTRF:10ms"};
inline const PolicyCase powered{
    "Cholesky on two GPUs of 300 W and eight cores of 15 W", "cholesky:n=20,deps=true",
    "gpus:k=2,times=flops,memory=2000MiB,power=300W,idle=30W,cpus=8,cpu_gflops=40,cpu_power=15W,cpu_idle=5W"};

/// Little of it, on cores that compute tasks together; and on the same, each alone.
inline const PolicyCase cores_in_teams{
    "a small Cholesky on eight cores that compute tasks together", "cholesky:n=6,deps=true",
    "gpus:k=0,cpus=8,cpu_gflops=40,cpu_speedup=amdahl:0.05"};
inline const PolicyCase cores_alone{"a small Cholesky on eight cores", "cholesky:n=6,deps=true",
                                    "gpus:k=0,cpus=8,cpu_gflops=40"};

/// What was run of a claim about policies.
class PolicyRuns {
 public:
  explicit PolicyRuns(const std::vector<Record>& records);

  /// Of one replicate.
  struct Run {
    double makespan_s = 0;
    double over_bound = 0;  ///< makespan over its lower bound
    double bytes = 0;
    double energy_j = 0;  ///< 0 where it is not known
    friend bool operator==(const Run&, const Run&) = default;
  };
  [[nodiscard]] const std::vector<Run>& runs(const PolicyCase& of, const std::string& policy) const;
  /// The mean of a member over them.
  [[nodiscard]] double mean(const PolicyCase& of, const std::string& policy,
                            double Run::*member) const;

 private:
  std::map<std::pair<std::string, std::string>, std::vector<Run>> runs_;  // by platform, policy
};

/// A check names what it asks to be run.
struct PolicyCheck {
  std::vector<std::pair<PolicyCase, std::string>> asks;
  std::function<Answer(const PolicyRuns&)> answer;
};

/// The mean of a is at most `most` times that of b.
[[nodiscard]] PolicyCheck at_most(double most, const std::string& what,
                                  double PolicyRuns::Run::*member, const PolicyCase& of,
                                  const std::string& a, const std::string& b);
/// a ends at least 2 % before b, on average.
[[nodiscard]] PolicyCheck ends_before(const PolicyCase& of, const std::string& a,
                                      const std::string& b);
/// a moves at least 2 % fewer bytes than b, on average.
[[nodiscard]] PolicyCheck moves_fewer(const PolicyCase& of, const std::string& a,
                                      const std::string& b);
/// It ends within `share` of the lower bound on any schedule, on average.
[[nodiscard]] PolicyCheck ends_near_the_bound(const PolicyCase& of, const std::string& policy,
                                              double share);
/// They make the same runs, to the last digit; or not.
[[nodiscard]] PolicyCheck same_runs(const PolicyCase& of, const std::string& a,
                                    const std::string& b);
[[nodiscard]] PolicyCheck other_runs(const PolicyCase& of, const std::string& a,
                                     const std::string& b);
/// All of them hold.
[[nodiscard]] PolicyCheck all_checks(const std::vector<PolicyCheck>& checks);
/// It speaks of what is not here.
[[nodiscard]] PolicyCheck untested(const std::string& why);

/// A claim whose sentences are asked so. Three runs of each policy.
[[nodiscard]] Claim policy_claim(const std::string& name, const std::string& statement,
                                 const std::string& setting,
                                 const std::vector<std::pair<Sentence, PolicyCheck>>& tests);

}  // namespace damocles
