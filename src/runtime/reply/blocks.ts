/**
 * Reads fenced blocks of an answer that announce files or contain a plan. People never see a block that is meant as one
 * of these, even if it can't be parsed; any other JSON is for them to read.
 */
import { isRecord, parseJson } from '../../lib/json.ts';
import { parsePlan } from '../../workspace/tasks/index.ts';
import type { Plan } from '../../workspace/types.ts';
import { type ArtifactDelta, artifactDeltaSchema, DELTA_LIMITS, planSchema } from '../contract/protocol.ts';
import { usualPlan } from './plan-forms.ts';

export interface Blocks {
  artifactDeltas: ArtifactDelta[];
  plans: (string | Plan)[];
  /** One sentence for each block that was not used exactly as written. */
  problems: string[];
  /** The number of blocks that were removed but couldn't be used. */
  unread: number;
  /** The number of files beyond the limits of one answer. */
  leftOut: number;
}

type Values = Readonly<Record<string, unknown>>;

/** `json`: the content decides what it is. */
export type BlockKind = 'deltas' | 'plan' | 'json';

const JSON_NAMES = new Set(['json', 'jsonc', 'tool_call', 'tool_code']);
const PLAN_NAMES = new Set(['plan', 'update_plan', 'task_plan']);

/** Returns a block's kind by the text after its opening fence; undefined if the block isn't one of ours. */
export function blockKind(info: string): BlockKind | undefined {
  const words = info.toLowerCase().split(/[\s,{}:=]+/);
  if (words.some((word) => word.split('.').includes('artifact_deltas'))) return 'deltas';
  if (words.some((word) => PLAN_NAMES.has(word) || word === 'task.md')) return 'plan';
  return info.trim() === '' || JSON_NAMES.has(words[0] ?? '') ? 'json' : undefined;
}

/** Reads a block. Returns whether it is one of ours and must be removed from what people see. */
export function readBlock(kind: BlockKind, body: string, blocks: Blocks): boolean {
  if (kind === 'plan') return readPlan(body, blocks);
  const value = parseJson(body) ?? (kind === 'deltas' ? parseJson(body.slice(0, jsonLength(body))) : undefined);
  if (kind === 'deltas') return readDeltas(value, body, blocks);
  if (!isRecord(value)) return false;
  if ('artifact_deltas' in value) return readDeltas(value, body, blocks);
  const given = 'update_plan' in value ? value.update_plan : writtenCall(value);
  return given !== undefined && readPlan(typeof given === 'string' ? given : JSON.stringify(given), blocks);
}

/**
 * Returns the argument for `update_plan` if a model writes a call of it as text: `{"name": "update_plan", "arguments":
 * {...}}`.
 */
function writtenCall({ name, tool, function: called, arguments: given, parameters, input, args }: Values): unknown {
  const call = isRecord(called) ? called : { name: name ?? tool ?? called, arguments: given };
  return call.name === 'update_plan' ? (call.arguments ?? parameters ?? input ?? args) : undefined;
}

function readPlan(body: string, { plans }: Blocks): boolean {
  const parsed = planSchema.safeParse((usualPlan(parseJson(body)) as { plan: unknown }).plan);
  if (parsed.success && parsed.data.steps.length > 0) plans.push(parsed.data);
  else if (parsePlan(body).steps.length > 0) plans.push(body);
  else return false;
  return true;
}

/** Reads a list of entries, one entry, or either in an object named after the block. */
function readDeltas(value: unknown, body: string, blocks: Blocks): true {
  const inner = isRecord(value) && 'artifact_deltas' in value ? value.artifact_deltas : value;
  if (inner === undefined) return unread(blocks, body.trim() === '' ? 'is empty' : 'is not JSON');
  for (const entry of Array.isArray(inner) ? inner : [inner]) {
    const parsed = artifactDeltaSchema.safeParse(entry);
    if (parsed.success) take(parsed.data, blocks);
    else {
      const issue = parsed.error.issues[0];
      unread(blocks, `is wrong at ${issue?.path.join('.') || 'its top'}: ${issue?.message}`);
    }
  }
  return true;
}

function unread(blocks: Blocks, why: string): true {
  blocks.unread++;
  blocks.problems.push(`an artifact_deltas block ${why}`);
  return true;
}

function take(delta: ArtifactDelta, blocks: Blocks): void {
  if (blocks.artifactDeltas.length >= DELTA_LIMITS.count) leaveOut(delta, TOO_MANY, blocks);
  else if (Buffer.byteLength(delta.content ?? '') > DELTA_LIMITS.bytes)
    leaveOut(delta, 'an artifact in an answer may have 1 MB', blocks);
  else blocks.artifactDeltas.push(delta);
}

export const TOO_MANY = `at most ${DELTA_LIMITS.count} artifacts in one answer`;

export function leaveOut({ title }: ArtifactDelta, why: string, blocks: { problems: string[]; leftOut: number }): void {
  blocks.leftOut++;
  blocks.problems.push(`"${title}" was left out: ${why}`);
}

/**
 * Returns the length of the list or object at the beginning of a text: all of the text if it isn't closed, 0 if there
 * is none. Linear.
 */
export function jsonLength(text: string): number {
  if (!/^\s*[[{]/.test(text)) return 0;
  let depth = 0;
  for (let at = 0, isQuoted = false; at < text.length; at++) {
    const sign = text[at];
    if (isQuoted && sign === '\\') at++;
    else if (sign === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (sign === '[' || sign === '{')) depth++;
    else if (!isQuoted && (sign === ']' || sign === '}') && --depth === 0) return at + 1;
  }
  return text.length;
}
