/** Lines of a session file: what counts as an entry, and what can be rescued of a damaged line. */
import { parseJson } from '../../lib/read-json.ts';
import { type Is, isNumber, isText, listOf, objectOf, optional, shape } from '../../lib/shape.ts';
import type { SessionEntry } from '../types.ts';

type Kind = SessionEntry['type'];

/** The fields each kind needs so that no reader stumbles over a damaged record. */
const RUN = { run: isText, at: isText };
const isRef = objectOf({ id: isText, title: isText, type: isText, ref: isText });
const FIELDS: Record<Kind, Is> = {
  session: objectOf({ taskId: isText, viber: isText }),
  message: objectOf({
    ...{
      ...RUN,
      id: isText,
      text: isText,
      files: listOf(isRef),
    },
    from: objectOf({ channel: isText, user: isText, name: isText }),
    spoken: optional(listOf(isText)),
  }),
  approval: objectOf({ ...RUN, id: isText, kind: isText, callId: isText, tool: isText, digest: isText }),
  decision: objectOf({ ...RUN, approval: isText, verdict: isText, by: isText }),
  call: objectOf({ ...RUN, callId: isText, tool: isText }),
  sent: objectOf({ ...RUN, callId: isText, tool: isText, digest: isText, characters: isNumber }),
  step: objectOf({ ...RUN, index: isNumber, messages: listOf(objectOf({})), shown: optional(listOf(isRef)) }),
  result: objectOf({ ...RUN, state: isText, text: isText, summary: isText, artifactRefs: listOf(objectOf({})) }),
  compaction: objectOf({ at: isText, text: isText, through: isText }),
};

const isEntry: Is = (value) =>
  objectOf({ type: (type) => typeof type === 'string' && Object.hasOwn(FIELDS, type) && FIELDS[type as Kind](value) })(
    value,
  );

/** The entry a line holds, undefined for anything else. */
export function parseEntry(line: string): SessionEntry | undefined {
  // A million lines of something else must not cost a million errors.
  if (!line.startsWith('{')) return undefined;
  return shape<SessionEntry>(isEntry).safeParse(parseJson(line)).data;
}

/**
 * Without what an owner of the lane has written after the next one began: a line with an epoch is void where a higher one stands before
 * it. Lines without one count always. The same array where nothing is void, which is nearly always so.
 */
export function withoutStale<T extends { entry: SessionEntry }>(lines: T[]): T[] {
  let newest = 0;
  const isStale = ({ entry: { epoch } }: T): boolean => {
    if (typeof epoch !== 'number' || epoch === newest) return false;
    if (epoch < newest) return true;
    newest = epoch;
    return false;
  };
  // Every message looks at the lines in memory: without one that is void it costs a comparison each.
  if (!lines.some(isStale)) return lines;
  newest = 0;
  return lines.filter((line) => !isStale(line));
}

const START = '{"type":"';
const MAX_TRIES = 64;

/**
 * The entries that stand whole within a damaged line. When the break between two records is damaged they look like one line:
 * the second begins at a `{"type":"`, and the first ends before it or one character earlier.
 */
export function salvage(line: string): SessionEntry[] {
  let at = line.indexOf(START, 1);
  for (let tries = 0; at !== -1 && tries < MAX_TRIES; tries++) {
    const first = parseEntry(line.slice(0, at - 1)) ?? parseEntry(line.slice(0, at));
    const second = parseEntry(line.slice(at));
    if (first || second) return [first, second].filter((entry) => entry !== undefined);
    at = line.indexOf(START, at + 1);
  }
  return [];
}
