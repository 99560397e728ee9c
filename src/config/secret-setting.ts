/** Where a secret is kept: its value in `.env`, and a reference to it in the configuration. */
import { channelKind } from '../channels/index.ts';
import { hashText } from '../lib/files.ts';
import { addSecret } from '../log.ts';
import type { Change } from './change.ts';
import type { Data } from './parse.ts';
import { variableFor } from './platforms.ts';
import { valueAt } from './validate.ts';

/**
 * The variable that the setting refers to is kept, unless another setting refers to it too.
 * @param written the configuration as it is written, without references replaced
 */
export function secretChange(
  steps: readonly string[],
  secret: string,
  written: { readonly [key: string]: Data },
): Change {
  const old = valueAt(written, steps);
  const there = typeof old === 'string' ? /^\$\{(\w+)\}$/.exec(old)?.[1] : undefined;
  const isTaken = usedBeside(old, written);
  const variable = there === undefined || isTaken(there) ? newVariable(steps, isTaken) : there;
  addSecret(secret);
  return {
    settings: variable === there ? [] : [{ path: steps, value: `\${${variable}}` }],
    secrets: { [variable]: secret },
  };
}

/**
 * Removes a setting or section, and the variables of its secrets that nothing else refers to.
 * @param written the configuration as it is written, without references replaced
 * @param isOutside returns whether the environment sets a variable by itself, so that `.env` isn't where it is removed
 */
export function secretRemoval(
  steps: readonly (string | number)[],
  written: { readonly [key: string]: Data },
  isOutside: (name: string) => boolean,
): Change {
  const removed = valueAt(written, steps.map(String));
  const isUsedElsewhere = usedBeside(removed, written);
  const names = [...referencesIn(JSON.stringify(removed ?? '')), ...platformVariables(steps)];
  return {
    settings: [{ path: steps, value: undefined }],
    secrets: Object.fromEntries(
      names.filter((name) => !isUsedElsewhere(name) && !isOutside(name)).map((name) => [name, undefined]),
    ),
  };
}

const referencesIn = (text: string): string[] => [...text.matchAll(/\$\{(\w+)/g)].flatMap(([, name = '']) => name);

/** Returns whether more settings refer to a variable than these. */
function usedBeside(part: Data | undefined, written: { readonly [key: string]: Data }): (name: string) => boolean {
  const [all, here] = [written, part ?? ''].map((data) => referencesIn(JSON.stringify(data)));
  const countIn = (names: readonly string[] = [], name: string) => names.filter((each) => each === name).length;
  return (name) => countIn(all, name) > countIn(here, name);
}

/** Returns the variables that a platform reads even if the configuration names none of them. */
export function platformVariables([section, name, key]: readonly (string | number)[]): string[] {
  const kind = section === 'channels' ? channelKind(String(name)) : undefined;
  const all = Object.entries(kind?.variables ?? {});
  return all.filter(([each]) => key === undefined || each === key).map(([, variable]) => variable);
}

function newVariable(steps: readonly string[], isTaken: (name: string) => boolean): string {
  const [section, name = '', key = ''] = steps;
  const kind = section === 'channels' ? channelKind(name) : undefined;
  const known = kind && variableFor(kind, key);
  if (known !== undefined && !isTaken(known)) return known;
  const variable = `VIBER_${steps.join('_')}`.toUpperCase().replace(/[^A-Z0-9]/g, '_');
  // Names that people choose may differ only in what a variable's name can't hold, such as `my-llm` and `my_llm`.
  const isPlain = steps.slice(1, -1).every((step) => /^[a-z0-9]+$/.test(step));
  return isPlain && !isTaken(variable)
    ? variable
    : `${variable}_${hashText(steps.join('.')).slice(0, 6).toUpperCase()}`;
}
