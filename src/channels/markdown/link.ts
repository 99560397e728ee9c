/** Decides which links may be followed, and what is shown beside a label that hides a link's target. */

// Matches dotted names whose ending isn't a top-level domain: files and libraries.
const FILE_NAME = /\.(?:jsx?|tsx?|mjs|cjs|json|ya?ml|toml|html?|css|txt|csv|tsv|pdf|xml|png|jpe?g|gif|svg|ipynb)$/;
const DOTTED = /[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)+/gu;
const HOST = /\.(?:\p{L}{2,}|xn--[\w-]+)$|^\d{1,3}(?:\.\d{1,3}){3}$/u;
// Matches zero-width, direction and soft hyphen characters, which could split a host name for the rule but not for the
// eye.
const INVISIBLE = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

export interface SafeLink {
  /** An absolute URL; `http`, `https` or `mailto`. */
  url: string;
  /** The part to show to readers: the host, or the address of a `mailto` link. */
  target: string;
}

/** Returns undefined for every other scheme, for relative references and for anything that isn't a URL. */
export function safeLink(raw: string): SafeLink | undefined {
  const parsed = URL.parse(raw.trim());
  if (parsed === null) return undefined;
  if (parsed.protocol === 'mailto:') {
    const address = decodePercent(parsed.pathname);
    return address.includes('@') ? { url: parsed.href, target: address } : undefined;
  }
  if ((parsed.protocol !== 'http:' && parsed.protocol !== 'https:') || parsed.hostname === '') return undefined;
  // An unusual URL is sent in its normal form, so that every client reads the same host from it.
  const usual = /^https?:\/\/[!-[\]-~]+$/i.test(raw);
  return { url: usual ? raw : parsed.href, target: parsed.hostname };
}

/**
 * Returns what to show in brackets after a label, or undefined if the label doesn't mislead: the host when the label
 * names another host (`[https://bank.example](https://evil.example)`), the address of a mail link that doesn't show it.
 */
export function hiddenTarget(label: string, link: SafeLink): string | undefined {
  const shown = label.normalize('NFKC').replace(INVISIBLE, '').toLowerCase();
  if (link.url.startsWith('mailto:')) return shown.includes(link.target.toLowerCase()) ? undefined : link.target;
  if (startsItsUrl(shown, link)) return undefined;
  const real = bare(link.target);
  return namedHosts(shown).some((host) => host !== real) ? link.target : undefined;
}

/** Returns whether a label is the URL itself or the beginning of it, host included. */
function startsItsUrl(shown: string, link: SafeLink): boolean {
  const url = link.url.toLowerCase().replace(/^https?:\/\/(?:www\.)?/, '');
  const label = shown.replace(/^https?:\/\//, '').replace(/^www\./, '');
  // The part before an @ is shown but isn't the host: https://bank.example@evil.example
  if (label === '' || !url.startsWith(label) || /^[^/?#]*@/.test(url)) return false;
  return label.includes('/') || url.length === label.length || '/?#:'.includes(url.charAt(label.length));
}

/** Returns every host that a reader could see in the text, in the form used in URLs (punycode, no `www.`). */
function namedHosts(text: string): string[] {
  const names = text.replaceAll('\u3002', '.').match(DOTTED) ?? [];
  return names
    .filter((name) => HOST.test(name) && !FILE_NAME.test(name))
    .map((name) => bare(URL.parse(`https://${name}`)?.hostname ?? name));
}

function bare(host: string): string {
  return host
    .toLowerCase()
    .replace(/^www\./, '')
    .replace(/\.$/, '');
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}
