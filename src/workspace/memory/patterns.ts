/**
 * Which files of a viber are kept out of search (`memory.exclude_patterns`). Doubt decides for leaving out: letters' case does
 * not count, a pattern holds at any depth, and what it says of a folder it says of everything below.
 */

const MAX_PATTERNS = 200;
const MAX_LENGTH = 200;

/**
 * Gives a test for paths relative to the viber's folder, parted by `/`. Globs: `*` and `?` within a name, `**` across folders,
 * `[abc]`, `{a,b}`. One that begins with `/` holds from the viber's folder on only.
 */
export function createExclusion(patterns: readonly string[]): (relative: string) => boolean {
  const tests = patterns
    .slice(0, MAX_PATTERNS)
    .map((pattern) => fold(pattern.trim().slice(0, MAX_LENGTH)).replaceAll('\\', '/').replace(/^\.\//, ''))
    .filter((pattern) => pattern !== '')
    .map(toTest);
  return (relative) => {
    const path = fold(relative);
    return tests.some((test) => test.test(path));
  };
}

/** Names on some disks are decomposed; a person writes them composed. */
const fold = (text: string): string => text.normalize('NFC').toLowerCase();

function toTest(pattern: string): RegExp {
  const isAnchored = pattern.startsWith('/');
  const bare = pattern.replace(/^\/+|\/+$/g, '');
  const whole = (body: string) => new RegExp(`${isAnchored ? '^' : '(?:^|/)'}${body}(?:/|$)`, 'u');
  // Runs of stars are one: no pattern makes the test slow.
  const tidy = bare.replace(/\*{3,}/g, '**').replace(/(?:\*\*\/)+/g, '**/');
  try {
    return whole(tidy.replace(/\*\*\/|\*\*|\*|\?|\[[^\]/]+\]|\{[^{}/]*\}|[\s\S]/g, toSource));
  } catch (error) {
    // A set of letters that is none, as `[z-a]`, means itself.
    if (error instanceof SyntaxError) return whole(literal(bare));
    throw error;
  }
}

function toSource(part: string): string {
  if (part === '**/') return '(?:[^/]+/)*?';
  if (part === '**') return '.*?';
  if (part === '*') return '[^/]*?';
  if (part === '?') return '[^/]';
  const inner = part.slice(1, -1);
  if (part.length > 2 && part.startsWith('[')) {
    const set = inner.replace(/^[!^]/, '').replace(/[\\[\]^&~|]/g, '\\$&');
    return `[${/^[!^]/.test(inner) ? '^/' : ''}${set}]`;
  }
  if (part.length > 2 && part.startsWith('{')) {
    const words = inner.split(',').map((word) => word.split('*').map(literal).join('[^/]*?'));
    return `(?:${words.join('|')})`;
  }
  return literal(part);
}

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
