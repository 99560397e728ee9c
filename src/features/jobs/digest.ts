/**
 * The task in which a digest goes on: the job's own in the first conversation that was sent it, a copy in each other one, with the
 * digest and its files and nothing of what is said elsewhere. The same for the same conversation, however often it is asked for.
 */
import { readFile } from 'node:fs/promises';
import { type Address, conversationKey, type DigestMark, type OutboundMessage } from '../../channels/channel.ts';
import { isDirectAddress } from '../../channels/index.ts';
import { noteJobRun } from '../../jobs/past-runs.ts';
import { hashText } from '../../lib/files.ts';
import type { Messages } from '../../messages/messages.ts';
import type { ButtonAction } from '../../runtime/contract/buttons.ts';
import type { JobOrder } from '../../runtime/contract/entry.ts';
import { withAccount } from '../../runtime/conversations/asked-places.ts';
import { summarise } from '../../runtime/reply/summary.ts';
import type { Home } from '../../workspace/home.ts';
import { isLink, openTask, saveTask, taskIdFor } from '../../workspace/tasks/index.ts';
import type { ArtifactRef, SessionEntry, TaskRecord } from '../../workspace/types.ts';
import type { Gateway } from '../gateway.ts';

/** The run of a job, of which something is said somewhere. */
export interface DigestSource {
  taskId: string;
  viber: string;
  job: Pick<JobOrder, 'id' | 'name'>;
}

export interface Digest {
  text: string;
  refs: readonly ArtifactRef[];
  /** It goes on in a copy in any case: more was made than what is said here. */
  isPart?: boolean;
}

/** Leads the conversation to the digest's task. */
export const continueDigest = (taskId: string, messages: Messages): ButtonAction[][] => [
  [{ label: messages.text('common.continue'), command: 'continue', args: taskId }],
];

/** What a message that a job sends in its run goes along with. */
export async function digestFor(
  source: DigestSource,
  address: Address,
  digest: Digest,
  gw: Gateway,
): Promise<Pick<OutboundMessage, 'digest' | 'buttons'>> {
  // What a group is told of a run is not all of it.
  const mark = await markDigest(source, { ...digest, isPart: !isDirectAddress(address) }, address, gw);
  const rows = continueDigest(mark.taskId, gw.say(address));
  return { digest: mark, buttons: await gw.consent.buttons.offer(address, rows) };
}

/** The mark of a digest for one conversation; what it names is on the disk when it resolves. */
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
    // A copy is cleared away with the tasks of old runs while nobody goes on with it.
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
    await openTask(home, id, own.viber).session.append(wordsOf(own, { text, files, run }), { sync: true });
  return id;
}

async function copyFiles(home: Home, from: string, to: string, refs: readonly ArtifactRef[]): Promise<ArtifactRef[]> {
  const copied: ArtifactRef[] = [];
  for (const meta of openTask(home, from).artifacts.list()) {
    if (!refs.some(({ id }) => id === meta.id)) continue;
    if (isLink(meta)) copied.push(await openTask(home, to).artifacts.link(meta));
    // One that was taken away meanwhile cannot come along.
    if (!openTask(home, from).artifacts.has(meta)) continue;
    const content = await readFile(openTask(home, from).artifacts.pathOf(meta));
    copied.push(await openTask(home, to).artifacts.create({ ...meta, content }));
  }
  return copied;
}

/** As if it had been made there: what the job was told, and what it said. */
function wordsOf(
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
