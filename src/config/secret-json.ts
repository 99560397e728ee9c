/** Finds the strings and numbers of a JSON value inside an argument, with their positions. */

export interface JsonLeaf {
  value: string;
  path: readonly PropertyKey[];
  /** The items before it in the same list, and itself at the end. */
  items: readonly string[];
  /** The start of its content between the quotes, in the whole text. */
  from: number;
  to: number;
  isNumber: boolean;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** How many items of a list are examined to tell what one of them means. */
export const LOOKED_AT = 100;

interface Level {
  key: string | undefined;
  /** The index of the next item; lists only. */
  at: number | undefined;
  items: string[];
}

/** Returns [] for a text that is not a JSON object or list. */
export function leavesOfJson(text: string): JsonLeaf[] {
  if (!/^\s*[{[]/.test(text) || !isJson(text)) return [];
  const found: JsonLeaf[] = [];
  const levels: Level[] = [];
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const level = levels.at(-1);
    if (token === '{' || token === '[') levels.push({ key: undefined, at: token === '[' ? 0 : undefined, items: [] });
    else if (token === '}' || token === ']') levels.pop();
    else if (token === ':' || !level) continue;
    else if (token === ',') {
      level.key = undefined;
      if (level.at !== undefined) level.at++;
    } else if (level.at === undefined && level.key === undefined) level.key = String(JSON.parse(token));
    else {
      const isText = token.startsWith('"');
      const value = isText ? String(JSON.parse(token)) : token;
      const [from, to] = isText ? [index + 1, index + token.length - 1] : [index, index + token.length];
      const path = levels.map(({ key, at }) => at ?? key ?? '');
      level.items.push(value);
      const items = level.items.slice(-LOOKED_AT);
      if (isText || /^-?\d/.test(token)) found.push({ value, path, items, from, to, isNumber: !isText });
    }
  }
  return found;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return false;
  }
}
