/** Formats plurals and choices with intl-messageformat. Loaded by messages.ts when the first message needs it. */
import { IntlMessageFormat } from 'intl-messageformat';

export type Format = (values: Readonly<Record<string, string | number>>) => string;

export function compile(text: string, language: string): Format {
  const message = new IntlMessageFormat(text, language, undefined, { ignoreTag: true });
  return (values) => String(message.format({ ...values }));
}
