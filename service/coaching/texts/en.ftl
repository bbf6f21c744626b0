# What speaks for an action or against it. $cards are shown cards, $n a number, $seats how many play.

n-points = { $n ->
    [one] { $n } point
   *[other] { $n } points
  }
n-next = { $seats ->
    [2] the opponent
   *[other] the next player
  }

reason-only_action = Nothing else can be done.
reason-big_gin = { $n ->
    [0] All the cards are in melds: that is big gin.
   *[other] All the cards are in melds: that is big gin, with a bonus of { n-points }.
  }
reason-gin = { $n ->
    [0] It makes gin.
   *[other] It makes gin, with a bonus of { n-points }.
  }
reason-completes_meld = It makes the meld { $cards }.
reason-lowers_deadwood = It lowers the deadwood by { n-points }.
reason-allows_knock = A knock with { n-points } becomes possible.
reason-no_use = { $cards } completes nothing and would only be more deadwood.
reason-knocks_with = The knock leaves { n-points } of deadwood.
reason-undercut_risk = The chance of an undercut is about { $n }%.
reason-gin_available = Gin is possible instead.
reason-breaks_meld = It breaks the meld { $cards } and leaves { n-points } more than the best throw.
reason-high_deadwood = { $cards } is the dearest of the unmatched cards, { n-points }.
reason-opponent_wants = { $cards } helps { n-next } with a chance of about { $n }%.
reason-safe = { $cards } hardly helps { n-next }: the chance is about { $n }%.
reason-live_outs = { $n ->
    [one] { $n } unseen card
   *[other] { $n } unseen cards
  } would fit a meld.
reason-keeps_waiting_for_gin = { $n ->
    [one] { $n } unseen card
   *[other] { $n } unseen cards
  } would then make gin.
reason-lays_off = { $cards } can be laid off, which saves { n-points }.
reason-undercuts = It leaves { n-points }: that is an undercut.
reason-last_turns = { $n ->
    [0] Nothing more is drawn from the stock.
    [one] Only { $n } card may still be drawn from the stock.
   *[other] Only { $n } cards may still be drawn from the stock.
  }
reason-voids_deal = It makes the deal void.

## The bots

level-beginner = Knows the rules and often throws the first card that comes to mind.
level-casual = Keeps melds together and now and then throws something useful.
level-club = Collects melds, throws what costs most and knocks as soon as it may.
level-strong = Watches the throws, keeps dangerous cards back and mostly waits for gin.
level-expert = Works out from every throw what the others hold, weighs each knock, and adapts to its opponent.
