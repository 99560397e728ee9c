/** Explains why an MCP server at an address is unreachable, in words for the person who can fix it. Pure. */
import { errorCode, errorMessage } from '../../errors.ts';

const REFUSED = 'nobody listens there, so start it or look at its url';
const HUNG_UP = 'it hung up';
const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: REFUSED,
  ENOTFOUND: 'nobody knows its host, so look at its url',
  EAI_AGAIN: 'its host could not be asked for: the network is away',
  ETIMEDOUT: 'it does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer',
  ECONNRESET: HUNG_UP,
  UND_ERR_SOCKET: HUNG_UP,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
};
const MARKUP = /<(?:!doctype|html|head|body)\b[\s\S]*$/i;

/** Returns an explanation of a connection failure; the error itself if it says enough. */
export function explained(error: unknown): unknown {
  const words = networkReason(error);
  return words === undefined ? error : new Error(words, { cause: error });
}

/** Returns whether the server was there but closed the connection without an answer. */
export const hasHungUp = (error: unknown): boolean => NETWORK[codeIn(error) ?? ''] === HUNG_UP;

function networkReason(error: unknown): string | undefined {
  const code = codeIn(error);
  const known = code === undefined ? undefined : NETWORK[code];
  if (known !== undefined) return `${known} (${code})`;
  const text = errorMessage(error);
  const status = Number(/\(HTTP (\d{3})\)/.exec(text)?.[1] ?? 0);
  if (status === 401 || status === 403)
    return `it does not let us in (HTTP ${status}): look at its headers${serverWords(text)}`;
  if (status === 404 || status === 405)
    return `it takes no calls at this address (HTTP ${status}): look at its url, which often ends in /mcp`;
  if (status >= 500) return `it is in trouble (HTTP ${status})`;
  const type = /Unexpected content type: (\S+)/.exec(text)?.[1];
  if (type !== undefined) return `no server of tools answers there, but a page (${type}): look at its url`;
  if (code !== undefined && text === 'fetch failed') return `it cannot be reached (${code})`;
  return MARKUP.test(text) ? text.replace(MARKUP, '').trimEnd() : undefined;
}

/** Returns the first code of an error and its causes. */
function codeIn(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    const code = errorCode(at);
    if (typeof code === 'string' && /^[A-Z_]+$/.test(code)) return code;
  }
  return undefined;
}

/** Returns what the server says about the failure, unless it sent a page. */
function serverWords(text: string): string {
  const said = text
    .replace(/^[\s\S]*?\(HTTP \d{3}\):\s*/, '')
    .replace(MARKUP, '')
    .trim();
  return said === '' || said === text ? '' : `; it says: ${said.slice(0, 150)}`;
}
