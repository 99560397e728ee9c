/**
 * Carries a sentence of the catalogue through a schema, whose errors are plain text: a check names it by `expects`, and
 * `validate` words it for its reader by `expectationOf`. Schemas from outside may have words of their own.
 */
import { type MessageKey, say, type Values, type Wording } from './messages.ts';

const MARK = '\u0000';

export const expects = <K extends MessageKey>(
  key: K,
  ...given: keyof Values<K> extends never ? [] : [values: Values<K>]
): string => MARK + JSON.stringify(say(key, ...given));

/** Returns what a schema's error says. */
export const expectationOf = (message: string): Wording | string =>
  message.startsWith(MARK) ? (JSON.parse(message.slice(MARK.length)) as Wording) : message;
