/** Matches a path to a route. Compares raw paths; only parameters are decoded, once. */

export interface RouteMatch<T> {
  route: T;
  params: Readonly<Record<string, string>>;
}

/** `methods`: the path exists, but not for this method. */
export type Match<T> = RouteMatch<T> | { methods: string[] } | undefined;

interface Entry<T> {
  route: T;
  parts: readonly string[];
}

export function createRouter<T extends { method: string; path: string }>(routes: readonly T[]) {
  // Literals rank before parameters, so that `/api/jobs/check` does not match a job named `check`.
  const rank = ({ path }: T) => path.replaceAll(/:\w+/g, '\u{fffe}').replaceAll(/\*\w*/g, '\u{ffff}');
  const entries = routes
    .toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))
    .map((route): Entry<T> => ({ route, parts: route.path.split('/') }));

  return (method: string, path: string): Match<T> => {
    const parts = path.split('/');
    const found = entries.flatMap((entry) => {
      const params = paramsOf(entry.parts, parts);
      return params ? [{ route: entry.route, params }] : [];
    });
    // An impossible ID matches no other route either.
    if (found[0] && !Object.entries(found[0].params).every(([name, value]) => isOfForm(name, value))) return undefined;
    // A path that matches a literal must not also match a parameter.
    const best = found.filter(({ route }) => route.path === found[0]?.route.path);
    const match = best.find(({ route }) => route.method === method);
    if (match || found.length === 0) return match;
    return { methods: [...new Set(best.map(({ route }) => route.method))].sort() };
  };
}

function paramsOf(pattern: readonly string[], parts: readonly string[]): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (const [index, want] of pattern.entries()) {
    if (want.startsWith('*')) {
      const name = want.slice(1);
      const given = parts.slice(index);
      // In the name of a model, an encoded slash separates too; each part is checked by itself.
      const rest = (name === MODEL ? given.flatMap((part) => part.split(/%2f/i)) : given).map(decodeSegment);
      if (rest.length === 0 || rest.includes(undefined)) return undefined;
      params[name] = rest.join('/');
      return params;
    }
    const part = parts[index];
    if (part === undefined) return undefined;
    if (!want.startsWith(':')) {
      if (part !== want) return undefined;
      continue;
    }
    const [name, value] = [want.slice(1), decodeSegment(part)];
    if (value === undefined) return undefined;
    params[name] = value;
  }
  return pattern.length === parts.length ? params : undefined;
}

/**
 * Parameters named by others: clients name chats and models, people name files and skills. All other parameters are our
 * own IDs.
 */
const MODEL = 'model';
const NAMED_BY_OTHERS = new Set(['chat', 'file', 'name', MODEL]);
const MAX_NAME = 255;
const ID = /^[\w-][\w.:@+~=-]{0,199}$/;

/** Rejects a value that can't be one of our IDs, whatever else the request says. */
const isOfForm = (name: string, value: string): boolean =>
  NAMED_BY_OTHERS.has(name) ? value.length <= MAX_NAME : ID.test(value);

/** Returns undefined for a value that could lead elsewhere. */
function decodeSegment(part: string): string | undefined {
  try {
    const text = decodeURIComponent(part);
    const leads = text === '' || text === '.' || text === '..' || /[/\\\p{Cc}]/u.test(text);
    return leads ? undefined : text;
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
