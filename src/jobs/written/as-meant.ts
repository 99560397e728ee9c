/**
 * The keys and values of a job file in the forms that people and other programs give them, in ours. Pure. Only what can mean one thing
 * is taken as that; a key that has another name here is told with what to write.
 */
import { parseAddress } from '../../channels/address.ts';
import type { Data } from '../../config/parse.ts';
import { shownValue } from '../../config/validate.ts';
import { readZone } from '../../lib/timezone.ts';
import { type Said, say } from '../../messages/messages.ts';
import { isTimezone } from '../zone.ts';
import { spelt } from './as-written.ts';

type Section = { [key: string]: Data };

export interface AsMeant {
  data: Section;
  /** How a key of ours is written in the file. */
  written: ReadonlyMap<string, string>;
}

/** What others call what is called so here. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  schedule: [
    ...['cron', 'cronexpression', 'cronexpr', 'crontab', 'expr', 'expression', 'time', 'times', 'when', 'at', 'every'],
    ...['everyseconds', 'everyminutes', 'everyms', 'interval', 'frequency', 'rrule', 'on', 'trigger'],
    ...['zeit', 'uhrzeit', 'zeitplan', 'wann'],
  ],
  prompt: [
    'message',
    'text',
    'task',
    'instructions',
    'instruction',
    'command',
    'content',
    'body',
    'payload',
    'aufgabe',
  ],
  deliver: [
    ...['channel', 'channels', 'notify', 'to', 'target', 'chat', 'chatid', 'send', 'sendto', 'delivery', 'deliverto'],
    ...['destination', 'recipient', 'recipients', 'output', 'an', 'kanal'],
  ],
  timezone: ['tz', 'zone', 'zeitzone'],
  name: ['title', 'label', 'titel'],
  enabled: ['disabled', 'active', 'paused', 'aktiv'],
  viber: ['agentid', 'assistant'],
  maxSteps: ['steps', 'maxturns', 'maxiterations'],
};
const OURS: ReadonlyMap<string, string> = new Map(
  Object.entries(OTHER_NAMES).flatMap(([key, names]) => names.map((name) => [name, key] as const)),
);
const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', 'on', 'ja', 'y'].map((word) => [word, true] as const),
  ...['false', 'no', 'off', 'nein', 'n'].map((word) => [word, false] as const),
]);
const QUOTED = /^[“”„«‘](.*)[“”»’]$/s;
const EXAMPLES: Readonly<Record<string, string>> = {
  schedule: '"0 9 * * *"',
  deliver: 'telegram:1001',
  timezone: 'Europe/Berlin',
  prompt: '...',
  name: '...',
  viber: '...',
  maxSteps: '20',
};

const isSection = (value: Data | undefined): value is Section =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The key as it is called here, where another program's files call it `key`. */
export const ourKey = (key: string): string | undefined => OURS.get(spelt(key));

/** @param known our keys */
export function asMeant(given: Section, known: readonly string[], body: string | undefined): AsMeant {
  const { data, written } = inOurSpelling(given, known);
  const change = (key: string, to: (value: Data) => Data) => {
    if (Object.hasOwn(data, key) && data[key] !== undefined) data[key] = to(data[key]);
  };
  for (const key of Object.keys(data)) change(key, unquoted);
  for (const key of ['enabled', 'catch_up']) change(key, flagOf);
  for (const key of ['skills', 'tools']) change(key, listOf);
  change('deliver', addressesOf);
  change('name', (value) => (typeof value === 'number' ? String(value) : value));
  change('schedule', (value) =>
    Array.isArray(value) && value.every((each) => typeof each === 'string') ? value.join('; ') : value,
  );
  change('timezone', (value) => (typeof value === 'string' ? zoneOf(value) : value));
  if (isSection(data.agent)) {
    const { data: agent } = inOurSpelling(data.agent, ['model', 'skills', 'tools', 'maxSteps', 'prompt', 'mode']);
    for (const key of ['skills', 'tools']) if (agent[key] !== undefined) agent[key] = listOf(agent[key]);
    data.agent = agent;
  }
  if (body !== undefined && (data.prompt ?? null) === null) data.prompt = body;
  // `agent: ID` means the same as `viber: ID`.
  if (typeof data.agent === 'string' && !Object.hasOwn(data, 'viber')) {
    data.viber = data.agent;
    written.set('viber', written.get('agent') ?? 'agent');
    delete data.agent;
  }
  return { data, written };
}

/** `Berlin`, `utc+2`, `europe/vienna`: a zone that is known by another name. */
function zoneOf(zone: string): string {
  const [, sign, hours = '', minutes = '00'] = /^(?:utc|gmt)\s*([+-])(\d{1,2})(?::(\d\d))?$/i.exec(zone.trim()) ?? [];
  const offset = sign === undefined ? undefined : `${sign}${hours.padStart(2, '0')}:${minutes}`;
  if (offset !== undefined && isTimezone(offset)) return offset;
  return isTimezone(zone) && !/^[a-z]+\//.test(zone) ? zone : (readZone(zone) ?? zone);
}

function inOurSpelling(given: Section, known: readonly string[]): { data: Section; written: Map<string, string> } {
  const written = new Map<string, string>();
  const entries = Object.entries(given).map(([key, value]): [string, Data] => {
    const meant = known.find((name) => spelt(name) === spelt(key));
    if (meant === undefined || Object.hasOwn(given, meant) || written.has(meant)) return [key, value];
    written.set(meant, key);
    return [meant, value];
  });
  return { data: Object.fromEntries(entries), written };
}

/** Word processors put their own quotes around what is typed in quotes. */
function unquoted(value: Data): Data {
  if (Array.isArray(value)) return value.map(unquoted);
  if (typeof value !== 'string') return value;
  const [, inner] = QUOTED.exec(value.trim()) ?? [];
  return inner === undefined || /[“”„«»]/.test(inner) ? value : inner;
}

const flagOf = (value: Data): Data =>
  typeof value === 'string' ? (FLAGS.get(value.trim().toLowerCase()) ?? value) : value;

const listOf = (value: Data): Data =>
  typeof value === 'string' && value.trim() !== ''
    ? value
        .split(',')
        .map((each) => each.trim())
        .filter((each) => each !== '')
    : value;

/** One address, several in one line, `telegram: 1001`, and `channel: telegram` with `to: 1001` below it. */
function addressesOf(value: Data): Data {
  if (typeof value === 'number') return [String(value)];
  if (isSection(value)) return sectionAddresses(value) ?? value;
  if (Array.isArray(value))
    return value.flatMap((each) => {
      if (typeof each === 'number') return [String(each)];
      return isSection(each) ? (sectionAddresses(each) ?? [each]) : [each];
    });
  return typeof value === 'string' && value.includes(',') ? listOf(value) : typeof value === 'string' ? [value] : value;
}

function sectionAddresses(section: Section): Data[] | undefined {
  const { channel, to, chat, thread, ...others } = section;
  const place = to ?? chat;
  if (typeof channel === 'string' && isScalar(place) && Object.keys(others).length === 0)
    return [[channel, place, ...(isScalar(thread) ? [thread] : [])].join(':')];
  const pairs = Object.entries(section).map(([name, id]) => (isScalar(id) ? `${name}:${id}` : ''));
  return pairs.every((pair) => parseAddress(pair) !== undefined) ? pairs : undefined;
}

const isScalar = (value: Data | undefined): value is string | number =>
  typeof value === 'string' || typeof value === 'number';

/** What to write in place of a key that is called otherwise here. */
export function instead(key: string, ours: string, value: Data | undefined): Said {
  return say('jobFiles.otherKey', { instead: `${ours}: ${valueFor(key, ours, value)}` });
}

function valueFor(key: string, ours: string, value: Data | undefined): string {
  if (ours === 'enabled') {
    const flag = flagOf(value ?? true) === true;
    return String(['disabled', 'paused'].includes(spelt(key)) ? !flag : flag);
  }
  if (ours === 'deliver') {
    const address = typeof value === 'string' && parseAddress(value) ? value : undefined;
    return address ?? EXAMPLES.deliver ?? '';
  }
  const seconds = spelt(key) === 'everyseconds' ? Number(value) : spelt(key) === 'everyms' ? Number(value) / 1000 : 0;
  if (ours === 'schedule' && seconds >= 60) return `every ${Math.round(seconds / 60)} minutes`;
  if (typeof value !== 'string' || value.trim() === '' || /^[\d:.\s]+$/.test(value)) return EXAMPLES[ours] ?? '...';
  return ours === 'timezone' || ours === 'viber' ? value : shownValue(value);
}

/** A job as OpenClaw, nanobot and their like keep it, where the schedule is a section that says its kind; or several in one file. */
export function foreignJob(data: Section): Said | undefined {
  const { schedule, payload, delivery } = data;
  if (Array.isArray(data.jobs ?? data.tasks) && schedule === undefined) return say('jobFiles.several');
  if (!isSection(schedule) || typeof schedule.kind !== 'string') return undefined;
  const words = isSection(payload) ? (payload.message ?? payload.text) : data.prompt;
  const zone = schedule.tz ?? schedule.timezone;
  const place = isSection(delivery) ? delivery : isSection(payload) ? payload : {};
  const address = isScalar(place.channel) && isScalar(place.to) ? `${place.channel}:${place.to}` : '';
  const parts = [
    `schedule: ${shownValue(foreignTime(schedule))}`,
    ...(typeof zone === 'string' ? [`timezone: ${zone}`] : []),
    `prompt: ${typeof words === 'string' ? shownValue(words) : '...'}`,
    ...(parseAddress(address) ? [`deliver: ${address}`] : []),
  ];
  return say('jobFiles.foreign', { instead: parts.join(' | ') });
}

function foreignTime({ kind, expr, everyMs, at, atMs }: Section): string {
  if (kind === 'cron' && typeof expr === 'string') return expr;
  if (kind === 'every' && typeof everyMs === 'number')
    return `every ${Math.max(1, Math.round(everyMs / 60_000))} minutes`;
  if (typeof at === 'string') return at;
  const time = typeof atMs === 'number' ? new Date(atMs) : undefined;
  return time && !Number.isNaN(time.getTime()) ? time.toISOString() : '0 9 * * *';
}
