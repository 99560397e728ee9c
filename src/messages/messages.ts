/**
 * Messages to people in their language. `messagesIn('de-AT').text('area.key', { name })` returns a sentence; `say`
 * names one whose reader isn't known yet. Texts without plurals and choices are formatted here; the formatter is loaded
 * for the first one that needs it, and every language but English for its first reader.
 */
import { createRequire } from 'node:module';
import type { Arguments, Value, Wording } from './arguments.ts';
import { en } from './en.ts';
import type { en as later } from './en-later.ts';
import type { Format } from './format.ts';

type English = typeof en & typeof later;

/** `area.key` */
export type MessageKey = { [A in keyof English]: `${A}.${keyof English[A] & string}` }[keyof English];
type TextOf<K extends MessageKey> = K extends `${infer A extends keyof English}.${infer M}`
  ? M extends keyof English[A]
    ? English[A][M] & string
    : never
  : never;
/** The values that a message requires. */
export type Values<K extends MessageKey> = Arguments<TextOf<K>>;
export type GivenValues<K extends MessageKey> = keyof Values<K> extends never ? [] : [values: Values<K>];

declare const made: unique symbol;
/** Text that may be shown to a person: a message of the catalogue, or words of a model or a person. */
export type Text = string & { readonly [made]: true };

export type { Value, Wording } from './arguments.ts';

export interface Messages {
  /** The tag of the catalogue in use: `de` for `de-AT`. */
  readonly language: string;
  /** The prefix that people type before a command's name. */
  readonly prefix: string;
  text<K extends MessageKey>(key: K, ...given: GivenValues<K>): Text;
  /** Formats a message named by `say`; words from outside stay as they are. */
  said(said: Wording | string): Text;
  /** `a, b and c` */
  list(items: Iterable<string>, kind?: 'and' | 'or'): Text;
  number(value: number): Text;
  /** `14:02` in a zone; the machine's own by default. */
  time(at: Date, zone?: string): Text;
  /** `tomorrow (Mon) at 09:00` */
  when(at: Date, zone?: string, now?: Date): Text;
}

const LANGUAGES = ['en', 'de', 'es'] as const;
/** A language with a catalogue. */
export type Language = (typeof LANGUAGES)[number];
const FALLBACK = 'en';
/** Locales for dates with 24-hour time. */
const DATES: Readonly<Record<string, string>> = { en: 'en-GB' };
const PLAIN_ARGUMENT = /\{(\w+)\}/g;
const HAS_CHOICE = /\{\s*\w+\s*,/;
/** The slash of a command in the catalogue. */
const COMMAND = /(?<![\w}])\/(?=[a-z{])/g;
const DAY_MS = 86_400_000;
const known = new Map<string, Messages>();

export const languages: readonly string[] = LANGUAGES;

/**
 * Returns the catalogue for a language tag, as platforms and people write it: `de`, `de-AT`, `de_AT.UTF-8`; undefined
 * when there is none.
 */
export function servedBy(tag: string | undefined): string | undefined {
  const language = /^([a-z]{2,3})(?:[-_.@].*)?$/i.exec(tag ?? '')?.[1]?.toLowerCase();
  return language !== undefined && languages.includes(language) ? language : undefined;
}

/**
 * Returns the messages in a tag's language; in English for any other. `prefix` is what people type before a command's
 * name there: the catalogue's `/status` becomes `/viber status`.
 */
export function messagesIn(tag: string | undefined, prefix = '/'): Messages {
  const language = servedBy(tag) ?? FALLBACK;
  const key = `${language} ${prefix}`;
  const messages = known.get(key) ?? build(language, prefix);
  known.set(key, messages);
  return messages;
}

/** Returns the messages for a sender. */
export const messagesFor = (to: { language?: string; prefix?: string }): Messages => messagesIn(to.language, to.prefix);

/** Names a message that is formatted once its reader is known. */
export const say = <K extends MessageKey>(key: K, ...[values]: GivenValues<K>): Wording => ({
  key,
  values: { ...values },
});

/** Marks words of a model or a person as text. Never use it for our own sentences: those are in the catalogue. */
export const words = (text: string): Text => text as Text;

/** Cuts text to fit a button of every platform. */
export const labelOf = (text: Text): Text => words(text.slice(0, 40).toWellFormed());

/** Joins sentences. */
export const sentences = (...texts: readonly (Text | '')[]): Text => words(texts.filter(Boolean).join(' '));

/** Joins texts with an empty line between them. */
export const paragraphs = (...texts: readonly (Text | '')[]): Text => words(texts.filter(Boolean).join('\n\n'));

/** Joins texts line by line; an empty one makes an empty line. */
export const lines = (...texts: readonly (Text | '')[]): Text => words(texts.join('\n'));

function catalogueText(language: string, key: string): string {
  const [area = '', name = ''] = key.split('.');
  const inEnglish: Texts = en;
  const texts = area in inEnglish ? loadTexts(language, language) : loadTexts(language, `${language}-later`);
  return texts[area]?.[name] ?? inEnglish[area]?.[name] ?? key;
}

type Texts = Readonly<Record<string, Readonly<Record<string, string>>>>;
const loadedTexts = new Map<string, Texts>([[FALLBACK, en]]);

/**
 * Loads another language with its first sentence, and the areas that chats don't need with the first of theirs. A
 * process without a free handle can't, and shows the English sentence or its key: a report of trouble must not become a
 * second one.
 */
function loadTexts(language: string, file: string): Texts {
  const known = loadedTexts.get(file);
  if (known) return known;
  try {
    const module: Record<string, Texts> = required(`./${file}.ts`, `./messages-${file}.js`);
    const texts = module[language] ?? {};
    loadedTexts.set(file, texts);
    return texts;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'EMFILE' && code !== 'ENFILE') throw error;
    return {};
  }
}

/** Loads a file in the middle of a sentence, where nothing can be awaited. */
const required = (source: string, built: string) =>
  createRequire(import.meta.url)(import.meta.filename.endsWith('.ts') ? source : built);

function build(language: string, prefix: string): Messages {
  const formats = new Map<string, Format>();
  const dates = new Map<string, Intl.DateTimeFormat>();
  const locale = DATES[language] ?? language;

  function format(key: string, given: Readonly<Record<string, Value>>): Text {
    const values: Record<string, string | number> = {};
    for (const [name, value] of Object.entries(given)) values[name] = inWords(value);
    const plain = catalogueText(language, key);
    const text = prefix === '/' ? plain : plain.replace(COMMAND, prefix);
    if (!HAS_CHOICE.test(text))
      return words(text.replace(PLAIN_ARGUMENT, (_, name: string) => String(values[name] ?? '')));
    const compiled = formats.get(key) ?? compiler()(text, language);
    formats.set(key, compiled);
    return words(compiled(values));
  }

  function inWords(value: Value): string | number {
    if (typeof value !== 'object') return value;
    return 'at' in value ? when(new Date(value.at), value.zone) : format(value.key, value.values);
  }

  function date(at: Date, options: Intl.DateTimeFormatOptions): string {
    const id = JSON.stringify(options);
    const made = dates.get(id) ?? new Intl.DateTimeFormat(locale, options);
    if (dates.size < 200) dates.set(id, made);
    return made.format(at);
  }

  const inZone = (zone: string | undefined) => (zone === undefined ? {} : { timeZone: zone });
  const time = (at: Date, zone?: string) =>
    words(date(at, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', ...inZone(zone) }));

  function when(at: Date, zone?: string, now = new Date()): Text {
    const dayOf = (of: Date) => date(of, { year: 'numeric', month: '2-digit', day: '2-digit', ...inZone(zone) });
    const isDaysFrom = (days: number) => dayOf(at) === dayOf(new Date(now.getTime() + days * DAY_MS));
    const given = { time: time(at, zone), day: date(at, { weekday: 'short', ...inZone(zone) }) };
    if (isDaysFrom(0)) return format('times.today', given);
    if (isDaysFrom(1)) return format('times.tomorrow', given);
    if (isDaysFrom(-1)) return format('times.yesterday', given);
    const isYear = Math.abs(at.getTime() - now.getTime()) < 300 * DAY_MS;
    const long: Intl.DateTimeFormatOptions = {
      day: 'numeric',
      month: 'short',
      ...(isYear ? {} : { year: 'numeric' }),
      ...inZone(zone),
    };
    return format('times.later', { ...given, date: date(at, long) });
  }

  return {
    language,
    prefix,
    text: (key, ...[values]) => format(key, values ?? {}),
    said: (said) => (typeof said === 'string' ? words(said) : format(said.key, said.values)),
    list: (items, kind = 'and') =>
      words(new Intl.ListFormat(locale, { type: kind === 'and' ? 'conjunction' : 'disjunction' }).format([...items])),
    number: (value) => words(new Intl.NumberFormat(locale).format(value)),
    time,
    when,
  };
}

let loaded: typeof import('./format.ts').compile | undefined;

/** Loads the formatter for the first message with a plural or choice: most processes run for long without one. */
function compiler(): typeof import('./format.ts').compile {
  if (loaded) return loaded;
  const module: typeof import('./format.ts') = required('./format.ts', './messages-format.js');
  loaded = module.compile;
  return loaded;
}
