/**
 * Excludes files of a viber from search (`memory.excludePatterns`). Excludes too much rather than too little: case is
 * ignored, a pattern matches at any depth, and a match on a folder covers everything below it.
 */

const MAX_PATTERNS = 200;
const MAX_LENGTH = 200;

/**
 * Returns a test for `/`-separated paths relative to the viber's folder. Globs: `*` and `?` within a name, `**` across
 * folders, `[abc]`, `{a,b}`. A pattern that begins with `/` matches only from the viber's folder.
 */
export function createExclusion(patterns: readonly string[]): (relative: string) => boolean {
  const tests = patterns
    .slice(0, MAX_PATTERNS)
    .map((pattern) => foldCase(pattern.trim().slice(0, MAX_LENGTH)).replaceAll('\\', '/').replace(/^\.\//, ''))
    .filter((pattern) => pattern !== '')
    .map(toTest);
  return (relative) => {
    const path = foldCase(relative);
    return tests.some((test) => test.test(path));
  };
}

/** Some file systems decompose accented characters; people type them composed. */
const foldCase = (text: string): string => text.normalize('NFC').toLowerCase();

function toTest(pattern: string): RegExp {
  const isAnchored = pattern.startsWith('/');
  const bare = pattern.replace(/^\/+|\/+$/g, '');
  const whole = (body: string) => new RegExp(`${isAnchored ? '^' : '(?:^|/)'}${body}(?:/|$)`, 'u');
  // Repeated stars are merged, so that no pattern makes the test slow.
  const tidy = bare.replace(/\*{3,}/g, '**').replace(/(?:\*\*\/)+/g, '**/');
  try {
    return whole(tidy.replace(/\*\*\/|\*\*|\*|\?|\[[^\]/]+\]|\{[^{}/]*\}|[\s\S]/g, toSource));
  } catch (error) {
    // An invalid character class, such as `[z-a]`, is literal.
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
