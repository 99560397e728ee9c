/** Failures. Only those that an owner has to look into name the command that shows more. */
export const failures = {
  diskShort:
    'My disk is nearly full: {free} are free. Below {least} I accept no new messages, so please make some room.',
  diskFull:
    "My disk is full: {free} are free, and I need {least}. I accept no new messages until you make some room; messages written until then aren't lost.",
  noRoomForWords:
    "There is no room left for our conversations here, so I didn't accept this message. An owner can remove old tasks or raise the limit.",
  noRoom: 'The files of {name} have reached {size}, the most one person may keep here, so I accept no more of them.',
  withTrace: '{what} (for the owner: {command})',
  notSetUp:
    "Something isn't set up correctly, so I can't answer right now. My owner has to fix it; please try again later.",
  ownerNeeded: "I couldn't answer {name}, and others get the same answer until it is fixed. {what}",
  settings: 'The settings need a change: {problem}.',
  content: "The model {model} can't read this kind of file: leave the file out, or set another model.",
  overloaded: 'The provider "{provider}" is busy right now: try again in a few minutes.',
  model: 'The model {model} reported an error: try again, or set another model.',
  brokeOff: 'The model {model} broke off in the middle of its answer: please ask again.',
  unreadable: 'The model {model} gave no readable answer: check {setting}, or ask again.',
  endless: 'The model {model} never finishes its answer: please ask for less at once.',
  slowStart: "The model {model} didn't begin to answer within {wait}: try again, or set another model.",
  slow: 'The model {model} sent nothing for {wait} in the middle of its answer: try again, or set another model.',
  unreachable: 'The provider "{provider}" can\'t be reached: check that it is running and that {setting} is right.',
  webPage:
    'The address of the provider "{provider}" answered with a web page, not with a model\'s answer: check {setting}, and whether this machine has to sign in to its network or proxy.',
  noCredit: 'The provider "{provider}" has no credit left for us: top it up, or choose another model with /model.',
  noCreditAt:
    'The provider "{provider}" has no credit left for us: top it up at {where}, or choose another model with /model.',
  usedUp:
    'We have used up what the provider "{provider}" allows for now: wait until its limit is reset, or choose another model with /model.',
  noKey: 'I have no key for {provider} yet, so no model answers: set {setting} and start me again.',
  key: 'The provider "{provider}" didn\'t accept the key: check {setting}.',
  limited: 'The provider "{provider}" is limiting our requests: try again in a moment.',
  limitedFor: 'The provider "{provider}" is limiting our requests: try again in {wait}.',
  seconds: '{n, plural, one {# second} other {# seconds}}',
  minutes: '{n, plural, one {# minute} other {# minutes}}',
  hours: '{n, plural, one {# hour} other {# hours}}',
  inTrouble: 'The provider "{provider}" is having problems: try again in a moment.',
  elsewhere: 'The provider "{provider}" redirects to another address: set its final address in {setting}.',
  tooLong:
    'The provider "{provider}" can\'t handle a conversation this long: continue in a new task (/new), or set a larger model than {model}.',
  wrongAddress: 'The provider "{provider}" has nothing at {address}: set {setting} to {right}.',
  unknownModel: 'The provider "{provider}" doesn\'t know the model "{model}": check the setting model, and {setting}.',
  notPulled:
    'The model {model} isn\'t on the machine of the provider "{provider}": get it there with `ollama pull {model}`, or choose another with /model.',
  noTools: "The model {model} can't use tools, and I need them to work: choose another with /model.",
  noMemory:
    'The model {model} needs more memory than the machine of its provider has free: choose a smaller one with /model.',
  place:
    'The provider "{provider}" doesn\'t serve the country that this machine is in: choose another model with /model.',
  refused: 'The provider "{provider}" refused the request: try to put it differently, or set another model.',
  onlyThoughts:
    'The model {model} spent its whole answer on thinking and said nothing: please ask again, or let it think less (/think low).',
  emptyFrom: 'The model {model} gave an empty answer: please ask again, or put it differently.',
  noModel: 'I have no model to answer with yet: set model, for example to openai/gpt-5-mini.',
  tookMinutes:
    'I worked on this for {n, plural, one {# minute} other {# minutes}} and stopped: ask me for it in smaller parts.',
  tookSeconds:
    'I worked on this for {n, plural, one {# second} other {# seconds}} and stopped: ask me for it in smaller parts.',
  fallback: '{what} The fallback ({models}) failed as well.',
  interruptedWhile:
    'I was interrupted while {doing}. It may or may not have happened, so please check before we go on.',
  interrupted: 'I was interrupted before I had an answer.',
  toolFailed: 'Something went wrong while {doing}, and I found no way around it: try again, or put it differently.',
  noAnswer: 'Something went wrong on my side before I had an answer: please try again.',
  empty: 'The answer was empty: please ask again, or put it differently.',
  moreFiles: 'More files: {names}',
  goneFiles:
    '{names} {n, plural, one {is} other {are}} no longer in the folder of this task. Ask me to make {n, plural, one {it} other {them}} again.',
  newTask: 'New task',
  givenUp:
    "I couldn't work on your message: I tried {n, plural, one {once} other {# times}} and failed. Try it in other words (for the owner: {command}).",
  notTaken:
    "I couldn't accept your message. It is kept; send it again in a moment, or start over with /new (for the owner: {command}).",
  notTakenOwner: "A message in {place} couldn't be accepted: {reason}. It is kept in spool/dead; {command} shows more.",
  undelivered: "A message of mine in {place} couldn't be delivered: {reason}. It is kept in spool/dead.",
  uncertain: "I can't tell whether my last message reached you. If it is missing, send /status.",
  tooMany: "That was too many messages in a minute; I didn't accept the last one. Wait a moment and send it again.",
  tooFast:
    "I didn't accept {n, plural, one {# message, because it} other {# messages, because they}} came too fast. Please send {n, plural, one {it} other {them}} again.",
  tooFastAfter:
    'I didn\'t accept {n, plural, one {# message, because it} other {# messages, because they}} came too fast. The last one I accepted was "{text}"; please send what came after it again.',
  queueFull:
    "I didn't accept this message: {n, plural, one {one is waiting already} other {# are waiting already}}. Send it again later, or /stop first.",
  buttonGone: 'That button no longer works. {hint}',
  othersThread: 'This thread belongs to a task of others; only they can move it to another task.',
} as const;

/** Voice messages that couldn't be transcribed. */
export const voice = {
  unsetOwner:
    "I can't listen to voice messages yet. Set one of {keys}, or name a program of yours in voice.command, start me again, and send it once more. I've kept the recording.",
  unset: "I can't listen to voice messages here yet. Please write it to me instead.",
  busy: "I couldn't listen to your voice message: the transcription service didn't answer. I've kept it; press Retry in a moment, or write it to me.",
  keyOwner:
    "I couldn't listen to your voice message: {reason} Please check {setting}. I've kept it; press Retry when that is done.",
  key: "I couldn't listen to your voice message: something isn't set up correctly. Please write it to me instead.",
  unreadable:
    "I couldn't make out your voice message: the recording can't be read. Please send it again, or write it to me.",
  long: 'Your voice message is too long for me. Please send it in shorter pieces, or write it to me.',
  empty: 'I heard nothing in your voice message. Please say it again, or write it to me.',
  again: 'Please try my voice message again.',
} as const;
