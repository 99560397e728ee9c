/**
 * Determines the task in which a digest continues: in the first conversation that received it, the job's own; in each
 * further one, a copy with the digest and its files but nothing from other conversations. The same conversation always
 * gets the same task.
 */
import { readFile } from 'node:fs/promises';
import { type Address, conversationKey, type DigestMark, type OutboundMessage } from '../../channels/channel.ts';
import { isDirectAddress } from '../../channels/index.ts';
import { hashText } from '../../lib/files.ts';
import type { Messages } from '../../messages/messages.ts';
import type { ButtonAction } from '../../runtime/contract/buttons.ts';
import type { JobOrder } from '../../runtime/contract/entry.ts';
import { withAccount } from '../../runtime/conversations/asked-places.ts';
import { summarise } from '../../runtime/reply/render-answer.ts';
import type { Home } from '../../workspace/home.ts';
import { isLink, openTask, saveTask, taskIdFor } from '../../workspace/tasks/index.ts';
import type { ArtifactRef, SessionEntry, TaskRecord } from '../../workspace/types.ts';
import type { Gateway } from '../gateway.ts';
import { noteJobRun } from './past-runs.ts';

/** A job's run with a message to send. */
export interface DigestSource {
  taskId: string;
  viber: string;
  job: JobOrder;
}

export interface Digest {
  text: string;
  refs: readonly ArtifactRef[];
  /** Always continue in a copy: the run produced more than this message shows. */
  isPart?: boolean;
}

/** Returns a button that continues the conversation in the digest's task. */
export const continueDigest = (taskId: string, messages: Messages): ButtonAction[][] => [
  [{ label: messages.text('common.continue'), command: 'continue', args: taskId }],
];

/** Returns the digest mark and buttons for a message that a job sends during its run. */
export async function digestFor(
  source: DigestSource,
  address: Address,
  digest: Digest,
  gw: Gateway,
): Promise<Pick<OutboundMessage, 'digest' | 'buttons'>> {
  // A message to a group doesn't include everything from a run.
  const mark = await markDigest(source, { ...digest, isPart: !isDirectAddress(address) }, address, gw);
  const rows = continueDigest(mark.taskId, gw.say(address));
  return { digest: mark, buttons: await gw.consent.buttons.offer(address, rows) };
}

/** Returns the mark of a digest for one conversation; the task that it names is on disk when this resolves. */
export async function markDigest(
  source: DigestSource,
  digest: Digest,
  address: Address,
  gw: Gateway,
): Promise<DigestMark> {
  const { taskId, viber, job } = source;
  const place = conversationKey(address);
  const own = await openTask(gw.home, taskId).update((record) =>
    record.digestAt === undefined && !digest.isPart
      ? { ...record, digestAt: place, conversations: [...new Set([...record.conversations, withAccount(address)])] }
      : record,
  );
  const kept = own.digestAt === place ? taskId : await copyFor(own, digest, address, gw);
  const files = openTask(gw.home, taskId)
    .artifacts.list()
    .filter(({ id }) => digest.refs.some((ref) => ref.id === id));
  return { taskId: kept, viber, name: job.name, files: files.map(({ name }) => name) };
}

async function copyFor(
  own: TaskRecord,
  { text, refs }: Digest,
  address: Address,
  { home, engine }: Gateway,
): Promise<string> {
  const place = conversationKey(address);
  const id = taskIdFor(own.id.slice(0, 8), `${own.id} ${place}`);
  if (!openTask(home, id).record()) {
    // A copy is removed with the tasks of old runs unless somebody continues it.
    await engine.lock('job-runs', () => noteJobRun(home, id, new Date()));
    const { viber, goal, title, job } = own;
    const at = new Date().toISOString();
    const conversations = [withAccount(address)];
    await saveTask(home, {
      id,
      viber,
      goal,
      title,
      state: 'completed',
      runs: 1,
      people: [],
      conversations,
      digestAt: place,
      ...(job === undefined ? {} : { job }),
      createdAt: at,
      updatedAt: at,
    });
  }
  const files = await copyFiles(home, own.id, id, refs);
  const run = hashText(`${place} ${text}`).slice(0, 12);
  if (openTask(home, id, own.viber).session.run(run).length === 0)
    await openTask(home, id, own.viber).session.append(digestEntries(own, { text, files, run }), { sync: true });
  return id;
}

async function copyFiles(home: Home, from: string, to: string, refs: readonly ArtifactRef[]): Promise<ArtifactRef[]> {
  const copied: ArtifactRef[] = [];
  for (const meta of openTask(home, from).artifacts.list()) {
    if (!refs.some(({ id }) => id === meta.id)) continue;
    if (isLink(meta)) copied.push(await openTask(home, to).artifacts.link(meta));
    // A file that was removed in the meantime can't be copied.
    if (!openTask(home, from).artifacts.has(meta)) continue;
    const content = await readFile(openTask(home, from).artifacts.pathOf(meta));
    copied.push(await openTask(home, to).artifacts.create({ ...meta, content }));
  }
  return copied;
}

/** Returns session entries as if the run had been in the copy: the job's prompt and its answer. */
function digestEntries(
  own: TaskRecord,
  { text, files, run }: { text: string; files: ArtifactRef[]; run: string },
): SessionEntry[] {
  const at = new Date().toISOString();
  const from = { channel: 'job', user: `job:${own.job ?? ''}`, name: own.title };
  return [
    { type: 'message', id: `digest-${run}`, run, at, text: own.goal, from, isJob: true, files: [] },
    { type: 'result', run, at, state: 'completed', text, summary: summarise(text), artifactRefs: files },
  ];
}
