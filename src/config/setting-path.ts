/** Finds the setting that a dotted path means, whose names may contain dots: `prices.openai/gpt-5.1.input`. */
import { nearest } from '../lib/nearest.ts';
import type { SettingInfo } from './describe.ts';
import { plainKey } from './spelling.ts';

export interface SettingAt {
  info: SettingInfo;
  /** A number is an index into a list. */
  path: (string | number)[];
}

/** Returns the setting with its steps as the schema spells them; undefined if there is none. */
export function settingAt(text: string, all: readonly SettingInfo[]): SettingAt | undefined {
  for (const info of all) {
    const path = stepsOf(text, info.path, info.shown.split('.'));
    if (path) return { info, path };
  }
  return undefined;
}

/** Returns the settings of a section, such as `http` or `providers.local`; all of them for ''. */
export function settingsBelow(text: string, all: readonly SettingInfo[]): readonly SettingInfo[] {
  if (text === '') return all;
  return all.filter(({ path, shown }) =>
    path.some((_, length) => length > 0 && stepsOf(text, path.slice(0, length), shown.split('.').slice(0, length))),
  );
}

/** Returns the steps of a section, such as `channels.telegram`; undefined if there is none. */
export function sectionAt(text: string, all: readonly SettingInfo[]): (string | number)[] | undefined {
  for (const { path, shown } of all)
    for (let length = 1; length < path.length; length++) {
      const steps = stepsOf(text, path.slice(0, length), shown.split('.').slice(0, length));
      if (steps) return steps;
    }
  return undefined;
}

function stepsOf(
  text: string,
  [step, ...more]: readonly string[],
  [name = '', ...names]: readonly string[],
): (string | number)[] | undefined {
  if (step === undefined) return text === '' ? [] : undefined;
  const parts = text.split('.');
  for (let length = 1; length <= parts.length; length++) {
    const given = parts.slice(0, length).join('.');
    const isOurs =
      step === '*' ? given !== '' && (name !== 'N' || /^\d+$/.test(given)) : plainKey(given) === plainKey(step);
    const rest = isOurs ? stepsOf(parts.slice(length).join('.'), more, names) : undefined;
    if (rest) return [step !== '*' ? step : name === 'N' ? Number(given) : given, ...rest];
  }
  return undefined;
}

/** Returns the path that was probably meant: with a similar key, or of the only setting that ends so. */
export function similarSetting(text: string, all: readonly SettingInfo[]): string | undefined {
  const shown = all.map((info) => info.shown);
  const ends = shown.filter((path) => plainKey(path).endsWith(`.${plainKey(text)}`));
  return ends.length === 1 ? ends[0] : nearest(text, shown);
}
