/** From the model's words to the answer: blocks taken out and carried out, suggestions asked about, secrets masked. */

import { type Principal, principalText } from '../../access/principal.ts';
import { cutText, plainLine } from '../../lib/text.ts';
import { scrub } from '../../log.ts';
import { lines, type Messages, words } from '../../messages/messages.ts';
import { createArtifact, findArtifact } from '../../workspace/artifacts.ts';
import type { Home } from '../../workspace/home.ts';
import { decisionOn } from '../../workspace/memory/record.ts';
import { parseSuggestion, takeSuggestion } from '../../workspace/memory/suggestions.ts';
import type { ArtifactRef, TaskRecord } from '../../workspace/types.ts';
import type { AgentOutcome } from '../agent/agent.ts';
import type { Made, RunOutcome } from '../contract/outcome.ts';
import type { ArtifactDelta } from '../contract/protocol.ts';
import { escaped, plainName } from '../conversations/places.ts';
import { extractLearning } from '../memory/learning.ts';
import { continueButton } from '../reply/failure.ts';
import { parseReply, summarise } from '../reply/reply.ts';
import { type Keeping, keep } from '../tools/keep.ts';
import type { RunServices } from './services.ts';

export interface FinalizedRun {
  task: TaskRecord;
  run: string;
  /** On whose word it ran; nothing of a guest's is remembered. */
  principal: Principal;
  messages: Messages;
}

/** Writes back what came of a run: files, suggestions, the words a person sees. */
export async function finalize(
  outcome: AgentOutcome,
  made: Made,
  { task, run, principal, messages }: FinalizedRun,
  { home, log, settings }: Pick<RunServices, 'home' | 'log' | 'settings'>,
): Promise<RunOutcome> {
  const { refs, pending } = made;
  const autoAccept = settings.memory.auto_accept && principal.role === 'owner' && !made.hasLogs;
  const keepsNothing = principal.role === 'guest';
  const reply = parseReply(outcome.text);
  for (const problem of reply.problems) log.warn({ trace: run, problem }, 'a block of the reply could not be used');
  refs.push(...(await writeDeltas(home, task.id, run, reply.artifactDeltas)));
  const keeping: Keeping = {
    ...{ home, viber: task.viber, taskId: task.id, runId: run, autoAcceptMemory: autoAccept },
    provenance: `${principalText(principal)} in task ${task.id}`,
  };
  for (const suggestion of keepsNothing ? [] : reply.memorySuggestions) {
    const waiting = await keep(keeping, parseSuggestion(suggestion));
    if (waiting) pending.push(waiting);
  }
  const learned = keepsNothing ? '' : extractLearning({ text: reply.visible });
  const pattern = learned === '' ? undefined : await keep(keeping, { section: 'Learned Patterns', text: learned });
  // What nobody asked to be kept is not offered again once it was rejected.
  if (pattern && decisionOn(home, task.viber, pattern.id)?.op === 'reject')
    await takeSuggestion(home, task.viber, pattern.id);
  else if (pattern) pending.push(pattern);
  const asks = [...new Map(pending.map((suggestion) => [suggestion.id, suggestion])).values()];
  // A hand edit wins; what the agent would have written is shown.
  const proposal =
    made.plan?.status === 'conflict' ? lines(messages.text('answers.planConflict'), '', words(made.plan.proposal)) : '';
  const sources = sourcesBelow(reply.visible, made.sources ?? [], messages);
  // A job that has nothing to say says one word.
  const isRoutine = /^\W*HEALTHY\W*$/.test(reply.visible);
  const said = isRoutine ? '' : saidBelow(made.said ?? [], messages);
  const text = scrub([reply.visible.trim(), said, sources, proposal].filter(Boolean).join('\n\n'));
  const unique = [...new Map(refs.map((ref) => [ref.id, ref])).values()];
  return {
    state: 'completed',
    text:
      text === '' && unique.length === 0
        ? messages.text(asks.length > 0 ? 'answers.somethingToRemember' : 'answers.done')
        : text,
    summary: summarise(text || unique.map((ref) => ref.title).join(', ')),
    artifactRefs: unique,
    usage: outcome.usage,
    buttons: isCutShort(outcome) ? [[continueButton(messages)]] : [],
    ...(asks.length > 0 ? { asks } : {}),
    ...(isTalk(outcome) ? { isTalk: true } : {}),
  };
}

const MAX_SAID = 8;
const SAID_LENGTH = 200;

/** Who was asked and what they said, each in a line. */
function saidBelow(said: NonNullable<Made['said']>, messages: Messages): string {
  const answered = said.flatMap(({ agent, text }) => (text === undefined ? [] : [{ agent, text }]));
  if (answered.length === 0) return '';
  const rows = answered.slice(0, MAX_SAID).map(({ agent, text }) => {
    const words = escaped(cutText(plainLine(summarise(text)), SAID_LENGTH));
    return `- **${escaped(plainName(agent))}**: ${words}`;
  });
  const more = answered.length - rows.length;
  if (more > 0) rows.push(`- ${messages.text('answers.moreSaid', { n: more })}`);
  return `${messages.text('answers.saidBy')}\n${rows.join('\n')}`;
}

const MAX_SOURCES = 5;

/** The pages that were found, below an answer that names none of them. */
function sourcesBelow(answer: string, sources: NonNullable<Made['sources']>, messages: Messages): string {
  const pages = [...new Map(sources.map((source) => [source.url, source])).values()];
  if (pages.length === 0 || answer.trim() === '' || pages.some(({ url }) => answer.includes(hostOf(url)))) return '';
  const links = pages.slice(0, MAX_SOURCES).map(({ title, url }) => {
    const host = hostOf(url);
    const link = `[${escaped(title)}](${url.replace(/[()\s]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)})`;
    return `- ${link}${title.includes(host) ? '' : ` (${host})`}`;
  });
  return `${messages.text('search.sources')}\n${links.join('\n')}`;
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, '') : url);

/** Writes the files that an answer announces; the same answer again changes nothing. */
export async function writeDeltas(
  home: Home,
  taskId: string,
  run: string,
  deltas: readonly ArtifactDelta[],
): Promise<ArtifactRef[]> {
  const refs: ArtifactRef[] = [];
  for (const [index, { id: wanted, title, type, content }] of deltas.entries()) {
    // A file that a person sent in is never replaced by an answer.
    const known = wanted === undefined ? undefined : await findArtifact(home, taskId, wanted);
    const id = wanted !== undefined && known?.origin !== 'user' ? wanted : `${run.slice(0, 8)}-${index + 1}`;
    refs.push(await createArtifact(home, taskId, { id, title, type, content: Buffer.from(content), origin: 'agent' }));
  }
  return refs;
}

/** At a limit of steps or of length: there is more to come if it is asked for. */
const isCutShort = ({ finish }: AgentOutcome): boolean => finish === 'max-steps' || finish === 'length';

/** The built-in model answers everything in one step but what it does with tools. */
const isTalk = ({ model, steps }: AgentOutcome): boolean => model.startsWith('offline/') && steps < 2;
