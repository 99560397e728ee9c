/** A word alone that is nearly a command is one that was mistyped: whoever gave it is asked what they mean. */
import { nearest } from '../../lib/nearest.ts';

export const isNearly = (word: string, commands: readonly string[]): boolean =>
  /^[a-z]{3,16}$/i.test(word) && nearest(word, commands) !== undefined;
