/**
 * Reads the text of all steps of a run as one answer. Blocks count in every step; text beside calls counts only if the
 * calls just left something beside the answer and the model had no more work to do. People don't get anything twice
 * that they received with a question. Pure.
 */
import type { ArtifactRef, SessionEntry } from '../../workspace/types.ts';
import { addStep, NOTHING_SAID } from '../agent/outcome.ts';
import type { AgentOutcome } from '../contract/agent.ts';
import { DELTA_LIMITS } from '../contract/protocol.ts';
import { leaveOut, TOO_MANY } from '../reply/blocks.ts';
import { type ParsedReply, parseReply } from '../reply/reply.ts';
import { updatePlan } from '../tools/update-plan.ts';

export interface WholeReply extends ParsedReply {
  /** The number of files that the run announced before these, so that each gets its own number. */
  firstDelta: number;
}

/** Everything that people received with the last question of a run. */
export interface Asked {
  /** The number of steps with calls until then. */
  steps: number;
  /** Files that they received, except those made or attached again since. */
  refs: ArtifactRef[];
}

const MAX_KEPT = 20;
const isStep = (entry: SessionEntry) => entry.type === 'step';

/**
 * @param asked the number of steps whose words and files people already have
 * @param isTold as in `parseReply`
 */
export function readWhole(
  { text, beside = [], finish }: AgentOutcome,
  asked = 0,
  isTold?: Parameters<typeof parseReply>[1],
): WholeReply {
  const alone = beside.length === 0 && asked === 0 ? parseReply(text, isTold) : undefined;
  // Nearly every answer is one text without a file.
  if (alone?.artifactDeltas.length === 0) return { ...alone, visible: alone.visible.trim(), firstDelta: 0 };
  const replies = [...beside.map((step) => step.text), text].map((each) => parseReply(each, isTold));
  const fresh = replies.slice(asked);
  const last = replies.at(-1)?.visible.trim() ?? '';
  const lastPlan = beside.findLastIndex(({ tools }) => tools.includes(updatePlan.name));
  const words = beside.flatMap(({ isAside }, at) => {
    const isLater = at >= asked && isAside && beside.slice(at).every((step) => step.isAside);
    const said = isLater ? (replies[at]?.visible.trim() ?? '') : '';
    return last.includes(said) ? [] : [said];
  });
  const isAgain = finish === 'parked' && fresh.length === 0;
  const deltas = fresh.flatMap((reply) => reply.artifactDeltas);
  const lost = {
    problems: fresh.flatMap((reply) => reply.problems),
    leftOut: fresh.reduce((sum, reply) => sum + reply.leftOut, 0),
  };
  for (const delta of deltas.slice(DELTA_LIMITS.count)) leaveOut(delta, TOO_MANY, lost);
  return {
    visible: [...words, isAgain ? '' : last].filter(Boolean).join('\n\n'),
    artifactDeltas: deltas.slice(0, DELTA_LIMITS.count),
    firstDelta: replies.slice(0, asked).flatMap((reply) => reply.artifactDeltas).length,
    // A plan that the tool applied is newer than a block before it.
    plans: replies.slice(lastPlan + 1).flatMap((reply) => reply.plans),
    elements: elementsOf(replies),
    decisions: replies.flatMap((reply) => reply.decisions).slice(0, MAX_KEPT),
    ...lost,
    unread: fresh.reduce((sum, reply) => sum + reply.unread, 0),
  };
}

function elementsOf(replies: readonly ParsedReply[]): ParsedReply['elements'] {
  const byName = Map.groupBy(
    replies.flatMap(({ elements }) => [...elements]),
    ([name]) => name,
  );
  return new Map([...byName].map(([name, found]) => [name, found.flatMap(([, texts]) => texts).slice(0, MAX_KEPT)]));
}

/** @param decided the question whose answer resumes the run */
export function askedIn(earlier: readonly SessionEntry[], decided?: string): Asked {
  if (earlier.length === 0) return { steps: 0, refs: [] };
  const known = new Set(earlier.flatMap((entry) => (entry.type === 'decision' ? [entry.approval] : [])));
  if (decided !== undefined) known.add(decided);
  const at = earlier.findLastIndex((entry) => entry.type === 'approval' && known.has(entry.id));
  const before = earlier.slice(0, at + 1);
  const since = new Set(earlier.slice(at + 1).flatMap(filesOf));
  return {
    steps: before.filter(isStep).reduce((said, step) => addStep(said, step.messages), NOTHING_SAID).beside.length,
    refs: before
      .flatMap((entry) => (entry.type === 'approval' ? (entry.artifactRefs ?? []) : []))
      .filter(({ id }) => !since.has(id)),
  };
}

const filesOf = (entry: SessionEntry): string[] =>
  entry.type === 'step' ? (entry.artifactRefs ?? []).map(({ id }) => id) : [];
