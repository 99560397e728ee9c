/**
 * Makes the names that people choose safe for the model to read. A name is data: it must not pass for someone else's
 * name or for a role.
 */
import { withoutHidden } from '../../lib/text.ts';

/** Letters of other scripts, and symbols, that look like Latin letters. */
const ALIKE = new Map(
  Object.entries({
    а: 'a',
    е: 'e',
    о: 'o',
    р: 'p',
    с: 'c',
    х: 'x',
    у: 'y',
    і: 'l',
    ј: 'j',
    ѕ: 's',
    һ: 'h',
    ԁ: 'd',
    к: 'k',
    м: 'm',
    т: 't',
    в: 'b',
    н: 'h',
    ь: 'b',
    ո: 'n',
    ս: 'u',
    α: 'a',
    ο: 'o',
    ρ: 'p',
    ν: 'v',
    ι: 'l',
    κ: 'k',
    τ: 't',
    υ: 'u',
    χ: 'x',
    ε: 'e',
    η: 'n',
    β: 'b',
    μ: 'm',
    ı: 'l',
    i: 'l',
    '1': 'l',
    '|': 'l',
    '!': 'l',
    '0': 'o',
    '3': 'e',
    '@': 'a',
    $: 's',
    '5': 's',
  }),
);

/** Normalizes a name: names that look alike give the same text. */
export function likeness(name: string): string {
  const plain = withoutHidden(name).normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return [...plain]
    .map((letter) => ALIKE.get(letter) ?? letter)
    .join('')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .replaceAll('rn', 'm')
    .trim();
}

const ROLES = new Set(
  'you me system developer assistant tool bot viber openviber gateway owner admin administrator moderator root'
    .split(' ')
    .map(likeness),
);

/** Returns the name of a speaker; marks one that contains a role's name, such as "system", as chosen by the person. */
export function markRoleName(name: string): string {
  const isRole = likeness(name)
    .split(' ')
    .some((word) => ROLES.has(word));
  return isRole ? `${name} (a name they chose)` : name;
}
