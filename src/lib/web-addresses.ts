/** Web addresses as the rule about what leaves compares them: as they would be asked for, whoever spelled them and how. Pure. */

/** Longer ones are not fetched. */
export const MAX_ADDRESS = 2_000;
/** Of one message. */
const MAX_FOUND = 50;
const MAX_WORDS = 100_000;

const TOKEN = /[^\s<>"`|\\^]+/g;
const SCHEME = /https?:\/\//i;
/** A host without a scheme, as people write it, with what follows. */
const BARE = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}_-]*[\p{L}\p{N}])?\.)+\p{L}{2,}(?::\d{1,5})?(?:[/?#].*)?$/u;
/** What may follow an address in a sentence without belonging to it. */
const AFTER = /[^\p{L}\p{N}/]$/u;
const MAX_AFTER = 4;
const NOT_ASCII = /[^!-~]/;

/** The address that a fetch of these words asks for; undefined where there is none. Nothing after `#` is sent. */
export function webAddress(text: string, base?: URL): URL | undefined {
  const url = text.length > MAX_ADDRESS ? null : URL.parse(text.trim(), base?.href);
  if (!url) return undefined;
  url.hash = '';
  return url;
}

/** False for what is refused without asking anybody outside: other schemes, and addresses with a name or password in them. */
export const isFetchable = ({ protocol, username, password }: URL): boolean =>
  /^https?:$/.test(protocol) && username === '' && password === '';

/** The host with its port where that is not the usual one; the dot that ends a full name is no part of it. */
export const hostOf = ({ hostname, port }: URL): string =>
  hostname.replace(/\.$/, '') + (port === '' ? '' : `:${port}`);

/** What somebody lets happen who lets a page of an address be read. */
export const pagesOf = (url: URL): string => `pages of ${hostOf(url)}`;

/** Whether one of the patterns (`example.org`, `*.example.org`, `example.org:8443`) means the address's host. */
export function isListed(url: URL, patterns: readonly string[]): boolean {
  const host = hostOf(url);
  return patterns.some((pattern) => (pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern));
}

/** The same host, with or without `www.`. */
export function isSameHost(one: URL, other: URL): boolean {
  const bare = (url: URL) => hostOf(url).replace(/^www\./, '');
  return bare(one) === bare(other);
}

/** Every address that stands in words which somebody typed, in its normal form. A host alone is its first page. */
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

/** What a token may mean: with and without the signs that end a sentence or a bracket, and what follows in another script. */
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

/** Whether people who wrote these addresses have written this one, whole. What was named with http may be fetched by https. */
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
 * Whether an address could hold a key or a piece of a conversation: more than 200 characters in all, a word of more than 24
 * letters and digits, or a part of 20 and more that mixes capitals, small letters and digits. Shorter ones are what people type.
 */
export function couldCarryData(url: string): boolean {
  const text = url.trim().replace(/^https?:\/\//i, '');
  if (text.length > 200) return true;
  const plain = text.replace(/%[0-9a-f]{2}/gi, 'x');
  const isOdd = (part: string) =>
    part.length >= 20 && /[A-Z]/.test(part) && /[a-z]/.test(part) && /\d/.test(part) && !/[^\w.~-]/.test(part);
  return plain.split(/[^\p{L}\p{N}]/u).some((word) => word.length > 24) || plain.split(/[/?&=;,:#]/).some(isOdd);
}
