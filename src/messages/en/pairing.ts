/** First contact, letting people in, and one person with several accounts. */
export const pairing = {
  asksIn: '{name} ({channel}) asks to be let in. The code is {code}.',
  approve: 'Approve',
  approveName: 'Approve {name}',
  deny: 'Deny',
  mayWrite: '{name} may write to me now ({identity}, {role}).',
  notLetIn: "{name} wasn't let in.",
  nobodyAsks: 'Nobody is asking to be let in.',
  noSuchCode:
    'Nobody asks with the code {code}. A code is valid for an hour; a new message to the bot brings a new one.',
  waiting: '- {name} ({identity}), code {code}',
  unknownCode: "I don't know this code. Ask for a new one with /link on your other account.",
  expiredCode: 'This code is older than 10 minutes. Ask for a new one with /link on your other account.',
  ownCode: 'This code is your own. Enter it on your other account, in a direct message to me.',
  takenCode:
    "This account can't join the one that showed the code: it belongs to somebody already, or may do more. Send /link here instead and enter what I answer on the other account.",
  tooManyTries: 'Those were too many wrong codes. Try again in an hour.',
  notLetInYet:
    'This code joins accounts that may write to me already, and this one may not yet. Ask the owner to let it in.',
  linked:
    'Done: here you are {person} now, as on {identity}, with the same tasks, files and rights. What we were doing there goes on here. /link list shows your accounts.',
  codeUsed:
    "{identity} ({name}) entered your code and acts as you from now on. If that wasn't you, send `/link remove {identity}` at once.",
  cannotLink: "This account can't be linked at the moment; tell the owner of this bot.",
  directOnly: 'Accounts are linked only in a direct message to me; a code that was written here is no longer valid.',
  yourCode:
    'Your code is **{code}**. Anybody who enters it acts as you, so enter it yourself, with your other account, only in a direct message to me. It is valid once, for 10 minutes.',
  noChats:
    'No chat is connected yet, so there is no other account to link. To connect one, run `{command}` on my machine, then send /link again.',
  enterOn: '- on {channel}: `{command}`',
  yourAccounts: 'Your accounts:',
  thisAccount: 'this account',
  linkedOn: 'linked {date}',
  ofOthers: "Other people's:",
  linkHow: '/link shows a code for another account; /link remove and an account removes one.',
  whichAccount: 'Which one? /link list shows your accounts.',
  unlinked: '{account} is on its own again: it no longer sees what you do here.',
  byConfiguration: "{account} isn't linked by a code: the setting `people` of the configuration names it.",
  tooManyCodes: 'Too many link codes are waiting to be entered. Ask again in ten minutes.',
  tooManyAccounts: 'No more accounts can be linked. `/link list` shows which can be removed.',
  linkedTo: '{account} is the account the others are linked to; remove those instead: {names}.',
  noSuchAccount: "I can't find a linked account {account} of yours. /link list shows them.",
} as const;

/** The first words with somebody: before they are let in, and right after. */
export const contact = {
  nobodys:
    "Hi! I don't have an owner yet. If that's you, run this on my machine:\n\n```\n{command}\n```\n\nThen I'll answer what you wrote here. The code works for an hour.",
  lost: "Hi! I've lost the list of who may write to me. If you're my owner, run this on my machine:\n\n```\n{command}\n```\n\nThen I'll answer what you wrote here. The code works for an hour.",
  stranger:
    "Hi! I don't know you yet. My owner can let you in with this code:\n\n```\n{code}\n```\n\nIt works for an hour, and I'll answer what you wrote as soon as you're in. If you already talk to me somewhere else, use the command \"link\" there, and then here with the code it shows.",
  owner:
    "You're in{comma}{name}, and I'm yours. {isWritten, select, yes {I'm looking at what you wrote.} other {Write to me as you would to a colleague; /help shows what I can do.}}",
  in: "You're in{comma}{name}. {isWritten, select, yes {I'm looking at what you wrote.} other {Write to me as you would to a colleague; /help shows what I can do.}}",
} as const;
