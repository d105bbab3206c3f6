// A tree of gaps in which the first that is long enough is found.
#include "orders/gap_tree.hpp"

#include <algorithm>

namespace damocles {
namespace {

/// What a heap of nodes is ordered by: as good as drawn, and the same in every run.
std::uint64_t priority(std::uint32_t node) {
  std::uint64_t bits = (node + std::uint64_t{1}) * 0x9e3779b97f4a7c15U;
  bits = (bits ^ (bits >> 32U)) * 0xd6e8feb86659fd93U;
  return bits ^ (bits >> 32U);
}

}  // namespace

void GapTree::insert(double opens_s, double closes_s) {
  auto fresh = static_cast<Index>(nodes_.size());
  if (unused_.empty()) {
    nodes_.emplace_back();
  } else {
    fresh = unused_.back();
    unused_.pop_back();
  }
  rounding_s_ = std::max(rounding_s_, closes_s * 1e-15);
  nodes_[fresh] = {.start_s = opens_s, .end_s = closes_s, .longest_s = closes_s - opens_s};
  insert(root_, fresh);
}

void GapTree::insert(Index& root, Index fresh) {
  const double start_s = nodes_[fresh].start_s;
  if (root == none || priority(fresh) > priority(root)) {
    split(root, start_s, nodes_[fresh].left, nodes_[fresh].right);
    root = fresh;
  } else {
    insert(start_s < nodes_[root].start_s ? nodes_[root].left : nodes_[root].right, fresh);
  }
  update(root);
}

void GapTree::erase(Index& root, double start_s) {
  if (root == none) return;
  Node& node = nodes_[root];
  if (node.start_s == start_s) {
    unused_.push_back(root);
    root = merged(node.left, node.right);
  } else {
    erase(start_s < node.start_s ? node.left : node.right, start_s);
    update(root);
  }
}

void GapTree::split(Index root, double start_s, Index& before, Index& others) {
  if (root == none) {
    before = others = none;
    return;
  }
  Node& node = nodes_[root];
  if (node.start_s < start_s) {
    before = root;
    split(node.right, start_s, node.right, others);
  } else {
    others = root;
    split(node.left, start_s, before, node.left);
  }
  update(root);
}

GapTree::Index GapTree::merged(Index first, Index second) {
  if (first == none) return second;
  if (second == none) return first;
  const bool first_above = priority(first) > priority(second);
  if (first_above) {
    nodes_[first].right = merged(nodes_[first].right, second);
  } else {
    nodes_[second].left = merged(first, nodes_[second].left);
  }
  const Index root = first_above ? first : second;
  update(root);
  return root;
}

void GapTree::update(Index root) {
  Node& node = nodes_[root];
  node.longest_s = node.end_s - node.start_s;
  for (const Index child : {node.left, node.right}) {
    if (child != none) node.longest_s = std::max(node.longest_s, nodes_[child].longest_s);
  }
}

std::optional<double> GapTree::first_below(Index root, double from_s, double duration_s) const {
  // One that seems a little too short is looked at.
  if (root == none || nodes_[root].longest_s < duration_s - rounding_s_) return {};
  const Node& node = nodes_[root];
  if (node.end_s > from_s) {
    if (const auto left = first_below(node.left, from_s, duration_s)) return left;
    const double start_s = std::max(node.start_s, from_s);
    if (start_s + duration_s <= node.end_s) return start_s;
  }
  return first_below(node.right, from_s, duration_s);
}

}  // namespace damocles
