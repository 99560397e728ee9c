/** A poll's count as the model reads it. */
export const pollVotes = (votes: number): string => (votes === 1 ? '1 vote' : `${votes} votes`);
