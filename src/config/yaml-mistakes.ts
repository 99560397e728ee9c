/** What a mistake in a YAML file means, for people who write such files by hand: in words of ours, as far as we know it. */
import type { ErrorCode } from 'yaml';
import { type Said, say } from '../messages/messages.ts';

/** The marks that git and others leave where two versions of a file could not be joined. */
const VERSIONS = /^(?:<{7}(?: |$)|={7}$|>{7}(?: |$)|\|{7}(?: |$))/;

interface Mistake {
  code: ErrorCode;
  /** Of the library. */
  message: string;
  /** The line that it was found in. */
  source: string;
  isAtEnd: boolean;
}

/** Nothing of what stands in the line is told but a mark: it may be a secret. */
export function mistakeIn({ code, message, source, isAtEnd }: Mistake): Said {
  const what = known(code, message, source.trim()) ?? say('common.asItIs', { text: message });
  if (isAtEnd) return say('yaml.halfWritten', { what });
  if (source.includes('${')) return say('yaml.variable', { what, name: `"\${NAME}"`, brackets: '{ }, [ ]' });
  return what;
}

function known(code: ErrorCode, message: string, source: string): Said | undefined {
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
  return undefined;
}
