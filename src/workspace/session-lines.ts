/** Lines of a session file: what counts as an entry, and what can be rescued of a damaged line. */
import type { SessionEntry } from './types.ts';

type Kind = SessionEntry['type'];

/** The fields each kind needs so that no reader stumbles over a damaged record. */
const FIELDS: Record<Kind, Record<string, 'string' | 'number' | 'list' | 'object'>> = {
  session: { taskId: 'string', viber: 'string' },
  message: { id: 'string', run: 'string', at: 'string', text: 'string', from: 'object', files: 'list' },
  approval: {
    id: 'string',
    run: 'string',
    at: 'string',
    kind: 'string',
    callId: 'string',
    tool: 'string',
    digest: 'string',
  },
  decision: { run: 'string', at: 'string', approval: 'string', verdict: 'string', by: 'string' },
  call: { run: 'string', at: 'string', callId: 'string', tool: 'string' },
  sent: { run: 'string', at: 'string', callId: 'string', tool: 'string', digest: 'string', characters: 'number' },
  step: { run: 'string', at: 'string', index: 'number', messages: 'list' },
  result: { run: 'string', at: 'string', state: 'string', text: 'string', summary: 'string', artifactRefs: 'list' },
  compaction: { at: 'string', text: 'string', through: 'string' },
};

function isKind(value: unknown): value is Kind {
  return typeof value === 'string' && Object.hasOwn(FIELDS, value);
}

function isEntry(value: unknown): value is SessionEntry {
  if (typeof value !== 'object' || value === null || !('type' in value) || !isKind(value.type)) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  return Object.entries(FIELDS[value.type]).every(([name, kind]) => {
    const field = fields.get(name);
    if (kind === 'list') return Array.isArray(field);
    if (kind === 'object') return typeof field === 'object' && field !== null;
    return typeof field === kind;
  });
}

/** The entry a line holds, undefined for anything else. */
export function parseEntry(line: string): SessionEntry | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isEntry(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
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
