/** The steps of a task, and what becomes of them. */
export const plans = {
  none: 'This task has no plan yet. Ask me to make one.',
  changed: 'The plan has changed meanwhile; this is how it stands.',
  skipped: '~~{step}~~ (skipped)',
  more: 'and {n, number} more',
  now: '{done} of {total} done. Now: {step}',
  next: '{done} of {total} done. Next: {step}',
  allDone: 'All done.',
  done: '{n} is done',
  skip: 'Skip {n}',
  drop: 'Drop {n}',
  peopleOnly: 'Only the people of **{title}** may change its plan; ask one of them.',
  noStep: 'There is no step {n}.',
  edited: 'You edited the plan of **{title}** in a file; I go by that now.',
  editTook:
    'You edited the plan of **{title}** in a file; I go by that now. What stood there before is kept as {file}.',
  editAside: 'I cannot tell which plan the task.md is that you saved, so I changed none. It is kept as {file}.',
} as const;
