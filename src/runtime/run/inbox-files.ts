/**
 * Fetches files of a message, or of what it quotes, into the task's folder, within limits, and registers them as
 * artifacts. Files that the task already has aren't fetched again.
 */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { Principal } from '../../access/principal.ts';
import type { Channel, InboundMessage, QuotedText, RemoteFile } from '../../channels/channel.ts';
import type { QueueItem } from '../../engine/engine.ts';
import { errorCode, UserError } from '../../errors.ts';
import { ensureDir, hashText } from '../../lib/files.ts';
import type { Home } from '../../workspace/home.ts';
import { type ArtifactMeta, openTask } from '../../workspace/tasks/index.ts';
import type { TaskRecord } from '../../workspace/types.ts';
import { dedupeId, type Entry } from '../contract/entry.ts';
import type { Owner } from '../contract/order.ts';

export interface Intake {
  task: TaskRecord;
  run: string;
  items: readonly QueueItem<Entry>[];
  /** The person for whom it runs. */
  principal: Principal;
  /** Aborts the fetching of files. A newer message doesn't, since earlier words stay part of the session. */
  intake: AbortSignal;
  owner?: Owner;
}

export interface FetchOptions {
  home: Home;
  taskId: string;
  /** The people for whom they are fetched, as tasks list them. */
  people: readonly string[];
  limits: { downloadBytes: number; filesPerMessage: number };
  signal: AbortSignal;
  channelOf: (message: InboundMessage) => Channel | undefined;
}

export interface FetchedFile {
  meta: ArtifactMeta;
  remote: RemoteFile;
  message: InboundMessage;
  /** Absent for the sender's own files. */
  quote?: QuotedText;
}

interface WantedFile extends Pick<FetchedFile, 'message' | 'quote'> {
  file: RemoteFile;
  /** The file's position in the message. */
  at: string;
}

export interface FetchedFiles {
  files: FetchedFile[];
  /** One sentence for each file that couldn't be fetched; the model gets it and tells the person. */
  problems: string[];
}

export async function fetchFiles(messages: readonly InboundMessage[], options: FetchOptions): Promise<FetchedFiles> {
  const fetched: FetchedFiles = { files: [], problems: [] };
  const wanted = wantedIn(messages);
  for (const { file } of wanted.slice(options.limits.filesPerMessage)) {
    fetched.problems.push(
      `The file ${quoteName(file)} was left out: at most ${options.limits.filesPerMessage} files a message.`,
    );
  }
  for (const one of wanted.slice(0, options.limits.filesPerMessage)) {
    const { file } = one;
    try {
      fetched.files.push(await fetchOne(one, options));
    } catch (error) {
      if (options.signal.aborted || errorCode(error) === 'ENOSPC') throw error;
      const why = error instanceof UserError ? error.message : 'the platform did not provide it';
      fetched.problems.push(`The file ${quoteName(file)} could not be fetched: ${why}`);
    }
  }
  return fetched;
}

/**
 * Returns the files to fetch, each once: the senders' own first, then those they refer to, then those of a thread. The
 * parts of an album that answers a message all quote the same files.
 */
function wantedIn(messages: readonly InboundMessage[]): WantedFile[] {
  const own = messages.flatMap((message) => message.files.map((file, at) => ({ message, file, at: String(at) })));
  const quoted: WantedFile[] = messages.flatMap((message) =>
    message.quotes.flatMap((quote, of) =>
      (quote.files ?? [])
        // The conversation already has the text of our own voice messages.
        .filter(({ kind }) => !(quote.fromSelf && kind === 'voice'))
        .map((file, at) => ({ message, quote, file, at: `q${of}.${at}` })),
    ),
  );
  const seen = new Set<string>();
  const isMeant = ({ quote }: WantedFile) => quote?.kind !== 'thread';
  const around = quoted.filter((one) => !isMeant(one));
  return [...own, ...quoted.filter(isMeant), ...around].filter(({ message, file: { key } }) => {
    if (key === undefined) return true;
    const whole = remoteFileKey(message, key);
    return !seen.has(whole) && seen.add(whole);
  });
}

const remoteFileKey = ({ address: { channel, account } }: InboundMessage, key: string): string =>
  JSON.stringify([channel, account, key]);

async function fetchOne({ message, quote, file, at }: WantedFile, options: FetchOptions): Promise<FetchedFile> {
  const channel = options.channelOf(message);
  if (!channel?.download) throw new UserError('this channel cannot fetch files');
  const { home, taskId, people, limits, signal } = options;
  // The ID is the same after a crash, so that no file is stored twice.
  let id = `in-${hashText(`${dedupeId(message)} ${at}`).slice(0, 8)}`;
  const whose = quote ? { quote } : {};
  const known = openTask(home, taskId).artifacts.list();
  if (file.key !== undefined) {
    const lasting = `in-${hashText(remoteFileKey(message, file.key)).slice(0, 12)}`;
    const old = known.find((meta) => meta.id === lasting);
    if (old?.origin === 'user' && openTask(home, taskId).artifacts.has(old))
      return { meta: old, remote: file, message, ...whose };
    // A file that a run has overwritten keeps that content.
    if (old?.origin !== 'agent') id = lasting;
  }
  const room = await openTask(home, taskId).artifacts.room(people, file.size);
  await ensureDir(openTask(home, taskId).folder);
  const target = openTask(home, taskId).fileAt(`.incoming-${randomBytes(6).toString('hex')}`);
  const got = await channel.download(file, target, Math.min(limits.downloadBytes, room), signal);
  const { name, remote = file } = got;
  const same = quote && known.find((meta) => meta.sha256 === got.sha256 && openTask(home, taskId).artifacts.has(meta));
  if (same) {
    await rm(got.path, { force: true });
    return { meta: same, remote, message, ...whose };
  }
  const meta = await openTask(home, taskId).artifacts.adopt({
    id,
    path: got.path,
    sha256: got.sha256,
    title: name,
    type: got.mimeType,
    origin: 'user',
    name,
  });
  return { meta, remote, message, ...whose };
}

const quoteName = (file: RemoteFile): string => JSON.stringify(file.name.slice(0, 80));
