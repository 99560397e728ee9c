/** Tokens, money and daily limits. */
export const costs = {
  tokens: '{in, number} tokens in, {out, number} out',
  tokensCached: '{in, number} tokens in ({cached, number} cached), {out, number} out',
  unpriced: '{tokens}, price not known',
  priced: '{tokens}, {money}',
  pricedPartly: "{tokens}, {money} and {rest, number} tokens whose price isn't known",
  ofTokens: '{used, number} of {limit, number} tokens',
  money: '{amount} {currency}',
  amount: '{whole, number}.{part}',
  ofMoney: '{used} of {limit}',
  lifted: 'in {hours, plural, =0 {} other {# h }}{minutes} min',
  yourLimit: 'Your limit for today is used up ({share}, {setting})',
  everybodysLimit: "Today's limit for everybody is used up ({share}, {setting})",
  notice:
    "{limit}. I'll continue {when}, or when the owner raises it. I keep what you write until then, but I don't answer it; press Continue afterwards.",
  reminder: 'I stopped here. {limit}. What is done is kept; press Continue {when}.',
  forOwners: "{limit}. I'll answer again {when}; to continue now, raise the setting and start the gateway again.",
  todayYou: '- today, you: {share}',
  todayEverybody: '- today, everybody: {share}',
  reached: "- a limit is reached ({setting}): I'll continue {when}",
} as const;
