/**
 * Recognises names of secrets: of settings, variables, headers, options and JSON keys. Invariant: below `env` and
 * `headers` every value is secret; elsewhere the setting's name decides.
 */

const KEY_WORDS = new Set(
  (
    'token key keys apikey secret secrets password passwd passphrase passcode pass pwd pw auth authorization credential credentials ' +
    'pat bearer cookie jwt signature sig psk cred creds salt hmac pword'
  ).split(' '),
);
/** Ends of words that are written as one, such as `githubtoken` or `Kennwort`. */
const KEY_ENDS =
  /^(?!(don|hoc|hot|joc|mon|pub|public|tur|whis)key$).+key$|(token|secret|password|passwd|passphrase|passwort|kennwort|schl(ü|ue)ssel|geheimnis)$/;
/** Final words of names that describe a secret instead of containing it. */
const ABOUT = new Set('file path dir folder type name url uri length size ttl timeout method mode'.split(' '));
/** Headers that don't identify the sender. */
export const PLAIN_HEADERS = /^(accept(-\w+)?|content-(type|length|encoding|language)|user-agent|cache-control)$/i;

/** Returns whether a name such as `--api-key`, `GITHUB_TOKEN` or `clientSecret` denotes a secret. */
export function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== '');
  return words.some((word) => KEY_WORDS.has(word) || KEY_ENDS.test(word)) && !ABOUT.has(words.at(-1) ?? '');
}

/** Sections whose keys are chosen by people: an entry named `env` or `headers` has no special meaning there. */
const isNamed = ([first]: readonly PropertyKey[]): boolean => first === 'mcp' || first === 'providers';

/** Returns whether the path is a variable passed to a skill or an MCP server. */
export function isVariable(path: readonly PropertyKey[]): boolean {
  if (path[0] === 'skills') return path[1] === 'env' && path.length > 3;
  return isNamed(path) ? path[2] === 'env' && path.length > 3 : path.slice(0, -1).includes('env');
}

/** Returns whether the whole value at a path must never be shown. */
export function isSecretPath(path: readonly PropertyKey[]): boolean {
  const last = path.at(-1);
  // A server's URL may contain its password.
  if (path.join('.') === 'engine.url' || isVariable(path)) return true;
  if (path.at(-2) === 'headers' && (path.length > 3 || !isNamed(path))) return !PLAIN_HEADERS.test(String(last));
  const isName = isNamed(path) && path.length === 2;
  return typeof last === 'string' && !isName && isSecretName(last);
}

/** Returns whether an empty value at a path means that there is none; a variable may be empty on purpose. */
export const isAbsentWhenEmpty = (path: readonly PropertyKey[]): boolean =>
  isSecretPath(path) && (!isVariable(path) || isSecretName(String(path.at(-1))));

/** Words that denote a secret only in options and JSON keys; elsewhere "session" or "pin" mean many things. */
const OPTION_WORDS =
  /(^|[-_.]|(?<=[a-z])(?=[A-Z]))(pin|pincode|otp|totp|mfa|session|sid|cvv|seed|mnemonic|sas|dsn|licen[cs]e|serial|activation|passwords|(seed|recovery)[-_.]?phrase|(pin|otp|totp|mfa|2fa|verification|session|access|activation|backup|invite|licen[cs]e|login|recovery|registration|security|serial|unlock)[-_.]?(code|id|no|number|key))$/i;
/** Several tokens are secret, unless the name says that they are counted. */
const TOKENS =
  /^(?!.*(max|min|num|limit|count|total|budget|input|output|context|completion|prompt|stop|special)).*tokens$/i;

export const isSecretOption = (name: string): boolean =>
  isSecretName(name) || OPTION_WORDS.test(name) || TOKENS.test(name);

/** Bare words that name the value after them in a list; words for actions on a secret don't. */
const BARE_NAME =
  /^([a-z\d]+[-_.])+[a-z\d]+$|^[a-z]+([A-Z][a-z]+)+$|^[A-Z\d]+(_[A-Z\d]+)+$|^(api_?key|token|password|passwd|passphrase|secret|pin|otp)$/i;
const DONE_WITH_IT =
  /^(add|check|create|delete|disable|enable|export|generate|get|help|import|info|init|inspect|issue|list|login|logout|ls|new|print|prune|read|refresh|remove|renew|reset|revoke|rm|rotate|set|show|status|update|validate|verify)$/i;

/** Returns whether the item before a value denotes it as a secret. */
export const isNameOf = (before: string, value: string): boolean =>
  /^--?\p{L}[\p{L}\d_.-]*$/u.test(before)
    ? isSecretOption(before)
    : BARE_NAME.test(before) && isSecretOption(before) && !DONE_WITH_IT.test(value);
