/** Matches the words that end a conversation in the terminal. */
export const LEAVE = /^(?:exit|quit|\/exit|\/quit)$/i;
