#include "exchange/partners.hpp"

namespace shardfft {

namespace {

/// Circle method for an odd number of `players`: two ranks meet if their sum is the round; one alone gets -1.
int circle_partner(int rank, int round, int players) {
  const int other = (round - rank % players + players) % players;
  return other == rank ? -1 : other;
}

}  // namespace

std::vector<int> partners_by_round(int rank, int size) {
  std::vector<int> partners;
  if (size < 2) return partners;
  if ((size & (size - 1)) == 0) {
    for (int step = 1; step < size; ++step) partners.push_back(rank ^ step);
    return partners;
  }
  const int players = size % 2 == 0 ? size - 1 : size;
  const int half = (players + 1) / 2;  // 2 * half = 1 modulo players
  for (int round = 0; round < players; ++round) {
    if (rank == players) {  // the last rank of an even count meets the one that the circle leaves alone
      partners.push_back(static_cast<int>(static_cast<long long>(round) * half % players));
      continue;
    }
    const int other = circle_partner(rank, round, players);
    partners.push_back(other < 0 && size % 2 == 0 ? players : other);
  }
  return partners;
}

}  // namespace shardfft
