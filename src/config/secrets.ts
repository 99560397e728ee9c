/**
 * Finds secrets in the texts of a configuration, for the settings page, the log, chats and backups alike. A secret is
 * recognised by its setting's name, its place in a URL, the option before it, or its form.
 */
import { scrub } from '../log.ts';
import { leavesOfJson } from './secret-json.ts';
import { isNameOf, isSecretName, isSecretOption, isSecretPath, isVariable, PLAIN_HEADERS } from './secret-names.ts';

/**
 * A part of a text. `isSure`: its name or place marks it as secret; otherwise it is secret unless it is a common word.
 */
export interface Span {
  from: number;
  to: number;
  isSure: boolean;
}

/**
 * Returns the secret parts of a text in order, without overlaps.
 * @param before the previous item in a list
 */
export function secretSpans(text: string, path: readonly PropertyKey[], before?: string): Span[] {
  const found: Span[] = [];
  const add = (from: number, length: number, isSure: boolean) => {
    if (length > 0) found.push({ from, to: from + length, isSure });
  };
  if (isSecretPath(path)) {
    const scheme = schemeOf(text);
    add(scheme, text.length - scheme, !isVariable(path) || isSecretName(String(path.at(-1))));
  } else {
    const isItem = typeof path.at(-1) === 'number' || /^\d+$/.test(String(path.at(-1)));
    if (isItem) inItem(text, before, add);
    inAddresses(text, add);
    inWords(text, add);
  }
  return merged(found);
}

type Add = (from: number, length: number, isSure: boolean) => void;

/** Returns the length of an authentication scheme such as `Bearer `. */
export const schemeOf = (text: string): number =>
  /^(bearer|basic|token|bot|apikey|digest)\s+/i.exec(text)?.[0].length ?? 0;

const VALUE_OPTIONS = /^(-e|--env|--build-arg|--set|--set-string|--from-literal|--define|-D)$/;
const HEADER_OPTIONS = /^(-H|--headers?)$/;
const USER_OPTIONS = /^(-u|--([a-z]+-)?user)$/;
/** Short options that a secret often follows, unless the value is a port, a flag or a path. */
const SHORT = /^-[kpP]$/;
/** An option with its value attached, as in `-phunter2`; long options may begin with a single dash too. */
const SHORT_JOINED = /^-[kp](?=.{3})(?=[\w!#$%&*+,.:;?@^~-]+$)/;
const WORDS_OF_OPTIONS =
  'keep key kernel kill kube package page pair parallel parse path pattern peer perf perm pid ping pipe pkg plain platform plugin point pool ' +
  'port pos prefix pretty print priority process prod profile progress project prop protocol provider proxy public publish pull purge push python';
const LONG_WITH_ONE_SIGN = new RegExp(`^-(${WORDS_OF_OPTIONS.replaceAll(' ', '|')})[a-z-]*(\\d?$|=)`);
/** The next argument is a command line rather than one value. */
const SHELL = /^(-\w*c|\/c)$/i;
const NO_SECRET = /^(((\d{1,3}\.){3}\d{1,3}:)?\d{1,5}(:\d{1,5})*(\/(tcp|udp))?|-.*|[./~].*|)$/;

/**
 * An option and its value in one argument. After short ones there may be no separator if the value's form identifies
 * it.
 */
const JOINED = /^(--[A-Za-z][\w.-]*)=|^(-H)(?=[\w-]+\s*:)|^(-u)(?=[^\s:=]+:)|^(-e)(?=[A-Z_][A-Z\d_]*=)/;

function inItem(text: string, before: string | undefined, add: Add): void {
  if (before !== undefined) {
    const assigned = VALUE_OPTIONS.test(before) ? /^[^=\s]+=/.exec(text)?.[0].length : undefined;
    if (assigned !== undefined) add(assigned, text.length - assigned, false);
    if (HEADER_OPTIONS.test(before)) inHeader(text, add);
    const user = USER_OPTIONS.test(before) ? text.indexOf(':') + 1 : 0;
    if (user > 0) add(user, text.length - user, true);
    const isShort = SHORT.test(before) && !NO_SECRET.test(text);
    const isNamed = isNameOf(before, text) && !/^--?[A-Za-z]/.test(text);
    if (isShort || isNamed) add(schemeOf(text), text.length - schemeOf(text), true);
    if (SHELL.test(before)) {
      inLine(text, add);
      return;
    }
  }
  inJson(text, add);
  if (SHORT_JOINED.test(text) && !LONG_WITH_ONE_SIGN.test(text) && !NO_SECRET.test(text.slice(2)))
    add(2, text.length - 2, true);
  const own = /^(--?[A-Za-z][\w.-]*|[A-Za-z_]\w*)=/.exec(text);
  if (own?.[1] !== undefined && isSecretOption(own[1])) add(own[0].length, text.length - own[0].length, true);
  const [joined, option = joined?.slice(0, 2)] = JOINED.exec(text) ?? [];
  if (joined !== undefined) inItem(text.slice(joined.length), option, shifted(add, joined.length));
  if (isRandom(text, 20)) add(0, text.length, true);
}

/** Treats each value by its path, as if the argument were a configuration. */
function inJson(text: string, add: Add): void {
  for (const { value, path, before, from, to, isNumber } of leavesOfJson(text)) {
    const meant = path.map((step) => (typeof step === 'string' ? meantBy(step) : step));
    const last = meant.at(-1);
    const isWhole = isSecretPath(['json', ...meant]) || (typeof last === 'string' && isSecretOption(last));
    const spans = isNumber ? [] : secretSpans(value, ['json', ...meant], before);
    const isPlain = text.slice(from, to) === value;
    if (isPlain && !(isWhole && spans.length === 0))
      for (const span of spans) add(from + span.from, span.to - span.from, span.isSure);
    else if (isWhole || spans.length > 0) add(from, to - from, isWhole || spans.some(({ isSure }) => isSure));
  }
}

function meantBy(key: string): string {
  if (/^env(ironment|s|[-_]?vars?)?$/i.test(key)) return 'env';
  return /headers?$/i.test(key) ? 'headers' : key;
}

const WORD = /"([^"]*)"|'([^']*)'|[^\s"';&|]+/g;

/** Finds secrets in a shell command line: each of its words is an argument. */
function inLine(text: string, add: Add): void {
  let before: string | undefined;
  for (const { 0: whole, 1: double, 2: single, index } of text.matchAll(WORD)) {
    const word = double ?? single ?? whole;
    // A command line within the command line is only searched for words.
    if (before === undefined || !SHELL.test(before))
      inItem(word, before, shifted(add, index + (word === whole ? 0 : 1)));
    before = word;
  }
}

const shifted =
  (add: Add, by: number): Add =>
  (from, length, isSure) =>
    add(from + by, length, isSure);

/** Handles `Name: value`, or a value alone. */
function inHeader(text: string, add: Add): void {
  const [whole = '', name = ''] = /^\s*([\w-]+)\s*:\s*/.exec(text) ?? [];
  if (name !== '' && PLAIN_HEADERS.test(name)) return;
  const from = whole.length + schemeOf(text.slice(whole.length));
  add(from, text.length - from, true);
}

const ADDRESS = /(?<![a-z\d+.:-])([a-z][a-z\d+.-]*:\/\/|(?<!\/)\/\/(?=[^\s/"'<>`]*@))([^\s"'<>`]+)/gi;
/** Logins in the syntax of database drivers: `name:password@tcp(host)/db`, `name:password@host:5432`. */
const LOGIN =
  /(?<![\w@/:.%+-])([\w.%+-]{1,100}:)([^\s:@/"'<>`]{1,200})@(?:(?:tcp|unix)\(|[\w.-]{1,253}:\d{2,5}(?!\w))/g;

/** Finds secrets in URLs: the login, the query, and path segments that look like a key. */
function inAddresses(text: string, add: Add): void {
  for (const { 1: name = '', 2: password = '', index } of text.matchAll(LOGIN))
    add(index + name.length, password.length, true);
  for (const { 1: scheme = '', 2: rest = '', index } of text.matchAll(ADDRESS)) {
    const start = index + scheme.length;
    const host = /^[^/?#]*/.exec(withoutReferences(rest))?.[0] ?? '';
    const at = host.lastIndexOf('@');
    if (at >= 0) {
      const colon = host.indexOf(':');
      const hasPassword = colon >= 0 && colon < at;
      add(start, hasPassword ? colon : at, !hasPassword);
      if (hasPassword) add(start + colon + 1, at - colon - 1, true);
    }
    const ends = /[?#]/.exec(withoutReferences(rest))?.index ?? rest.length;
    for (const { 1: segment = '', index: place } of rest.slice(host.length, ends).matchAll(/\/([^/]*)/g))
      if (isRandom(segment, 16) || TOKEN_IN_PATH.test(segment))
        add(start + host.length + place + 1, segment.length, true);
    for (const { 1: name = '', 2: value = '', index: place } of rest
      .slice(ends)
      .matchAll(/[?#&;]([^?#&;=]*=)?([^&;#]*)/g))
      add(start + ends + place + 1 + name.length, value.length, isSecretName(name));
  }
}

/** Telegram's token follows three letters. */
const TOKEN_IN_PATH = /^(bot)?\d{6,12}:[\w-]{30,}$/;

/** Only an option may have its value after a space: in prose, words follow each other too. */
const NAME = /(?<![\w.-])(?:(--?[A-Za-z][\w.-]*)(=|:\s*|\s+)|([A-Za-z_][\w.-]*)(=|:\s*))/g;
const VALUE = /(?!-|\/\/)(?:"[^"]*"|'[^']*'|[^\s"';&,]+)/y;
const QUOTED = /(["'])([A-Za-z][\w .-]*)\1\s*:\s*(["'])((?:(?!\3)[^\\]|\\.)*)\3/g;
const KNOWN =
  /(?<![\w-])(sk-[\w-]{16,}|sk_(live|test)_\w{10,}|rk_live_\w{10,}|gh[opsur]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[a-z]-[\w-]{10,}|xapp-[\w-]{10,}|AKIA[A-Z\d]{16}|AIza[\w-]{30,}|ya29\.[\w-]{20,}|gsk_\w{20,}|hf_\w{20,}|npm_\w{20,}|tvly-[\w-]{10,}|ntn_\w{20,}|lin_api_\w{20,}|figd_[\w-]{20,}|r8_\w{20,}|pplx-\w{20,}|xai-[\w-]{20,}|SG\.[\w.-]{20,}|eyJ[\w-]{8,}\.[\w-]+(\.[\w-]*)?|\d{6,12}:[\w-]{30,})(?![\w-])/g;

/** Finds values after a name that denotes a secret, in command lines, JSON and connection strings. */
function inWords(text: string, add: Add): void {
  let done = 0;
  for (const { 0: whole, 1: option, 2: gapped = '', 3: word = '', 4: sign = gapped, index } of text.matchAll(NAME)) {
    const [name, between] = [option ?? word, sign];
    if (index < done || !(option === undefined ? isSecretName : isSecretOption)(name)) continue;
    VALUE.lastIndex = index + whole.length;
    const value = VALUE.exec(text)?.[0];
    if (value === undefined) continue;
    done = VALUE.lastIndex;
    const bare = /^["'](.*)["']$/.exec(value)?.[1] ?? value;
    const from = index + name.length + between.length + (bare === value ? 0 : 1);
    const isScheme = schemeOf(`${bare} `) > bare.length;
    const [, gap = '', next] = (isScheme && /^(\s+)([^\s"']+)/.exec(text.slice(from + bare.length))) || [];
    if (next !== undefined) add(from + bare.length + gap.length, next.length, true);
    else add(from + schemeOf(bare), bare.length - schemeOf(bare), true);
  }
  for (const found of text.matchAll(QUOTED)) {
    const [whole, , name = '', , value = ''] = found;
    if (isSecretName(name))
      add(found.index + whole.length - 1 - value.length + schemeOf(value), value.length - schemeOf(value), true);
  }
  for (const { 0: key, index } of text.matchAll(KNOWN)) add(index, key.length, true);
}

/**
 * Returns whether the text has a part of at least `least` characters that mixes letters and digits as no person would.
 */
function isRandom(text: string, least: number): boolean {
  if (text.length < least || !/^[\w+=~.-]+$/.test(text)) return false;
  if (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)) return true;
  return text.split(/[-_.=~+]/).some((part) => {
    if (part.length < Math.min(least, 16)) return false;
    const isMixed = /\d/.test(part) && /[a-z]/i.test(part) && (part.match(/\d/g)?.length ?? 0) >= 2;
    const turns = part.match(/[a-z](?=[A-Z])|[A-Z](?=[a-z])/g)?.length ?? 0;
    return isMixed || turns / part.length > 0.3;
  });
}

const REFERENCE = /\$?\$\{[A-Za-z_]\w*(?::-[^}]*)?\}/g;

/** Keeps the length, and removes everything in references that could end a URL. */
const withoutReferences = (text: string): string => text.replace(REFERENCE, (whole) => '_'.repeat(whole.length));

function merged(spans: readonly Span[]): Span[] {
  const out: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    const last = out.at(-1);
    if (!last || span.from >= last.to) out.push({ ...span });
    else {
      last.to = Math.max(last.to, span.to);
      last.isSure ||= span.isSure;
    }
  }
  return out;
}

export function replaceSpans(text: string, spans: readonly Span[], by: (part: string) => string): string {
  let [out, at] = ['', 0];
  for (const { from, to } of spans) {
    out += text.slice(at, from) + by(text.slice(from, to));
    at = to;
  }
  return out + text.slice(at);
}

const MASK = '[secret]';

/**
 * Returns a copy of settings with every secret replaced by `[secret]`, including secrets that the log knows from
 * elsewhere.
 */
export function masked(value: unknown, path: readonly PropertyKey[] = [], before?: unknown): unknown {
  if (Array.isArray(value))
    return value.map((item, at) => masked(item, [...path, at], at > 0 ? value[at - 1] : undefined));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, masked(item, [...path, key])]));
  if (typeof value === 'number') return isSecretPath(path) ? MASK : value;
  if (typeof value !== 'string') return value;
  const spans = secretSpans(value, path, typeof before === 'string' ? before : undefined);
  return scrub(replaceSpans(value, spans, () => MASK));
}

/** Common values in `env` and queries: masked on pages, but not in people's messages. */
const COMMON =
  /^(true|false|yes|no|on|off|none|null|auto|default|enabled|disabled|always|never|production|development|staging|testing|local|localhost|public|private|trace|debug|verbose|info|warn|warning|error|silent|stdio|http|https|json|text|string|latest|stable|require|required|prefer|disable|utf-?8|UTC|[a-z]{2,3}[-_][A-Z]{2}(\.UTF-?8)?|[A-Z][a-z]+\/[A-Z][A-Za-z_]+|[\d.]{1,8}|localhost:\d+|https?:\/\/[\w.:-]+\/?|(\/[\w.@-]{1,30})+\/?)$/i;

/** Returns the secrets of a text, for the log and the chats. */
export function secretsIn(text: string, path: readonly PropertyKey[], before?: string): string[] {
  return secretSpans(text, path, before)
    .map(({ from, to, isSure }) => ({ part: text.slice(from, to), isSure }))
    .filter(({ part, isSure }) => isSure || !COMMON.test(part))
    .flatMap(({ part }) => [part, ...decoded(part)]);
}

function decoded(part: string): string[] {
  try {
    const plain = decodeURIComponent(part);
    return plain === part ? [] : [plain];
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return [];
  }
}
