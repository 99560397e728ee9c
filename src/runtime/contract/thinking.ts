/** How long a model thinks before it answers, where that can be chosen. */
export const THINKING = ['off', 'low', 'medium', 'high'] as const;
export type Thinking = (typeof THINKING)[number];

export const isThinking = (word: string): word is Thinking => THINKING.some((level) => level === word);
