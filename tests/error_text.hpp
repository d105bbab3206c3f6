#pragma once

#include <string>

#include "models/error.hpp"

namespace damocles {

/// The text of the InvalidInput that `call` throws; "no error" if it throws none.
template <typename Call>
std::string error_text(Call&& call) {
  try {
    call();
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace damocles
