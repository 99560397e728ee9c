/** Explains YAML errors to people who edit such files by hand, in our own words where we recognise the error. */
import type { ErrorCode, YAMLError } from 'yaml';
import { say, type Wording } from '../messages/messages.ts';

/** The markers that git and others leave for an unresolved merge conflict. */
const VERSIONS = /^(?:<{7}(?: |$)|={7}$|>{7}(?: |$)|\|{7}(?: |$))/;

const MAX_MISTAKES = 10;

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
    const what = known(code, message, source.trim()) ?? say('common.asItIs', { text: message });
    if (!found.has(line)) found.set(line, withHint(what, source, pos[0] >= end));
    // This mistake causes many others.
    if (found.size === MAX_MISTAKES || what.key === 'yaml.versions') break;
  }
  return found;
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
