#include "experiments/commands/papers.hpp"

#include <fmt/format.h>

#include "experiments/commands/command.hpp"
#include "models/error.hpp"
#include "models/modules.hpp"

namespace damocles {
namespace {

using SetUp = void(Command&);
using AddRows = void(std::vector<std::vector<std::string>>&);

const ModuleFunction<SetUp> reproduce_module{"papers", "damocles_set_up_reproduce",
                                             &damocles_set_up_reproduce};
const ModuleFunction<SetUp> measured_module{"papers", "damocles_set_up_measured",
                                            &damocles_set_up_measured};
const ModuleFunction<AddRows> claims_module{"papers", "damocles_list_claims",
                                            &damocles_list_claims};
const ModuleFunction<AddRows> sentences_module{"papers", "damocles_list_sentences",
                                               &damocles_list_sentences};

const Register paper_commands{
    CommandEntry{
        .name = "reproduce",
        .place = 110,
        .description =
            "Check the claims of a published paper: run what a figure shows, and write CLAIM.csv and CLAIM.meta.json. "
            "Every sentence of the claim is answered with its check, the authors' raw number if one exists, "
            "ours, and a verdict. A run that was stopped continues where it was.",
        .set_up =
            [](Command command) {
              need_papers("the command 'reproduce'");
              reproduce_module.get()(command);
            }},
    CommandEntry{
        .name = "measured",
        .place = 120,
        .description =
            "Compare simulation with published V100 measurements: GFlop/s and loads of every point. By figure, "
            "strategy and number of GPUs, a table gives the median, the 90th percentile and the worst deviation. "
            "A second table has those of the predictions that models make without simulation, where one is validated.",
        .set_up = [](Command command) {
          need_papers("the command 'measured'");
          measured_module.get()(command);
        }}};

}  // namespace

void add_claims(std::vector<std::vector<std::string>>& rows) {
  if (claims_module.exists()) claims_module.get()(rows);
}

void add_sentences(std::vector<std::vector<std::string>>& rows) {
  if (sentences_module.exists()) sentences_module.get()(rows);
}

void need_papers(const std::string& what) {
  if (claims_module.exists()) return;
  throw InvalidInput(fmt::format(
      "{} is of a part that is not built yet, the module papers; cmake --build build --target "
      "damocles_papers_module builds it, and so does ./damocles reproduce",
      what));
}

}  // namespace damocles
