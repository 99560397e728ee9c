/**
 * Job files as people write them by hand: what can mean one thing only is taken as that. Invariants: each line stays in its place, so
 * that problems name it; what could mean two things stays as it is, and is refused where it is read.
 */
import type { Data, ParsedYaml } from '../config/parse.ts';
import { readZone } from '../lib/timezone.ts';
import { isTimezone } from './zone.ts';

type Fields = ParsedYaml['data'];

const FENCE = /^(?:`{3,}|~{3,})\s*(?:ya?ml)?\s*$/i;
/** Around the whole, as instructions for agents have them around their fields. */
const DASHES = /^---\s*$/;
/** A value that begins with a mark YAML has for something else: `*\/5 * * * *`, `@daily`. */
const BARE_SCHEDULE = /^(\s*schedule\s*:\s+)([*@][^"'#]*?)(\s*(?:\s#.*)?)$/i;
/** Quotes as phones and word processors put them, around a whole value. */
const CURLY =
  /^(\s*[\w-]+\s*:\s+)[\u201c\u201d\u201e\u201f\u2018\u2019\u201a]([^"\\]*)[\u201c\u201d\u201f\u2018\u2019]\s*$/;
const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ...['yes', 'on', 'true', 'ja'].map((word) => [word, true] as const),
  ...['no', 'off', 'false', 'nein'].map((word) => [word, false] as const),
]);

/** The keys that other programs, and people, have for ours: named where they stand, as they may mean something else. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    schedule: 'cron time when every at rrule interval crontab',
    prompt: 'message task goal instruction instructions text body query content',
    deliver: 'channel channels notify to target chat delivery output recipient',
    timezone: 'tz zone time_zone',
    name: 'title',
    enabled: 'active',
    skills: 'skill',
    tools: 'tool',
  }).flatMap(([ours, theirs]) => theirs.split(' ').map((name) => [name, ours])),
);

/** Our key for what another program calls so. */
export const ourName = (key: string): string | undefined => OTHER_NAMES.get(key.toLowerCase());

/** The source as YAML can read it. */
export function sourceAsMeant(source: string): string {
  const lines = source.split('\n').map(lineAsMeant);
  const first = lines.findIndex((line) => line.trim() !== '');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  const isFramed = [FENCE, DASHES].some(
    (mark) => first < last && mark.test(lines[first] ?? '') && mark.test(lines[last] ?? ''),
  );
  return (isFramed ? lines.with(first, '').with(last, '') : lines).join('\n');
}

function lineAsMeant(line: string): string {
  return line
    .replace(CURLY, (_all, key: string, value: string) => `${key}"${value}"`)
    .replace(BARE_SCHEDULE, (_all, key: string, value: string, rest: string) => `${key}"${value}"${rest}`);
}

/** The data with our keys and values. One address may stand without a list; `agent: ID` means the same as `viber: ID`. */
export function dataAsMeant(given: Fields, known: readonly string[]): Fields {
  const data = Object.fromEntries(Object.entries(given).map(([key, value]) => [keyOf(key, given, known), value]));
  for (const key of ['enabled', 'catch_up']) if (Object.hasOwn(data, key)) data[key] = flagOf(data[key] ?? null);
  if (typeof data.timezone === 'string') data.timezone = zoneOf(data.timezone);
  if (typeof data.deliver === 'string' || typeof data.deliver === 'number') data.deliver = [String(data.deliver)];
  const { agent, ...others } = data;
  return typeof agent === 'string' && !Object.hasOwn(data, 'viber') ? { ...others, viber: agent } : data;
}

/** A key in capitals is ours, where ours is not there as well. */
function keyOf(key: string, given: Fields, known: readonly string[]): string {
  const own = known.find((each) => each.toLowerCase() === key.toLowerCase());
  return own === undefined || Object.hasOwn(given, own) ? key : own;
}

const flagOf = (value: Data): Data => (typeof value === 'string' ? (FLAGS.get(value.toLowerCase()) ?? value) : value);

/** `Berlin`, `utc+2`: a zone that is known by another name. */
function zoneOf(zone: string): string {
  if (isTimezone(zone)) return zone;
  const [, sign, hours = '', minutes = '00'] = /^(?:utc|gmt)\s*([+-])(\d{1,2})(?::(\d\d))?$/i.exec(zone.trim()) ?? [];
  const offset = sign === undefined ? undefined : `${sign}${hours.padStart(2, '0')}:${minutes}`;
  return (offset !== undefined && isTimezone(offset) ? offset : readZone(zone)) ?? zone;
}
