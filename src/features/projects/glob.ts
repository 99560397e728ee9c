/** Translates globs from the model: as in .gitignore, plus `{a,b}`, which ripgrep and shells support. */
import { UserError } from '../../errors.ts';
import { ignores, parseRules } from './ignore-rules.ts';
import { newSteps } from './patterns.ts';

const MAX_GLOB = 1_000;
/** The most patterns that one glob may expand to. */
const MAX_PATTERNS = 100;

/** Returns a function that checks whether a file, by its relative path, matches or lies in a folder that does. */
export function globMatcher(glob: string): (path: string) => boolean {
  const { patterns, isNot } = patternsOf(glob);
  const rules = parseRules(patterns.join('\n'));
  return (path) => {
    const names = path.split('/');
    const steps = newSteps();
    const matches = names.some((_name, at) => ignores(rules, names.slice(0, at + 1), at < names.length - 1, steps));
    return matches !== isNot;
  };
}

/**
 * Translates a glob to .gitignore lines that ignore everything that doesn't match.
 * @throws UserError if it is too long
 */
export function globRules(glob: string): string[] {
  const { patterns, isNot } = patternsOf(glob);
  if (isNot) return patterns;
  return ['*', '!*/', ...patterns.flatMap((one) => [`!${one}`, `!${one.replace(/\/?$/, '/**')}`])];
}

/**
 * Returns options that make ripgrep search only matching files. They override .gitignore, so ripgrep needn't read it
 * for other files.
 * @throws UserError if it is too long
 */
export function globOptions(glob: string): string[] {
  const { patterns, isNot } = patternsOf(glob);
  if (isNot) return patterns.map((one) => `--glob=!${one}`);
  return patterns.flatMap((one) => [`--glob=${one}`, `--glob=${one.replace(/\/?$/, '/**')}`]);
}

function patternsOf(glob: string): { patterns: string[]; isNot: boolean } {
  const given = glob.trim();
  if (given.length > MAX_GLOB || /[\r\n\0]/.test(given))
    throw new UserError('This glob is too long or has line breaks.');
  const isNot = given.startsWith('!');
  return { patterns: withoutBraces(isNot ? given.slice(1) : given).map(asRule), isNot };
}

/** Escapes `!` and `#`, which are special at the start of a rule. */
const asRule = (pattern: string): string => pattern.replace(/^\.\//, '').replace(/^[!#]/, '\\$&');

/** Expands `{a,b}`. */
function withoutBraces(glob: string): string[] {
  let patterns = [glob];
  for (;;) {
    const next = patterns.flatMap((one) => {
      // Finds an innermost pair of braces.
      const [whole, before = '', choices = '', after = ''] = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(one) ?? [];
      return whole === undefined ? one : choices.split(',').map((choice) => before + choice + after);
    });
    if (next.length === patterns.length && next.every((one, at) => one === patterns[at])) return patterns;
    if (next.length > MAX_PATTERNS) return patterns;
    patterns = next;
  }
}
