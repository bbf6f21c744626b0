### The rules of a match in English. Each message tells one fact of service/rulesets/facts.py.
### `$n` is the number of the fact, `$seats` the most seats that play, `$columns` the columns of the score.
### Messages that begin with `n-` are parts of others.

n-points = { $n ->
    [one] { $n } point
   *[other] { $n } points
  }
n-cards = { $n ->
    [one] { $n } card
   *[other] { $n } cards
  }
n-left = { $n ->
    [0] the stock is empty
    [one] { $n } card is left in the stock
   *[other] { $n } cards are left in the stock
  }
n-opponents = { $seats ->
    [2] the opponent
   *[other] the opponents, in turn order,
  }

## The match

title-match = The match
players = The match is played by { $seats ->
    [2] two
    [3] three
   *[4] four
  } players.
players-range = The match is played by { $least } to { $seats } players.
length-first_to_target = The first player to reach { n-points } wins the match at once.
length-highest_total = As soon as a player reaches { n-points }, the match ends.
    The higher final total wins; if the totals are equal, the player who reached { n-points } wins.
length-columns = The score is kept in three columns. A column is closed as soon as a player has { n-points }
    in it, and the match ends when all three are closed.
columns-entries = The points of a deal go into every open column in which the player who scored them already
    has an entry, and into the first open column in which that player has none.
columns-winner = At the end the totals of the columns are added up, and the higher sum wins; if the sums are
    equal, the player who closed more columns wins.
length-deals = The match consists of { $n ->
    [one] a single deal
   *[other] { $n } deals
  }; void deals do not count.
length-penalty_limit = The match ends as soon as a player has { $n ->
    [one] { $n } penalty point
   *[other] { $n } penalty points
  }.
winner-deals = The player with more points wins; if the points are equal, nobody wins.
winner-penalties = The player with the fewest penalty points wins. Among equals it is the one who most
    recently won a deal; if none of them has won any, the first of them after the first dealer.
deal-limit = After { $n ->
    [one] { $n } deal
   *[other] { $n } deals
  }, void ones included, the match ends in any case: whoever is ahead wins, and if nobody is ahead, nobody
    wins. So a match may have no winner, if most deals are void.
resign = A player may resign at any time: { $seats ->
    [2] the opponent wins
   *[other] the match ends, and the best of the others wins
  }.

## The cards

title-cards = Cards and melds
pack = One pack of 52 cards without jokers is used.
melds = A meld is a set of three or four cards of the same rank, or a run of three or more consecutive cards
    of the same suit. A card belongs to one meld only.
ace-low = In a run the ace stands below the two: ace-2-3 is a run, queen-king-ace is not.
ace-high = In a run the ace stands above the king: queen-king-ace is a run, ace-2-3 is not.
ace-both = In a run the ace stands below the two or above the king: ace-2-3 and queen-king-ace are runs,
    king-ace-2 is not.
ace-corner = A run may go round the corner: ace-2-3, queen-king-ace and king-ace-2 are all runs.
deadwood = The cards in no meld are a player’s deadwood.
values = In deadwood, kings, queens and jacks cost 10 points each, an ace costs { n-points }, and every other
    card the number it shows.

## The deal

title-deal = The deal
hand-size = Each player is dealt { n-cards }.
hand-size-by-seats = With two players each is dealt { $two } cards, with more players { $more }.
upcard = The next card is turned face up: this is the upcard, and it begins the discard pile. The remaining
    cards form the stock.
offer-standard = { $seats ->
    [2] The player who did not deal may take the upcard or pass; then the dealer may.
   *[other] The player after the dealer may take the upcard or pass; then each of the others may in turn, the
    dealer last.
  } Whoever takes it throws a card; if everyone passes, the player after the dealer draws from the stock.
offer-none = The player after the dealer has the first turn, and may take the upcard or draw from the stock.
offer-eleven = The player after the dealer is dealt one card more and begins by throwing a card, which opens
    the discard pile. The remaining cards form the stock.
next-dealer-alternate = { $seats ->
    [2] The players deal alternately.
   *[other] The players deal in turn.
  }
next-dealer-winner = The winner of a deal deals the next one.
next-dealer-loser = { $seats ->
    [2] The loser of a deal deals the next one.
   *[other] Whoever got the most penalty points in a deal deals the next one; among equals, the first after
    its winner.
  }
void-dealer = After a void deal the same player deals again.

## The turn

title-turn = The turn
turn = A player takes the top card of the stock or of the discard pile, and then throws one card face up onto
    the discard pile.
taken-must-stay = A card taken from the discard pile may not be thrown in the same turn.
taken-may-go = A card taken from the discard pile may be thrown in the same turn.

## Ending a deal

title-ending = Ending a deal
gin-only = Only gin ends a deal: a throw after which all the remaining cards are in melds.
knock-fixed = A player whose throw leaves deadwood of at most { n-points } may knock with it, which ends the
    deal.
knock-upcard = The value of the upcard is the knock limit of the deal, but never more than { n-points }. A
    player whose throw leaves no more deadwood than the limit may knock with it, which ends the deal.
gin = A knock that leaves no deadwood is gin.
oklahoma-ace-one = If the upcard is an ace, the limit is one point.
oklahoma-ace-gin_only = If the upcard is an ace, only gin ends the deal.
big-gin = A player who has all cards in melds before throwing may declare big gin instead of throwing.
first-turn-not_with_upcard = A player who takes the upcard in the first turn may not end the deal in that
    turn.
first-turn-forbidden = Nobody may end a deal in their first turn of it.

## The end of the stock

title-stock = The end of the stock
stock-end-dead_after_discard = Once { n-left }, the first throw that does not end the deal makes it void.
stock-end-last_discard_knock_only = Once { n-left }, a card that is thrown may be taken by the next player
    only to end the deal in that very turn; if the player passes instead, the deal is void.
stock-end-last_discard_playable = Once { n-left }, nobody draws from it any more: after each throw the next
    player either takes the thrown card and plays on, or passes, and then the deal is void.
stock-end-dead_on_draw = As soon as { n-left }, the deal is void.
stock-end-reshuffle = When { n-left } at the end of a turn, the top card of the discard pile stays where it
    is, and the other discards are shuffled and { $n ->
    [0] become the new stock
   *[other] put under the stock
  }.
max-turns = A deal that has not ended after { $n ->
    [one] { $n } turn
   *[other] { $n } turns
  } is void.
void = A void deal is worth nothing to anybody.

## Laying out the hands

title-laying-out = Laying out the hands
melds-auto = When a deal ends, every hand is laid out automatically, so that the least deadwood is left.
melds-declared = When a deal ends, the players name their melds themselves, and these count as they are named;
    what a player does not name is laid out so that the least deadwood is left.
own-melds-only = Each player lays out cards in melds of their own only.
layoffs-on-knock = After a knock { n-opponents } may lay off cards on the knocker’s melds; after gin, not.
layoffs-on-both = After a knock, and after gin too, { n-opponents } may lay off cards on the melds of the
    player who ended the deal.
layoffs-on-gin = After gin { n-opponents } may lay off cards on the melds of the player who ended the deal.
layoff = A set of three takes the fourth card of its rank; a run takes the next card at either end.
layoff-chain-any = Further cards may be laid off on a card that has been laid off.
layoff-chain-original_only = Every card laid off must touch the meld as it was first laid out.

## Points

title-points = Points
points-knock = The knocker scores the difference if the opponent has more deadwood.
points-gin = { $n ->
    [0] Gin scores the opponent’s deadwood.
   *[other] Gin scores { n-points } plus the opponent’s deadwood.
  }
points-big-gin = { $n ->
    [0] Big gin scores the opponent’s deadwood.
   *[other] Big gin scores { n-points } plus the opponent’s deadwood.
  }
undercut = If the opponent has less deadwood than the knocker, that is an undercut: the opponent scores
    { $n ->
    [0] the difference
   *[other] { n-points } plus the difference
  }.
tie-defender = Equal deadwood is an undercut too.
tie-knocker_zero = If both have the same deadwood, nobody scores.
tie-next-dealer = For the choice of the next dealer such a deal counts as won by the knocker.
spade-doubles = If the upcard is a spade, the points of the deal are doubled.
penalty-knock = After a knock { $seats ->
    [2] the opponent
   *[other] each of the others
  } gets penalty points: as many as their deadwood exceeds the knocker’s.
penalty-gin = After gin { $seats ->
    [2] the opponent
   *[other] each of the others
  } gets penalty points: their deadwood{ $n ->
    [0] { "" }
   *[other] { " " }plus { $n }
  }.
penalty-big-gin = After big gin { $seats ->
    [2] the opponent
   *[other] each of the others
  } gets penalty points: their deadwood{ $n ->
    [0] { "" }
   *[other] { " " }plus { $n }
  }.
penalty-undercut = { $seats ->
    [2] If the opponent has less deadwood than the knocker, that is an undercut, and the knocker gets penalty
    points: { $n ->
        [0] the difference
       *[other] the difference plus { $n }
      }
   *[other] If anyone has less deadwood than the knocker, that is an undercut: whoever has the least wins the
    deal (among equals, the first after the knocker), and all the others, the knocker too, get the difference
    from the winner as penalty points{ $n ->
        [0] { "" }
       *[other] , and the knocker gets { $n } more
      }
  }.

## Totals

title-totals = Bonuses
boxes-final = At the end of the match, every deal won adds a box of { n-points } to its winner’s total.
boxes-running = Every deal won adds a box of { n-points } to its winner’s score at once.
boxes-columns = Every deal entered in a column adds a box of { n-points } to its winner’s total of that
    column.
game-bonus-target = The player who reaches the target gets a game bonus of { n-points }.
game-bonus-deals = The player with more points after the last deal gets a game bonus of { n-points }.
game-bonus-columns = The player who closes a column gets a game bonus of { n-points } in it.
n-shut-out = { $columns ->
    [1] If the opponent has no points at all,
   *[other] If the opponent has no entry in a column at all, then in that column
  }
shutout-points = { n-shut-out } the winner’s points of the deals count double.
shutout-bonus = { n-shut-out } the winner’s game bonus counts double.
shutout-points-and-bonus = { n-shut-out } the winner’s points of the deals and game bonus count double.
shutout-points-and-boxes = { n-shut-out } the winner’s points of the deals and boxes count double.
shutout-points-and-bonus-and-boxes = { n-shut-out } the winner’s points of the deals, game bonus and boxes
    count double.
shutout-flat = { n-shut-out } the winner gets { n-points } more.
