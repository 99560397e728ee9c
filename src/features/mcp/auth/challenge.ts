/** Reads the `WWW-Authenticate` header of a refused request. Pure. https://www.rfc-editor.org/rfc/rfc9110#name-www-authenticate */

export interface Challenge {
  error?: string;
  /** Scopes, separated by spaces. */
  scope?: string;
  /** Where the metadata of the protected resource is (RFC 9728). */
  metadata?: URL;
}

const MAX_HEADER = 8_000;
/** `name="quoted"` or `name=token`. */
const PARAMETER = /([A-Za-z_][\w-]{0,63})\s{0,9}=\s{0,9}(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/g;

/** Returns an empty challenge for a header that asks for something other than a bearer token. */
export function readChallenge(header: string | null): Challenge {
  const text = header?.slice(0, MAX_HEADER) ?? '';
  const from = text.search(/(^|[\s,])bearer(\s|$)/i);
  if (from < 0) return {};
  const found = new Map<string, string>();
  for (const [, name = '', quoted, token = ''] of text.slice(from).matchAll(PARAMETER))
    if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? token);
  const metadata = URL.parse(found.get('resource_metadata') ?? '');
  const [error, scope] = [found.get('error'), found.get('scope')?.trim()];
  return { ...(error && { error }), ...(scope && { scope }), ...(metadata && { metadata }) };
}

/** Joins lists of scopes; each is kept once, in order. */
export const joinScopes = (...lists: readonly (string | undefined)[]): string | undefined => {
  const all = new Set(lists.flatMap((list) => list?.split(/\s+/).filter(Boolean) ?? []));
  return all.size > 0 ? [...all].join(' ') : undefined;
};
