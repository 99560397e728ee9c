/**
 * The task in which a digest goes on: the job's own in the first conversation that was sent it, a copy in each other one, with the
 * digest and its files and nothing of what is said elsewhere. The same for the same conversation, however often it is asked for.
 */
import { readFile } from 'node:fs/promises';
import { type Address, conversationKey, type DigestMark } from '../../channels/channel.ts';
import { hashText } from '../../lib/files.ts';
import type { Messages } from '../../messages/messages.ts';
import type { Home } from '../../workspace/home.ts';
import { isLink, openTask, saveTask, taskIdFor } from '../../workspace/tasks/index.ts';
import type { ArtifactRef, SessionEntry, TaskRecord } from '../../workspace/types.ts';
import type { ButtonAction } from '../contract/buttons.ts';
import type { JobOrder } from '../contract/entry.ts';
import { summarise } from '../reply/summary.ts';
import { withAccount } from './asked-places.ts';

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

export interface DigestTasks {
  home: Home;
  /** A copy is cleared away with the tasks of old runs while nobody goes on with it. */
  noteCopy: (taskId: string) => Promise<void>;
}

/** Leads the conversation to the digest's task. */
export const continueDigest = (taskId: string, messages: Messages): ButtonAction[][] => [
  [{ label: messages.text('common.continue'), command: 'continue', args: taskId }],
];

/** The mark of a digest for one conversation; what it names is on the disk when it resolves. */
export async function markDigest(
  source: DigestSource,
  digest: Digest,
  address: Address,
  to: DigestTasks,
): Promise<DigestMark> {
  const { taskId, viber, job } = source;
  const place = conversationKey(address);
  const own = await openTask(to.home, taskId).update((record) =>
    record.digestAt === undefined && !digest.isPart
      ? { ...record, digestAt: place, conversations: [...new Set([...record.conversations, withAccount(address)])] }
      : record,
  );
  const kept = own.digestAt === place ? taskId : await copyFor(own, digest, address, to);
  const files = openTask(to.home, taskId)
    .artifacts.list()
    .filter(({ id }) => digest.refs.some((ref) => ref.id === id));
  return { taskId: kept, viber, name: job.name, files: files.map(({ name }) => name) };
}

async function copyFor(
  own: TaskRecord,
  { text, refs }: Digest,
  address: Address,
  { home, noteCopy }: DigestTasks,
): Promise<string> {
  const place = conversationKey(address);
  const id = taskIdFor(own.id.slice(0, 8), `${own.id} ${place}`);
  if (!openTask(home, id).record()) {
    await noteCopy(id);
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
