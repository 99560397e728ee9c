/**
 * Parses the address that a login redirected the browser to, as the gateway receives it or as a person pastes it.
 * Pure.
 */

/** Marks our own states, so that a pasted address is recognised within any text. */
const MARK = 'viber-';
const STATE = `${MARK}[A-Za-z0-9_-]{43}`;
/** Matches a text that contains the result of one of our logins. */
export const RETURNED = new RegExp(`[?&#]?\\bstate=${STATE}(?![\\w-])`);
const MAX_TEXT = 8_000;
const MAX_VALUE = 4_000;

export const newState = (random: Buffer): string => MARK + random.toString('base64url');

export interface BrowserReturn {
  state: string;
  code?: string;
  issuer?: string;
  /** The server's error code, if there is no authorization code. */
  error?: string;
}

/** Returns undefined for a text without one of our states. A chat may have wrapped, quoted or escaped the address. */
export function readReturned(text: string): BrowserReturn | undefined {
  if (text.length > MAX_TEXT || !RETURNED.test(text)) return undefined;
  const words = text.replaceAll('&amp;', '&').split(/[\s<>|"'`]+/);
  const word = words.find((each) => RETURNED.test(each));
  const query = word?.replace(/^[^?#]*[?#]/, '').replace(/#.*$/, '');
  const given = new URLSearchParams(query);
  const value = (name: string) => given.get(name)?.slice(0, MAX_VALUE) || undefined;
  const [state, code, issuer, error] = [value('state'), value('code'), value('iss'), value('error')];
  if (state === undefined || !new RegExp(`^${STATE}$`).test(state)) return undefined;
  return { state, ...(code && { code }), ...(issuer && { issuer }), ...(error && { error }) };
}
