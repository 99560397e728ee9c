/** Finds the secrets in addresses: logins, queries, and keys in paths. */
import { isRandom } from './secret-forms.ts';
import { isNameOf, isSecretName } from './secret-names.ts';

/** Notes a secret part of a text. */
export type Add = (from: number, length: number, isSure: boolean) => void;

/** Returns a function that notes parts of a text that begins later. */
export const shifted =
  (add: Add, by: number): Add =>
  (from, length, isSure) =>
    add(from + by, length, isSure);

const ADDRESS = /(?<![a-z\d+.-])([a-z][a-z\d+.-]*:\/\/|(?<!\/)\/\/(?=[^\s/"'<>`]*@))([^\s"'<>`]+)/gi;
/** Logins without a scheme: `name:password@tcp(host)/db`, `name:password@host`; images and packages have none. */
const LOGIN =
  /(?<![\w@/:.%+-])(?!(?:npm|jsr|file|git|github|docker|workspace|mailto|xmpp|sips?|acct|pkg):)([\w.%+-]{1,100}:)([^\s:@/"'<>`]{1,200})@(?!sha\d+:)(?:(?:tcp|unix)\(|[a-z\d][\w.-]{0,253}(?![\w@]))/gi;
const ORACLE = /(?<=\boracle:\w{1,20}:[\w$#]{1,100}\/)[^\s/@"']+(?=@)/gi;
/** A query of an address without a scheme. */
const QUERY = /(?<=(?:^|[\s"'=])[\w.:/-]{1,500})\?[\w.[\]-]+=[^\s"'<>`]+/g;

/** Finds secrets in URLs: the login, the query, and path segments that look like a key. */
export function inAddresses(text: string, add: Add): void {
  for (const { 1: name = '', 2: password = '', index } of text.matchAll(LOGIN))
    add(index + name.length, password.length, true);
  for (const { 0: password, index } of text.matchAll(ORACLE)) add(index, password.length, true);
  for (const { 0: query, index } of text.matchAll(QUERY)) inQuery(query, shifted(add, index));
  for (const { 1: scheme = '', 2: rest = '', index } of text.matchAll(ADDRESS))
    inAddress(rest, shifted(add, index + scheme.length));
}

/** @param rest what follows the scheme */
function inAddress(rest: string, add: Add): void {
  const plain = withoutReferences(rest);
  const host = hostWithoutLogin(plain);
  const at = host.lastIndexOf('@');
  if (at >= 0) {
    const colon = host.indexOf(':');
    const hasPassword = colon >= 0 && colon < at;
    add(0, hasPassword ? colon : at, !hasPassword);
    if (hasPassword) add(colon + 1, at - colon - 1, true);
  }
  const after = plain.slice(host.length).search(/[?#]/);
  const ends = after < 0 ? rest.length : host.length + after;
  let before = '';
  for (const { 1: segment = '', index } of rest.slice(host.length, ends).matchAll(/\/([^/]*)/g)) {
    const isKey = isRandom(segment, 12) || TOKEN_IN_PATH.test(segment);
    if (isKey || isNameOf(before, segment)) add(host.length + index + 1, segment.length, isKey);
    before = NAME_IN_PATH.test(segment) ? 'token' : '';
  }
  inQuery(rest.slice(ends), shifted(add, ends));
}

/** A password may contain a slash that its writer forgot to encode; a port isn't a password. */
function hostWithoutLogin(rest: string): string {
  const host = /^[^/?#]*/.exec(rest)?.[0] ?? '';
  if (!/^[^[@:]*:(?!\d{0,5}$)[^@]*$/.test(host)) return host;
  return /^[^@?#]*@[^/?#]*/.exec(rest)?.[0] ?? host;
}

function inQuery(query: string, add: Add): void {
  for (const { 1: name = '', 2: value = '', index } of query.matchAll(/[?#&;]([^?#&;=]*=)?([^&;#]*)/g))
    add(index + 1 + name.length, value.length, isSecretName(name));
}

/** The next segment of the path is a key, unless it says what is done with one. */
const NAME_IN_PATH = /^((api|access)[-_]?(key|token)|key|token|secret|password)$/i;
/** Telegram's token follows three letters. */
const TOKEN_IN_PATH = /^(bot)?\d{6,12}:[\w-]{30,}$/;

const REFERENCE = /\$?\$\{[A-Za-z_]\w*(?::-[^}]*)?\}/g;

/** Keeps the length, and removes everything in references that could end a URL. */
const withoutReferences = (text: string): string => text.replace(REFERENCE, (whole) => '_'.repeat(whole.length));
