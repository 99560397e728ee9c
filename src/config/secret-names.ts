/**
 * Which names say that something is secret: of settings, variables, headers, options and keys of JSON. Invariant: below `env` and
 * `headers` every value is secret; elsewhere the name of a setting decides.
 */

const KEY_WORDS = new Set(
  (
    'token key keys apikey secret secrets password passwd passphrase passcode pass pwd pw auth authorization credential credentials ' +
    'pat bearer cookie jwt signature sig apitoken accesskey secretkey privatekey authtoken accesstoken'
  ).split(' '),
);
/** What says that the name is of something about the secret. */
const ABOUT = new Set('file path dir folder type name url uri length size ttl timeout method mode'.split(' '));
/** Headers that say nothing of whoever sends them. */
export const PLAIN_HEADERS = /^(accept(-\w+)?|content-(type|length|encoding|language)|user-agent|cache-control)$/i;

/** Whether a name, as `--api-key`, `GITHUB_TOKEN` or `clientSecret`, announces a secret. */
export function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');
  return words.some((word) => KEY_WORDS.has(word)) && !ABOUT.has(words.at(-1) ?? '');
}

/** Sections whose keys are names that people choose: one named `env` or `headers` is not what these words mean elsewhere. */
const isNamed = ([first]: readonly PropertyKey[]): boolean => first === 'mcp' || first === 'providers';

/** Whether it is the value of a variable that a skill or a server of tools is given. */
export function isVariable(path: readonly PropertyKey[]): boolean {
  if (path[0] === 'skills') return path[1] === 'env' && path.length > 3;
  return isNamed(path) ? path[2] === 'env' && path.length > 3 : path.slice(0, -1).includes('env');
}

/** Whether the whole value at a dotted path must never be shown. */
export function isSecretPath(path: readonly PropertyKey[]): boolean {
  const last = path.at(-1);
  // The address of a server carries its password.
  if (path.join('.') === 'engine.url' || isVariable(path)) return true;
  if (path.at(-2) === 'headers' && (path.length > 3 || !isNamed(path))) return !PLAIN_HEADERS.test(String(last));
  const isName = isNamed(path) && path.length === 2;
  return typeof last === 'string' && !isName && isSecretName(last);
}

/** Whether an empty value at a path stands for none; a variable may be empty on purpose. */
export const isAbsentWhenEmpty = (path: readonly PropertyKey[]): boolean =>
  isSecretPath(path) && (!isVariable(path) || isSecretName(String(path.at(-1))));

/** As options and as keys of JSON they say so too; elsewhere a session or a pin is many things. */
const OPTION_WORDS =
  /(^|[-_.]|(?<=[a-z])(?=[A-Z]))(pin|pincode|otp|totp|mfa|session|sid|cvv|seed|mnemonic|(pin|otp|totp|mfa|2fa|verification|session)[-_.]?(code|id))$/i;

export const isSecretOption = (name: string): boolean => isSecretName(name) || OPTION_WORDS.test(name);

/** Words without a sign that name what follows them in a list; what is done with a token, a key or a password is none. */
const BARE_NAME =
  /^([a-z\d]+[-_.])+[a-z\d]+$|^[a-z]+([A-Z][a-z]+)+$|^[A-Z\d]+(_[A-Z\d]+)+$|^(api_?key|token|password|passwd|passphrase|secret|pin|otp)$/i;
const DONE_WITH_IT =
  /^(add|check|create|delete|disable|enable|export|generate|get|help|import|info|init|inspect|issue|list|login|logout|ls|new|print|prune|read|refresh|remove|renew|reset|revoke|rm|rotate|set|show|status|update|validate|verify)$/i;

/** Whether what stands before a value announces it. */
export const isNameOf = (before: string, value: string): boolean =>
  /^--?[A-Za-z][\w.-]*$/.test(before)
    ? isSecretOption(before)
    : BARE_NAME.test(before) && isSecretOption(before) && !DONE_WITH_IT.test(value);
