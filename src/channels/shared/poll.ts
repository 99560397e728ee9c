/** Formats a poll's count for the model. */
export const pollVotes = (votes: number): string => (votes === 1 ? '1 vote' : `${votes} votes`);
