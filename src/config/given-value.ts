/** Turns what a person types after `viber config set PATH` into the value of a setting. */
import type { SettingInfo } from './describe.ts';

/** The loader converts and checks the rest. */
export async function givenValue(text: string, { kind, choices = [] }: SettingInfo): Promise<unknown> {
  if (kind === 'text' || (kind === 'choice' && choices.includes(text) && !/^(true|false)$/.test(text))) return text;
  if (kind === 'flag' || kind === 'choice') return text === 'true' ? true : text === 'false' ? false : text;
  if (kind === 'number') return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  const isCollection = /^\s*[[{]/.test(text);
  if (kind === 'list' && !isCollection)
    return text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  const { parse } = await import('yaml');
  return parse(text) as unknown;
}
