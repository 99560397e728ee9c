/** Tokens, money and daily limits. */
export const costs = {
  tokens: '{in, number} tokens in, {out, number} out',
  tokensCached: '{in, number} tokens in ({cached, number} cached), {out, number} out',
  unpriced: '{tokens}, price not known',
  priced: '{tokens}, {money}',
  pricedPartly: '{tokens}, {money} and {rest, number} tokens whose price is not known',
  ofTokens: '{used, number} of {limit, number} tokens',
  money: '{amount} {currency}',
  amount: '{whole, number}.{part}',
  ofMoney: '{used} of {limit}',
  lifted: 'in {hours, plural, =0 {} other {# h }}{minutes} min',
  yourLimit: 'Your limit for today is used up ({share}, {setting})',
  everybodysLimit: 'Today’s limit for everybody is used up ({share}, {setting})',
  notice:
    '{limit}. I go on {when}, or when the owner raises it. What you write until then is kept and not answered; press Continue afterwards.',
  reminder: 'I stopped here. {limit}. What is done is kept; press Continue {when}.',
  forOwners: '{limit}. I answer again {when}; raise the setting and start the gateway again to lift it now.',
  todayYou: '- today, you: {share}',
  todayEverybody: '- today, everybody: {share}',
  reached: '- a limit is reached ({setting}): I go on {when}',
} as const;
