/** The findings of channels about themselves, for `viber doctor`, the wizard and the errors at a start. */
export const checks = {
  slackBot: '{name} answers in the workspace {team}',
  slackScopesUnknown: "Slack didn't say which scopes the app has",
  slackScopesAll: 'every scope that is needed is granted',
  slackScopesMost: 'everything needed is there, but {what}',
  slackScopes:
    'the app lacks the scopes {scopes}; add them under OAuth & Permissions at {page} and install the app again',
  slackNoBot: "this isn't the token of a bot; it begins with xoxb-",
  slackNoChannel: 'the app is in no channel {chat}; invite it there, or fix the ID',
  slackSocket: 'Socket Mode can be opened with the app-level token',
  slackSecret: 'the signing secret is set; only a request from Slack can show that it is the right one',
  slackNoSecret: 'mode http needs the signing secret; Basic Information of the app at {page}',
  slackNoConnections: 'the app-level token lacks the scope connections:write',
  slackAppTokenForm: 'an app-level token begins with xapp-',
  slackBotToken:
    "Slack doesn't accept this token{code}; OAuth & Permissions of the app at {page} shows the Bot User OAuth Token, xoxb-…",
  slackAppToken:
    "Slack doesn't accept this app-level token{code}; Basic Information, App-Level Tokens, of the app at {page}: xapp-…, with the scope connections:write",
  discordContent: 'it may read the text of messages',
  discordStarts: '{left} of {total} starts are left for today',
  discordNoStarts: 'the bot has used up its starts for today; Discord allows more tomorrow',
  inNoServer: 'the bot is in no server; invite it: {link}',
  discordNotInServer: "the bot isn't in the server {id}; invite it: {link}",
  discordLacks: 'in {server} the bot lacks {permissions}; give its role these permissions, or invite it again: {link}',
  discordHas: 'it has the permissions it needs in {server}',
  discordNoChannel: 'the bot sees no channel {chat}; give its role "View Channels" there, or fix the number',
  discordToken:
    'Discord doesn\'t accept this token; {page}, the application, page "Bot", "Reset Token" gives a new one',
  discordIntent:
    'Discord withholds the text of messages from this bot: on {page}, the application, page "Bot", switch on "Message Content Intent" (MESSAGE_CONTENT) under "Privileged Gateway Intents"',
  telegramToken: "Telegram doesn't accept this token; @BotFather on Telegram shows the right one",
  telegramUrl: "Telegram doesn't accept it: {why}",
  timezoneNote:
    '{east, select, yes {TZ is {tz}, which means east of Greenwich ({zone}), as POSIX has it. For a zone to the west, turn the sign round, or set a name such as Europe/Berlin.} other {TZ is {tz}, which means west of Greenwich ({zone}), as POSIX has it. For a zone to the east, turn the sign round, or set a name such as Europe/Berlin.}}',
  agentNoFile: "{file} isn't a file that can be read",
  agentUnfinished: '{file} is still being written',
  agentChanged: '{file} was changed while it was read',
  agentProblem: '{problem}',
  agentBoth: '{first}; {second}',
  agentKept: '{problem}; the previous version stays in use',
  agentWarning: '{file}: {what}',
} as const;
