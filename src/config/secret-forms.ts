/** Tells keys from words, names, versions and paths by their form alone. */

/** Keys of services that are known by how they begin. */
export const KNOWN_KEY =
  /(?<![\w-])(sk-[\w-]{16,}|sk_(live|test)_\w{10,}|rk_live_\w{10,}|gh[opsur]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[a-z]-[\w-]{10,}|xapp-[\w-]{10,}|AKIA[A-Z\d]{16}|AIza[\w-]{30,}|ya29\.[\w-]{20,}|gsk_\w{20,}|hf_\w{20,}|npm_\w{20,}|tvly-[\w-]{10,}|ntn_\w{20,}|lin_api_\w{20,}|figd_[\w-]{20,}|r8_\w{20,}|pplx-\w{20,}|xai-[\w-]{20,}|SG\.[\w.-]{20,}|eyJ[\w-]{8,}\.[\w-]+(\.[\w-]*)?|\d{6,12}:[\w-]{30,})(?![\w-])/g;

/**
 * Returns whether the text has a part of at least `least` characters that mixes letters and digits as no person would.
 */
export function isRandom(text: string, least: number): boolean {
  if (text.length < least) return false;
  if (/^[\w+=/-]{32,}$/.test(text) && isBase64(text)) return true;
  if (!/^[\w+=~.-]+$/.test(text)) return false;
  if (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)) return true;
  return text.split(/[-_.=~+]/).some((part) => {
    if (part.length < Math.min(least, 16)) return false;
    const isMixed = /\d/.test(part) && /[a-z]/i.test(part) && (part.match(/\d/g)?.length ?? 0) >= 2;
    return isMixed || turnsIn(part) / part.length > 0.3;
  });
}

const turnsIn = (text: string): number => text.match(/[a-z](?=[A-Z])|[A-Z](?=[a-z])/g)?.length ?? 0;

/** Returns whether a text with slashes is base64 and no path: the words of a path have more small letters in a row. */
function isBase64(text: string): boolean {
  const small = text.match(/[a-z]+/g) ?? [];
  const isMixed = /\d/.test(text) && (text.match(/[A-Z]/g)?.length ?? 0) > 4 && small.length > 4;
  return isMixed && !text.startsWith('/') && text.includes('/') && small.join('').length / small.length < 2.3;
}

/**
 * Returns whether the value of an option looks like a key, whatever the option is called: at least eight letters and
 * digits that alternate, or change their case, as in no name, version or date.
 */
export function isKeyLike(text: string): boolean {
  if (isRandom(text, 20)) return true;
  if (!/^[\w+=~.-]+$/.test(text)) return false;
  return text
    .split(/[-_.=~+]/)
    .some((part) => part.length >= 8 && (/\d+[a-z]+\d/i.test(part) || (/\d/.test(part) && turnsIn(part) > 3)));
}
