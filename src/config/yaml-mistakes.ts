/** Explains YAML errors to people who edit such files by hand, in our own words where we recognise the error. */
import type { ErrorCode, Scalar, YAMLError } from 'yaml';
import { say, type Wording } from '../messages/messages.ts';

/** The markers that git and others leave for an unresolved merge conflict. */
const VERSIONS = /^(?:<{7}(?: |$)|={7}$|>{7}(?: |$)|\|{7}(?: |$))/;

const MAX_MISTAKES = 10;

/** A space that isn't one for YAML, where a line needs one: in its indentation, or after a dash or a colon. */
const NON_BREAKING = /^[ \t-]*([\u00a0\u2007\u202f])|^[^"'#:]*:([\u00a0\u2007\u202f])/;

/**
 * Returns one mistake per line, since later ones on the line are consequences. Shows none of the content except
 * markers: it may be a secret.
 */
export function mistakesIn(
  text: string,
  errors: readonly YAMLError[],
  lineOf: (at: number) => number,
): ReadonlyMap<number, Wording> {
  const sources = text.split('\n');
  const end = text.trimEnd().length;
  const found = new Map<number, Wording>();
  for (const { code, message, pos } of errors) {
    const line = lineOf(pos[0]);
    const source = sources[line - 1] ?? '';
    const space = nonBreakingIn(source);
    const what = space ?? known(code, message, source.trim()) ?? say('common.asItIs', { text: message });
    if (!found.has(line)) found.set(line, space ?? withHint(what, source, pos[0] >= end));
    // This mistake causes many others.
    if (found.size === MAX_MISTAKES || what.key === 'yaml.versions') break;
  }
  return found;
}

/** Returns what is wrong with a line, or the part of one before its value, that has a non-breaking space. */
export function nonBreakingIn(source: string): Wording | undefined {
  const [, indented, separating] = NON_BREAKING.exec(source) ?? [];
  const space = indented ?? separating;
  if (space === undefined) return undefined;
  return say('yaml.nonBreaking', { code: `U+${space.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}` });
}

/** Returns what is wrong with a key, and adds its name to those that its mapping has. */
export function keyMistake({ value, type }: Scalar, seen: Set<string>): Wording | undefined {
  // The name that the data has: 1 and "1" are the same.
  const name = value === null ? '' : String(value);
  const isRepeated = seen.has(name);
  seen.add(name);
  if (isRepeated) return say('config.twice', { key: String(value) });
  if (type !== 'PLAIN') return undefined;
  return name === '<<' ? say('yaml.merge') : (nonBreakingIn(name) ?? nonBreakingIn(name.slice(-1)));
}

function withHint(what: Wording, source: string, isAtEnd: boolean): Wording {
  if (isAtEnd) return say('yaml.halfWritten', { what });
  if (source.includes('${')) return say('yaml.variable', { what, name: `"\${NAME}"`, brackets: '{ }, [ ]' });
  return what;
}

const OTHERS: readonly (readonly [RegExp, Wording])[] = [
  [/^Missing , (?:or : )?between/, say('yaml.comma')],
  [/^Unexpected (?:, in|empty item)/, say('yaml.extraComma')],
  [/^Missing space after :/, say('yaml.space')],
  [/^Comments must be separated/, say('yaml.comment')],
  [/^Invalid escape sequence/, say('yaml.escape')],
  [/^Sequence item without -/, say('yaml.dash')],
];

function known(code: ErrorCode, message: string, source: string): Wording | undefined {
  if (VERSIONS.test(source)) return say('yaml.versions');
  if (/^(?:`{3}|~{3})/.test(source)) return say('yaml.fence');
  if (code === 'TAB_AS_INDENT') return say('yaml.tabs');
  if (code === 'MULTIPLE_DOCS') return say('yaml.parts');
  if (code === 'BAD_ALIAS' || /alias at node end/.test(message)) return say('yaml.reserved', { character: '*' });
  if (code === 'BAD_SCALAR_START') return say('yaml.reserved', { character: message.at(-1) ?? '' });
  if (code === 'BLOCK_AS_IMPLICIT_KEY') return say(/: .*: /.test(source) ? 'yaml.colon' : 'yaml.under');
  if (code === 'MULTILINE_IMPLICIT_KEY' || /^Implicit map keys/.test(message)) return say('yaml.noValue');
  if (/^Missing closing .quote/.test(message)) return say('yaml.openQuote');
  if (/scalar at node end/.test(message) && /["']/.test(source)) return say('yaml.afterQuote');
  if (/must start at the same column/.test(message)) return say('yaml.indent');
  const end = /\bend with a ([}\]])/.exec(message)?.[1];
  if (end !== undefined) return say('yaml.openBracket', { end });
  return OTHERS.find(([pattern]) => pattern.test(message))?.[1];
}
