/** Servers of tools: logins at them, and the command. */
export const mcp = {
  loginNeeded: 'The server {name} needs a login. An owner can send /mcp login {name}',
  moreNeeded: 'The server {name} allows this only after another login, which asks for more rights: /mcp login {name}',
  away: "I can't reach {name} right now. Try again in a moment.",
  noLoginNeeded: '{name} works without a login.',
  noRegistration:
    "{name} doesn't let programs register themselves. Register one there by hand, and set mcp.{name}.oauth.clientId.",
  cantLogIn: "I can't log in at {name}{why, select, empty {} other {: {why}}}",
  otherIssuer:
    "The answer isn't from the server that {name} names, so I didn't use it. Start again with /mcp login {name}",
  refused: "{name} didn't allow the login ({why}). Start again with /mcp login {name}",
  noCode: 'That address has no code from {name} in it. Start again with /mcp login {name}',
  ownersOnly: 'Only an owner can log me in at servers.',
  directOnly: 'Send me that in a direct message: only you should see the link.',
  none: 'No tool server is set up here. Add one on my machine: `{command}`',
  unknown:
    "I can't find a tool server {name}. {names, select, none {} other {There are: {names}.}} Add one on my machine: `{command}`",
  noAddress: '{name} is a program on my machine, so there is nothing to log in at.',
  hasKey: '{name} has a key in its settings (mcp.{name}.headers), so it needs no login.',
  line: '- **{name}**: {state}',
  states:
    '{state, select, connected {connected, {tools, plural, =0 {no tools} one {one tool} other {# tools}}} connecting {connecting} failed {not there} other {not needed yet}}',
  needs: 'needs a login: /mcp login {name}',
  link: 'Open this link within ten minutes, and allow access to {name}:',
  comesBack: "If the browser then ends on a page that doesn't load, copy its address and send it to me here.",
  goesOn: "I'll tell you here when it's done.",
  connected: "I'm connected to {name}: {tools, plural, =0 {it has no tools} one {one tool} other {# tools}}.",
  gone: "That login isn't under way any more. Start again with /mcp login NAME",
  deleted: 'I deleted your message with the address.',
  spent: "The address in your message can't be used again. You can delete it.",
  button: 'Log in at {name}',
  page: "You're logged in at {name}. You can close this page.",
  pageGone: 'This link was used already, or is older than ten minutes. Ask for a new one.',
  pageFailed: 'The login failed. The chat says why.',
} as const;
