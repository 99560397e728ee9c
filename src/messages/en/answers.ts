/** Text added to the model's answer, or used instead of it. */
export const answers = {
  unseen: "I couldn't look at {name}: {why}",
  unseenFormat: "it is a {format} file, which the model can't read. Please send it as JPEG or PNG.",
  unseenLarge: 'it is too large. Please send a smaller one.',
  unseenLocked: 'it is protected with a password.',
  unseenPages:
    'it has {n, plural, one {# page} other {# pages}}, and the model looks at 100 at most. Its text can still be read.',
  unseenEmpty: 'it is empty.',
  unseenMany: 'the model looks at {n, plural, one {# picture} other {# pictures}} at a time at most.',
  unseenRefused: "the model refused it. It may be damaged, or of a type the model can't read; I won't send it again.",
  done: 'Done.',
  somethingToRemember: 'There is something to remember.',
  planConflict: 'The plan was edited while I was working, so that version stays:',
  planMine: 'I would have written:',
  unreadFiles:
    "I tried to attach {n, plural, one {a file that} other {# files that}} couldn't be read. Please ask me for {n, plural, one {it} other {them}} again.",
  leftOutFiles:
    'I can attach {most, plural, one {# file} other {# files}} of up to 1 MB each to an answer; {n, plural, one {one more is} other {# more are}} missing. Ask me for {n, plural, one {it} other {them}} in a new message.',
  saidBy: 'Who said what:',
  moreSaid: 'and {n, plural, one {# answer more} other {# answers more}}',
  noWords: 'Done.',
  maxSteps:
    'I stopped because I reached my limit of steps for one answer. What I did so far is kept. Write "go on" to continue.',
  cutLength: 'The answer ends here because it reached the length limit of the model. Write "go on" for the rest.',
  stuck: 'I stopped: something went wrong three times in the same way while {doing}. Tell me what to do differently.',
  withheld: "The model's provider withheld the rest of this answer. Try asking in other words.",
} as const;

/** Search results. */
export const search = {
  sources: 'Sources:',
  ask: 'Search the web for {query}? {who} sees these words.',
} as const;
