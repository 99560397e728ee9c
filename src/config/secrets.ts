/**
 * Finds secrets in the texts of a configuration, for the settings page, the log, chats and backups alike. A secret is
 * recognised by its setting's name, its place in a URL, the option before it, or its form.
 */
import { scrub } from '../log.ts';
import { type Add, inAddresses, shifted } from './secret-addresses.ts';
import { isKeyLike, isRandom, KNOWN_KEY } from './secret-forms.ts';
import { LOOKED_AT, leavesOfJson } from './secret-json.ts';
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
 * @param before what stands before it in a list, by `itemBefore`
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

/** A container's option passes a variable on by its name alone, and what follows is an image or a command. */
const CONTAINER = /^(run|exec|create|compose|container)$|(^|\/)(docker|podman|nerdctl)$/;
const IMAGE = /^(?=.*[/:])[a-z\d][\w.-]*(:\d+)?(\/[\w.-]+)*(:[\w.-]+)?(@sha256:[\da-f]+)?$/;
/** Stands between an option and a name; no argument contains it. */
const BETWEEN = '\0';

/**
 * Returns what stands before an item of a list: the previous item, and with it the option before it that may take both
 * a name and a value, as in `--env NAME VALUE`.
 */
export function itemBefore(items: readonly (string | undefined)[], at: number): string | undefined {
  const [option, name] = [items[at - 2] ?? '', items[at - 1]];
  const isPair = SETS.test(option) ? /^[A-Z_][A-Z\d_]*$/.test(name ?? '') : isHeaderPair(option, name ?? '');
  if (!isPair) return name;
  const isContainers = items.slice(Math.max(0, at - LOOKED_AT), at).some((item) => CONTAINER.test(item ?? ''));
  if (isContainers) return IMAGE.test(items[at] ?? '') ? undefined : name;
  return `${option}${BETWEEN}${name}`;
}

const isHeaderPair = (option: string, name: string): boolean =>
  HEADER_OPTIONS.test(option) && /^[A-Za-z][\w-]*$/.test(name) && !PLAIN_HEADERS.test(name);

/** Returns the length of an authentication scheme such as `Bearer `. */
export const schemeOf = (text: string): number =>
  /^(bearer|basic|token|bot|apikey|digest)\s+/i.exec(text)?.[0].length ?? 0;

/** Options that set a variable or a property, whatever its name. */
const VALUE_OPTIONS =
  /^(-[eED]|--?([\w-]*[-_])?(env(ironment)?s?|env[-_]?(vars?|json)|setenv|vars?|variables?)|--build-arg|--set|--set-string|--from-literal|--define)$/i;
const SETS = new RegExp(`^(set|setx)$|${VALUE_OPTIONS.source}`, 'i');
const HEADER_OPTIONS = /^(-H|--?[\w-]*headers?)$/i;
/** Options such as `--env.NAME`, where the option says which variable or header it sets. */
const DOTTED_OPTIONS = /^--?(env(ironment)?|headers?)\.[\w.-]+$/i;
/** Options with a login: a name, and after a colon its password. */
const USER_OPTIONS =
  /^(-[uU]|--?([\w-]*[-_])?(user|usr|username|user[-_]?(info|pass|pwd)|login|logon|basic|digest|ntlm|negotiate|account|identity|principal|conn|connect|connection|connection-string|dsn))$/i;
const IN_LOGIN = /^[^\s:/]+(:(?!\/\/)|\/(?=[^\s@]*@))/;
/** A variable before a command, as in `NAME=value npx`, and a header as in a request. */
const ASSIGNED = /^(?:\$env:)?[A-Z][A-Z\d_]*=(?=.)/;
const REQUEST_HEADER = /^[A-Z]\w*(-[A-Z]\w*)+\s*:\s*\S/;
/** Options with a slash, as programs of Windows have them. */
const SLASH_OPTION = /^\/([A-Za-z][\w-]*)$/;
const SLASH_JOINED = /^\/([A-Za-z][\w-]*)[:=](?=.)/;
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
const JOINED =
  /^(-H)(?=[\w-]+\s*:)|^(-u)(?=[^\s:=]+:)|^(-e)(?=[A-Z_][A-Z\d_]*=)|^(-D)(?=[\w.]+=)|^(--?\p{L}[\p{L}\d_.-]*)=/u;

function inItem(text: string, previous: string | undefined, add: Add): void {
  const [setting = '', variable] = previous?.split(BETWEEN) ?? [];
  if (variable !== undefined && !/^(-.*|[./~].*|)$/.test(text))
    add(schemeOf(text), text.length - schemeOf(text), HEADER_OPTIONS.test(setting));
  const before = previous === undefined ? undefined : asOption(variable ?? previous);
  if (before !== undefined) {
    inValueOf(before, text, add);
    if (SHELL.test(before)) {
      inLine(text, add);
      return;
    }
  }
  inJson(text, meantBefore(before), add);
  if (SHORT_JOINED.test(text) && !LONG_WITH_ONE_SIGN.test(text) && !NO_SECRET.test(text.slice(2)))
    add(2, text.length - 2, true);
  if (/^-[A-Za-z]/.test(text) && isKeyLike(text.slice(2))) add(2, text.length - 2, false);
  const own = /^(--?\p{L}[\p{L}\d_.-]*|[A-Za-z_]\w*)=/u.exec(text);
  if (own?.[1] !== undefined && isSecretOption(own[1])) add(own[0].length, text.length - own[0].length, true);
  const assigned = ASSIGNED.exec(text)?.[0].length;
  if (assigned !== undefined) add(assigned, text.length - assigned, false);
  if (REQUEST_HEADER.test(text)) inHeader(text, add);
  const [slash, name] = SLASH_JOINED.exec(text) ?? [];
  if (slash !== undefined) inItem(text.slice(slash.length), `/${name}`, shifted(add, slash.length));
  const [joined, , , , , option = joined?.slice(0, 2)] = JOINED.exec(text) ?? [];
  if (joined !== undefined) inItem(text.slice(joined.length), option, shifted(add, joined.length));
  else if (isRandom(text, 20)) add(0, text.length, true);
}

/** Returns `--name` for `/name`, and everything else as it is. */
function asOption(item: string): string {
  const name = SLASH_OPTION.exec(item)?.[1];
  return name === undefined ? item : `${name.length === 1 ? '-' : '--'}${name}`;
}

/** Finds what is secret because of the option before it. */
function inValueOf(before: string, text: string, add: Add): void {
  if (VALUE_OPTIONS.test(before)) {
    const assigned = /^([^=\s{[]+=|[A-Z][A-Z\d_]+:\s*)/.exec(text)?.[0].length;
    if (assigned !== undefined) add(assigned, text.length - assigned, false);
  }
  if (HEADER_OPTIONS.test(before) && !/^\s*[{[]/.test(text)) inHeader(text, add);
  if (DOTTED_OPTIONS.test(before) || /^(\$env:)?[A-Z][A-Z\d_]*=$/.test(before)) add(0, text.length, false);
  const user = USER_OPTIONS.test(before) && !NO_SECRET.test(text) ? (IN_LOGIN.exec(text)?.[0].length ?? 0) : 0;
  if (user > 0) add(user, text.length - user, true);
  const isShort = SHORT.test(before) && !NO_SECRET.test(text);
  const isNamed = isNameOf(before, text) && !/^--?[A-Za-z]/.test(text);
  if (isShort || isNamed) add(schemeOf(text), text.length - schemeOf(text), true);
  else if (/^--?\p{L}/u.test(before) && !/^--?\p{L}/u.test(text) && isKeyLike(text)) add(0, text.length, false);
}

/** Returns what a JSON value after an option is, as the path to it. */
function meantBefore(before: string | undefined): string[] {
  if (before === undefined) return [];
  if (HEADER_OPTIONS.test(before)) return ['headers'];
  return VALUE_OPTIONS.test(before) ? ['env'] : [];
}

/** Treats each value by its path, as if the argument were a configuration. */
function inJson(text: string, option: readonly string[], add: Add): void {
  for (const { value, path, items, from, to, isNumber } of leavesOfJson(text)) {
    const before = itemBefore(items, items.length - 1);
    const meant = [...option, ...path].map((step) => (typeof step === 'string' ? meantBy(step) : step));
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

const WORD = /"([^"]*)"|'([^']*)'|\$\([^()]*\)|[^\s"';&|]+/g;

/** Finds secrets in a shell command line: each of its words is an argument. */
function inLine(text: string, add: Add): void {
  const found = [...text.matchAll(WORD)]
    .map(({ 0: whole, 1: double, 2: single, index }) => ({ word: double ?? single ?? whole, whole, index }))
    // The line goes on.
    .filter(({ word }) => word !== '\\');
  const words = found.map(({ word }) => word);
  for (const [at, { word, whole, index }] of found.entries())
    inItem(word, itemBefore(words, at), shifted(add, index + (word === whole ? 0 : 1)));
}

/** Handles `Name: value`, or a value alone. */
function inHeader(text: string, add: Add): void {
  const [whole = '', name = ''] = /^\s*([\w-]+)\s*:\s*/.exec(text) ?? [];
  if (name !== '' && PLAIN_HEADERS.test(name)) return;
  const from = whole.length + schemeOf(text.slice(whole.length));
  add(from, text.length - from, true);
}

/** Only an option may have its value after a space: in prose, words follow each other too. */
const NAME = /(?<![\w.-])(?:(--?[A-Za-z][\w.-]*)(=|:\s*|\s+)|([A-Za-z_][\w.-]*)(\s{0,9}=\s{0,9}|:\s*))/g;
const VALUE = /(?!-|\/\/)(?:"[^"]*"|'[^']*'|[^\s"';&,]+)/y;
const TAG = /<([A-Za-z][\w.-]*)>([^<]+)<\//g;
const QUOTED = /(["'])([A-Za-z][\w .-]*)\1\s*:\s*(["'])((?:(?!\3)[^\\]|\\.)*)\3/g;

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
  for (const { 1: name = '', 2: value = '', index } of text.matchAll(TAG))
    if (isSecretName(name)) add(index + name.length + 2, value.length, true);
  for (const { 0: key, index } of text.matchAll(KNOWN_KEY)) add(index, key.length, true);
}

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

/** A number is secret as a whole or not at all. */
export const isSecretNumber = (value: number | string, path: readonly PropertyKey[], before?: string): boolean =>
  isSecretPath(path) || secretSpans(String(value), path, before).length > 0;

/**
 * Returns a copy of settings with every secret replaced by `[secret]`, including secrets that the log knows from
 * elsewhere.
 */
export function masked(value: unknown, path: readonly PropertyKey[] = [], before?: string): unknown {
  if (Array.isArray(value)) {
    const texts = value.map((item) => (typeof item === 'string' ? item : undefined));
    return value.map((item, at) => masked(item, [...path, at], itemBefore(texts, at)));
  }
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, masked(item, [...path, key])]));
  if (typeof value === 'number') return isSecretNumber(value, path, before) ? MASK : value;
  if (typeof value !== 'string') return value;
  const spans = secretSpans(value, path, before);
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
    .flatMap(({ part }) => [part, ...decodeBoth(part)]);
}

function decodeBoth(part: string): string[] {
  try {
    const plain = decodeURIComponent(part);
    return plain === part ? [] : [plain];
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return [];
  }
}
