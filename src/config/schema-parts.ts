/** Building blocks of the schemas. Every leaf's error text says what was expected; validate.ts adds what was found. */
import { z } from 'zod';
import type { ChatChannelConfig } from '../channels/kind.ts';
import { expects } from '../messages/expects.ts';
import { languages, say, type Wording } from '../messages/messages.ts';

export { expects } from '../messages/expects.ts';

/** The error text for an unknown key is the list of known ones, from which validate.ts makes a suggestion. */
export const section = <T extends z.ZodRawShape>(shape: T, expected = expects('expected.section')) =>
  z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? Object.keys(shape).join(' ') : expected),
  });

/** `a, b or c` in the reader's language. */
function choiceText(values: readonly string[]): Wording | string {
  const [last = '', ...rest] = values.toReversed();
  return rest.length === 0 ? last : say('expected.or', { before: rest.reverse().join(', '), after: last });
}

/** Marks a setting or a section that applies without a restart (live.ts): its readers look at it each time. */
export const appliesLive = <T extends z.ZodType>(schema: T): T => schema.meta({ ...schema.meta(), live: true });

export const listOf = <T extends z.ZodType>(item: T) => z.array(item, expects('expected.list'));

export const oneOf = <const T extends readonly string[]>(...values: T) =>
  z.enum(values, { error: expects('expected.oneOf', { values: choiceText(values) }) });

export const text = (expected: string, pattern = /\S/) => z.string(expected).regex(pattern, expected);

/** Converts text to a number: values from `${NAME}` are text. */
const numeric = (value: unknown) =>
  typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;

export const whole = (min: number, max = Number.MAX_SAFE_INTEGER) => {
  const error =
    max === Number.MAX_SAFE_INTEGER ? expects('expected.wholeFrom', { min }) : expects('expected.whole', { min, max });
  return z.preprocess(numeric, z.int(error).min(min, error).max(max, error));
};

export const seconds = z.preprocess(
  numeric,
  z
    .number(expects('expected.seconds'))
    .gt(0, expects('expected.moreSeconds'))
    .max(86_400, expects('expected.fewerSeconds')),
);

/** @param expected what people read about any other value */
export const autoOr = (expected: string, min: number, max = Number.MAX_SAFE_INTEGER) =>
  z.preprocess(numeric, z.union([z.literal('auto'), z.int(expected).min(min, expected).max(max, expected)], expected));

export const steps = autoOr(expects('expected.steps'), 1, 1000);

export const amount = z.preprocess(numeric, z.number(expects('expected.amount')).min(0, expects('expected.amount')));

const SHARE = expects('expected.share');
export const share = z.preprocess(numeric, z.number(SHARE).min(0, SHARE).max(1, SHARE));

export const flag = z.preprocess(
  (value) => (value === 'true' ? true : value === 'false' ? false : value),
  z.boolean(expects('expected.flag')),
);

/** Choices that include `on` and `off`; accepts true and false for them. */
export const switched = <const T extends readonly string[]>(...values: T) =>
  z.preprocess(
    (value) => (value === true || value === 'true' ? 'on' : value === false || value === 'false' ? 'off' : value),
    oneOf(...values),
  );

export const onOff = switched('on', 'off');

export const address = (error = expects('expected.address')) =>
  z.string(error).refine((value) => /^https?:\/\//.test(value) && URL.canParse(value), error);

const WEB_HOST = expects('expected.webHost');
/** Normalises a host as URLs have it: lower case, other scripts as `xn--`. At least two labels must follow a `*.`. */
export const webHost = z.string(WEB_HOST).transform((value, { addIssue }) => {
  const [, star = '', name = ''] = /^(\*\.)?([^\s/?#@*\\]+?)\.?$/.exec(value.trim()) ?? [];
  const url = URL.parse(`https://${name.replace(/\.(?=:\d+$)/, '')}`);
  const isWhole =
    url !== null && name !== '' && url.pathname === '/' && (star === '' || /\..*[a-z]/.test(url.hostname));
  if (isWhole) return star + url.host;
  addIssue({ code: 'custom', message: WEB_HOST });
  return z.NEVER;
});

const ORIGIN = expects('expected.origin');
/** Scheme, host and port only. */
export const origin = z
  .string(ORIGIN)
  .refine((value) => /^https?:\/\/[^/?#@\\\s]+\/?$/i.test(value) && URL.canParse(value), ORIGIN);

const SOCKET = expects('expected.socket');
/** A WebSocket address that can't be read in transit: `wss://`, or a local one. */
export const socket = z
  .string(SOCKET)
  .refine((value) => /^wss?:\/\/[^\s@#]+$/i.test(value) && URL.canParse(value), SOCKET)
  .refine((value) => {
    const { protocol, hostname } = new URL(value);
    return protocol === 'wss:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  }, SOCKET);

/** In capitals too; a JSON Schema has no flag for that. */
const TAGS = languages.map((tag) => tag.replace(/./g, (letter) => `[${letter}${letter.toUpperCase()}]`));
/** `auto`, or the tag of a language with a catalogue: in any other, everybody would silently get English. */
export const language = text(
  expects('expected.oneOf', { values: choiceText(['auto', ...languages]) }),
  new RegExp(`^(auto|(${TAGS.join('|')})([-_][A-Za-z0-9]{1,8}){0,4})$`),
);

export const model = text(expects('expected.model'), /^\S+\/\S+$/);

export const headers = z.record(z.string(), text(expects('expected.text')), expects('expected.headers'));

export const path = text(expects('expected.path'), /^\/[^\s?#]*$/);

export const secret = text(expects('expected.text')).exactOptional();

export const viber = text(expects('expected.viber'), /^[a-z0-9][a-z0-9_-]{0,63}$/);

/** A platform's ID; whole numbers become text (parse.ts keeps every digit of large ones). */
export const id = (expected: string, pattern: RegExp) =>
  z.preprocess((value) => (typeof value === 'number' ? String(value) : value), text(expected, pattern));

export const timezone = z.string(expects('expected.timezone')).refine((name) => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}, expects('expected.timezone'));

export const chatDefaults: ChatChannelConfig = {
  access: { dm: 'pairing', groups: 'mention', allow: [], chats: [], memory: 'direct' },
  live: 'auto',
  injection: 'steer',
  attach: 'auto',
};

export const groups = oneOf('mention', 'all', 'off');

const access = (user: z.ZodType<string>, chat: z.ZodType<string>) =>
  section({
    dm: oneOf('pairing', 'allowlist', 'open', 'off').default(chatDefaults.access.dm),
    groups: groups.default(chatDefaults.access.groups),
    allow: listOf(user).default([]),
    chats: listOf(chat).default([]),
    memory: oneOf('direct', 'group').default(chatDefaults.access.memory),
  });

/** The keys of every chat channel; the two patterns match the platform's own IDs. */
export const chat = (user: z.ZodType<string>, group: z.ZodType<string>) => ({
  access: appliesLive(access(user, group).prefault({})),
  live: oneOf('auto', 'off', 'status', 'text').default(chatDefaults.live),
  injection: oneOf('steer', 'collect', 'followup').default(chatDefaults.injection),
  attach: appliesLive(oneOf('auto', 'ask', 'never').default(chatDefaults.attach)),
  viber: appliesLive(viber.exactOptional()),
});

/** Words the error of a token that may also come from the environment; it names the variable. */
export const here = (what: Wording | string, variable: string) => expects('expected.here', { what, variable });

/** A platform's secret, which is sent in an HTTP header or URL and so must be printable ASCII. */
export const token = (what: string, variable: string) => text(here(what, variable), /^[!-~]+$/);

/** The root of an API, normalised to end without a slash or with exactly one. */
export const apiRoot = (variable: string, end: '' | '/' = '') =>
  address(here(say('expected.httpAddress'), variable)).transform((value) => value.replace(/\/*$/, end));
