/** Names that people give themselves, where a model reads who speaks. A name is data: it can pass for nobody else's, nor for a role. */
import { withoutHidden } from '../../lib/text.ts';

/** Letters of other scripts, and signs, that are drawn alike. */
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

/** The same for names that a reader would take for each other. */
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

/** The name of somebody who speaks; one that claims to be a part of the conversation is said to be a name. */
export function nameOf(name: string): string {
  const isRole = likeness(name)
    .split(' ')
    .some((word) => ROLES.has(word));
  return isRole ? `${name} (a name they chose)` : name;
}
