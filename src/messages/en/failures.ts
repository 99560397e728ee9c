/** What people are told when something did not work. A code in brackets is for the owner, who finds it in the log. */
export const failures = {
  withTrace: '{what} (trace {trace})',
  settings: 'The settings need a change: {problem}.',
  content: 'The model {model} cannot take this kind of content: leave the file out, or set another model.',
  overloaded: 'The provider "{provider}" has too much to do just now: try again in a few minutes.',
  model: 'The model {model} reported an error: try again, or set another model.',
  brokeOff: 'The model {model} broke off in the middle of its answer: please ask again.',
  unreadable: 'The model {model} gave no readable answer: check {setting}, or ask again.',
  endless: 'The model {model} does not come to an end: please ask for less at once.',
  slowStart: 'The model {model} did not begin to answer within {n} seconds: try again, or set another model.',
  slow: 'The model {model} stopped in the middle of its answer for {n} seconds: try again, or set another model.',
  unreachable: 'The provider "{provider}" cannot be reached: check that it is running and that {setting} is right.',
  noCredit: 'The provider "{provider}" has no credit left for us: top it up, or choose another model with /model.',
  noCreditAt:
    'The provider "{provider}" has no credit left for us: top it up at {where}, or choose another model with /model.',
  key: 'The provider "{provider}" did not accept the key: check {setting}.',
  limited: 'The provider "{provider}" is limiting how often we may ask: try again in a moment.',
  limitedFor: 'The provider "{provider}" is limiting how often we may ask: try again in {n} seconds.',
  inTrouble: 'The provider "{provider}" is in trouble: try again in a moment.',
  elsewhere: 'The provider "{provider}" sends us elsewhere: set its final address in {setting}.',
  tooLong:
    'The provider "{provider}" cannot take a conversation of this length: go on in a new task (/new), or set a larger model than {model}.',
  wrongAddress: 'The provider "{provider}" knows nothing at {address}: set {setting} to {address}/v1.',
  unknownModel: 'The provider "{provider}" does not know the model "{model}": check the setting model, and {setting}.',
  refused: 'The provider "{provider}" refused the request: try to put it differently, or set another model.',
  fallback: '{what} The fallback ({models}) failed as well.',
  interruptedWhile:
    'I was interrupted while using {tool}; it may or may not have happened. Look before you continue (trace {trace}).',
  interrupted: 'I was interrupted before I had an answer (trace {trace}).',
  empty: 'The answer was empty: please ask again, or put it differently.',
  moreFiles: 'More files: {names}',
  newTask: 'New task',
  givenUp:
    'I could not work on your message: it made me fail {n, plural, one {once} other {# times}} (trace {trace}). Try it in other words.',
  notTaken:
    'I could not take in your message (trace {trace}). It is kept; send it again in a moment, or begin anew with /new.',
  notTakenOwner: 'A message in {place} could not be taken in: {reason}. It is kept in spool/dead (trace {trace}).',
  undelivered: 'Something I had to say in {place} could not be delivered: {reason}. It is kept in spool/dead.',
  uncertain: 'I cannot tell whether my last message reached you (trace {trace}). If it is missing, send /status.',
  tooMany: 'That was too many messages in a minute; I did not take the last one. Wait a moment and send it again.',
  queueFull:
    'I did not take this message: {n, plural, one {one is waiting already} other {# are waiting already}}. Send it again later, or /stop first.',
  buttonGone: 'That button is no longer valid. {hint}',
  othersThread: 'This thread belongs to a task of others; only its people may lead it elsewhere.',
} as const;
