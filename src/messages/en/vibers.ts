/** Which viber a conversation is with. */
export const vibers = {
  here: 'You are talking to **{name}** here.',
  others: 'You can talk to another one:',
  use: 'Use {name}',
  now: 'You are talking to **{name}** here from now on. Say what it is about.',
  goesOn: 'You are talking to **{name}** here from now on. We go on with **{title}**.',
  noSuch: 'There is no viber “{name}” for you here. There is {names}.',
  notYours: 'Only an owner may choose {name} here: it is not among those that are listed for everybody.',
  gone: 'There is no viber **{name}** any more, so I gave your words to nobody. /use shows who is there.',
  broken: 'agents/{id}.yaml cannot be used, so nothing runs by it: {why}',
  says: '**{name}:**',
  is: '- with: {name}',
} as const;
