/** Normalises web addresses for the rules about outgoing data, so that spelling doesn't matter. Pure. */

// Longer addresses aren't fetched.
export const MAX_ADDRESS = 2_000;
/** The limit per message. */
const MAX_FOUND = 50;
const MAX_WORDS = 100_000;

const TOKEN = /[^\s<>"`|\\^]+/g;
const SCHEME = /https?:\/\//i;
/** A host without a scheme, as people write it, with anything that follows. */
const BARE = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}_-]*[\p{L}\p{N}])?\.)+\p{L}{2,}(?::\d{1,5})?(?:[/?#].*)?$/u;
/** A character that may follow an address in a sentence without belonging to it. */
const AFTER = /[^\p{L}\p{N}/]$/u;
const MAX_AFTER = 4;
const NOT_ASCII = /[^!-~]/;

/** Returns the address that a fetch of this text requests; undefined if it isn't one. The part after `#` isn't sent. */
export function webAddress(text: string, base?: URL): URL | undefined {
  const url = text.length > MAX_ADDRESS ? null : URL.parse(text.trim(), base?.href);
  if (!url) return undefined;
  url.hash = '';
  return url;
}

/**
 * Returns false for an address that is refused without a request: another scheme, or one with a user name or password.
 */
export const isFetchable = ({ protocol, username, password }: URL): boolean =>
  /^https?:$/.test(protocol) && username === '' && password === '';

/** Returns the host, with its port if it isn't the default, without the dot that ends a full name. */
export const hostOf = ({ hostname, port }: URL): string =>
  hostname.replace(/\.$/, '') + (port === '' ? '' : `:${port}`);

/** Returns what a person permits by letting a page of an address be read. */
export const pagesOf = (url: URL): string => `pages of ${hostOf(url)}`;

/**
 * Returns whether one of the patterns (`example.org`, `*.example.org`, `example.org:8443`) matches the address's host.
 */
export function isListed(url: URL, patterns: readonly string[]): boolean {
  const host = hostOf(url);
  return patterns.some((pattern) => (pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern));
}

/** Returns whether they have the same host, ignoring `www.`. */
export function isSameHost(one: URL, other: URL): boolean {
  const bare = (url: URL) => hostOf(url).replace(/^www\./, '');
  return bare(one) === bare(other);
}

/** Returns every address in a text that somebody typed, normalised. A host alone stands for its first page. */
export function addressesIn(words: string): string[] {
  const found = new Set<string>();
  for (const [token] of words.slice(0, MAX_WORDS).matchAll(TOKEN)) {
    for (const text of readings(token)) {
      const url = webAddress(text);
      if (url && isFetchable(url)) found.add(url.href);
    }
    if (found.size >= MAX_FOUND) break;
  }
  return [...found].slice(0, MAX_FOUND);
}

/**
 * Returns the possible meanings of a token: with and without trailing punctuation and brackets, and without trailing
 * text in another script.
 */
function readings(token: string): string[] {
  const start = token.search(SCHEME);
  if (start === -1) {
    const bare = shortened(token.replace(/^[^\p{L}\p{N}]+/u, '')).filter((text) => BARE.test(text));
    return bare.map((text) => `https://${text}`);
  }
  const whole = token.slice(start);
  const ascii = whole.slice(0, Math.max(0, whole.search(NOT_ASCII)));
  return [whole, ...(ascii.length > 8 ? [ascii] : [])].flatMap(shortened);
}

function shortened(text: string): string[] {
  const texts = [text];
  for (let rest = text; texts.length <= MAX_AFTER && AFTER.test(rest); texts.push(rest)) rest = rest.slice(0, -1);
  return texts;
}

/** Returns whether these written addresses include this one exactly. One written with http may be fetched by https. */
export function isWritten(url: URL, written: ReadonlySet<string>): boolean {
  const plain = url.protocol === 'https:' ? url.href.replace('https:', 'http:') : url.href;
  return written.has(url.href) || written.has(plain);
}

export function isNamed(url: URL, written: ReadonlySet<string>): boolean {
  const host = hostOf(url);
  return [...written].some((each) => {
    const other = URL.parse(each);
    return other !== null && hostOf(other) === host;
  });
}

/**
 * Returns whether an address could contain a key or part of a conversation: more than 200 characters in all, a word of
 * more than 24 letters and digits, or a part of at least 20 that mixes capitals, small letters and digits. People type
 * shorter ones.
 */
export function couldCarryData(url: string): boolean {
  const text = url.trim().replace(/^https?:\/\//i, '');
  if (text.length > 200) return true;
  const plain = text.replace(/%[0-9a-f]{2}/gi, 'x');
  const isOdd = (part: string) =>
    part.length >= 20 && /[A-Z]/.test(part) && /[a-z]/.test(part) && /\d/.test(part) && !/[^\w.~-]/.test(part);
  return plain.split(/[^\p{L}\p{N}]/u).some((word) => word.length > 24) || plain.split(/[/?&=;,:#]/).some(isOdd);
}
