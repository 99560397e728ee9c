/** The platforms' own texts: about files that weren't included, and instead of an answer. */
export const channels = {
  raiseHandles: 'raise the limit with ulimit -n, or LimitNOFILE in the service file',
  onIt: 'On it.',
  onItIn: 'On it: {place}',
  workingIn: "I'm working on it in <{link}|this thread>.",
  refused: "Sorry, you can't ask me to do that here; my owner can allow it.",
  refusedPerhaps: "Sorry, you can't ask me to do that, or not in this place; my owner can allow it.",
  notBetweenOthers:
    "I'm not part of this conversation, so you couldn't read my answers here. Write to me directly instead.",
  notInChannel: "I'm not in this channel, so you couldn't read my answer. Invite me with {invite}, then try again.",
  noLonger: 'This no longer works here; /help shows what does.',
  noLongerWrite: 'This no longer works here; write to me in words instead.',
  notTaken: "I couldn't accept this. Please try again in a moment.",
  uncertainRest: "I can't tell whether the rest of my answer reached you. If it is missing, send the command again.",
  uncertainAnswer:
    "I can't tell whether my answer to your last command reached you. If it is missing, send the command again.",
  moreChoices: 'More choices:',
  choose: 'Choose:',
  noText: '(no text)',
  barredRights:
    'I\'m not allowed to write in this channel. Give my role "View Channel" and "Send Messages" here, or use another channel; then give the command again.',
  cannotAnswer: 'I read "{words}", but I can\'t answer where you wrote it: {why} Write to me here instead.',
  barredArchived: 'The channel is archived.',
  barredReadOnly: "I'm not allowed to post there.",
  barredLocked: "The thread is locked, and I'm not allowed to write in locked ones.",
  barredMuted: "I've been muted there.",
  barredOut: "I'm no longer a member there.",
  barredRefused: 'My answer was refused there.',
  fileEmpty: 'Not attached: {file} is empty.',
  fileTooLarge: 'Not attached: {file} is {size}; {platform} accepts files of up to {max}.',
  notAttached: "I couldn't attach {files} here: {why}",
  andMore: '{files} and {n, number} more',
  rights:
    "I'm not allowed to send files in this place. Ask for {n, plural, one {it} other {them}} in a private chat with {get}.",
  rightsTelegram:
    "this chat doesn't let me send files. Ask for {n, plural, one {it} other {them}} in a private chat with {get}, or allow files in the permissions of this chat.",
  rightsDiscord:
    'I lack the permission "Attach Files" in this channel. Ask for {n, plural, one {it} other {them}} in a direct message with {get}, or give my role that permission here.',
  rightsSlack:
    "I'm not allowed to share files in this channel. Ask for {n, plural, one {it} other {them}} in a direct message with {get}, or invite me with {invite}.",
  scope:
    "I'm not allowed to send files on {platform}. Once I am, ask for {n, plural, one {it} other {them}} with {get}.",
  scopeSlack:
    'the app lacks the scope {scope}. Once it has it and is installed again, ask for {n, plural, one {it} other {them}} with {get}.',
  policy: "{platform} doesn't accept files here. Once it does, ask for {n, plural, one {it} other {them}} with {get}.",
  policySlack:
    "this workspace doesn't let apps share files. Once an admin allows it, ask for {n, plural, one {it} other {them}} with {get}.",
  size: 'this is more than {platform} accepts. Ask me to make {n, plural, one {it} other {them}} smaller, or to send parts.',
  gone: 'I can no longer read {n, plural, one {it} other {them}}. Ask me to make {n, plural, one {it} other {them}} again.',
  file: "{platform} didn't accept {n, plural, one {it} other {them}}. Try {get}, or ask me for another format.",
  promptPlan: 'Make a plan',
  promptPlanSays: 'Help me make a plan. Ask me what it is for.',
  promptWrite: 'Write something',
  promptWriteSays: 'Help me write a text. Ask me what it is about and for whom.',
  promptCan: 'What can you do?',
  promptCanSays: 'What can you do for me? Give three examples.',
} as const;
