/** What servers of tools keep as prompts, for people to choose. */
export const prompts = {
  notHere: 'Prompts cannot be used here.',
  noServers: 'No tool server is set up here, so there are no prompts.',
  none: 'The tool servers have no prompts.',
  membersOnly: 'Prompts are for the people of this bot; ask its owner.',
  peopleOnly: 'Only the people of **{title}** may use a prompt in it; ask one of them.',
  listed: '- **{name}** ({server}): {what}',
  listedNeeds: '- **{name}** ({server}): {what} It needs {needs}.',
  how: 'Press one, or type /prompts NAME. What it needs follows as name=value, or name="two words".',
  more: 'and {n, number} more',
  unknown: 'There is no prompt {name}. /prompts lists those there are.',
  several: 'More than one server has a prompt {name}. Say which: {names}.',
  needs: 'The prompt {name} needs {what}: send /prompts {name} {example}',
  notNeeded: 'The prompt {name} does not take {given}.',
  using: 'I am doing what {name} of {server} asks for.',
  say: 'Do what the prompt {name} of {server} asks for. I have chosen it; it stands in the quotation.',
} as const;
