/** What is added to an answer of the model, or stands in its place. */
export const answers = {
  done: 'Done.',
  somethingToRemember: 'There is something to remember.',
  planConflict: 'The plan was edited meanwhile, so yours stands. I would have written:',
} as const;
