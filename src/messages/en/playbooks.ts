/** Playbooks: playing one, and how far it is. */
export const playbooks = {
  notHere: 'Playbooks cannot be played here.',
  membersOnly: 'Playbooks are for the people of this bot; ask its owner.',
  peopleOnly: 'Only the people of **{title}** may play something in it; ask one of them.',
  needs: 'The playbook {name} needs {what}: send /play {name} {example}',
  otherOpen: 'This task is not done with the playbook {name}: /play goes on with it, /new begins another task.',
  ownPlan:
    'This task has a plan of its own with open steps, which the playbook would replace: send /new, then /play {words} there.',
  playing: 'Playing **{title}**: {n, plural, one {# step} other {# steps}}. /plan shows how far it is.',
  playingLater:
    'Playing **{title}**: {n, plural, one {# step} other {# steps}}. It begins when what I am at is done. /plan shows how far it is.',
  unreadable: 'I cannot read "{words}": give values as name=value, or name="two words".',
  notNeeded: 'This playbook does not need {name}; what it needs: {needs}.',
  needsNothing: 'This playbook does not need {name}; it needs nothing.',
  twice: '{name} is given twice.',
  atWork: '**{title}**: I am at work on this task. /plan shows how far it is, /stop ends that.',
  waits: '**{title}** waits for your answer to my last question here; /stop ends that.',
  goingOn: 'Going on with **{title}**: {done} of {total} steps are done.',
  unusable: '- {name}: cannot be used: {problem}',
  listed: '- {name}: {goal}',
  listedNeeds: '- {name}: {goal} (needs {needs})',
  more: '{n, plural, other {(and # more)}}',
  all: 'The playbooks:',
  how: 'Play one with /play and its name. They stand in the folder playbooks/.',
} as const;
