/** Files that came with a message: fetched into the task's folder, within limits, and registered as artifacts. */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Principal } from '../../access/principal.ts';
import type { Channel, InboundMessage, RemoteFile } from '../../channels/channel.ts';
import type { QueueItem } from '../../engine/engine.ts';
import { errorCode, UserError } from '../../errors.ts';
import { ensureDir, hashText } from '../../lib/files.ts';
import { type ArtifactMeta, adoptArtifact } from '../../workspace/artifacts.ts';
import type { Home } from '../../workspace/home.ts';
import type { TaskRecord } from '../../workspace/types.ts';
import { dedupeId, type Entry } from '../contract/entry.ts';
import type { Owner } from '../contract/order.ts';

export interface Intake {
  task: TaskRecord;
  run: string;
  items: readonly QueueItem<Entry>[];
  /** On whose word it runs. */
  principal: Principal;
  /** Ends the fetching of files: a newer message does not, since what was said before it stays said. */
  intake: AbortSignal;
  owner?: Owner;
}

export interface FetchOptions {
  home: Home;
  taskId: string;
  limits: { downloadBytes: number; filesPerMessage: number };
  signal: AbortSignal;
  channelOf: (message: InboundMessage) => Channel | undefined;
}

/** A file of a message, in the task's folder. */
export interface FetchedFile {
  meta: ArtifactMeta;
  remote: RemoteFile;
  message: InboundMessage;
}

export interface FetchedFiles {
  files: FetchedFile[];
  /** One sentence for each file that could not be had; told to the model, which tells the person. */
  problems: string[];
}

export async function fetchFiles(messages: readonly InboundMessage[], options: FetchOptions): Promise<FetchedFiles> {
  const fetched: FetchedFiles = { files: [], problems: [] };
  const wanted = messages.flatMap((message) => message.files.map((file, at) => ({ message, file, at })));
  for (const { file } of wanted.slice(options.limits.filesPerMessage)) {
    fetched.problems.push(
      `The file ${shown(file)} was left out: at most ${options.limits.filesPerMessage} files a message.`,
    );
  }
  for (const { message, file, at } of wanted.slice(0, options.limits.filesPerMessage)) {
    try {
      fetched.files.push(await fetchOne(message, file, at, options));
    } catch (error) {
      if (options.signal.aborted || errorCode(error) === 'ENOSPC') throw error;
      const why = error instanceof UserError ? error.message : 'the platform did not hand it out';
      fetched.problems.push(`The file ${shown(file)} could not be fetched: ${why}`);
    }
  }
  return fetched;
}

async function fetchOne(
  message: InboundMessage,
  file: RemoteFile,
  at: number,
  options: FetchOptions,
): Promise<FetchedFile> {
  const channel = options.channelOf(message);
  if (!channel?.download) throw new UserError('this channel cannot fetch files');
  const { home, taskId, limits, signal } = options;
  await ensureDir(home.taskDir(taskId));
  const target = path.join(home.taskDir(taskId), `.incoming-${randomBytes(6).toString('hex')}`);
  const got = await channel.download(file, target, limits.downloadBytes, signal);
  const { name, remote = file } = got;
  const meta = await adoptArtifact(home, taskId, {
    // The same after a crash: what was fetched before it is not kept twice.
    id: `in-${hashText(`${dedupeId(message)} ${at}`).slice(0, 8)}`,
    path: got.path,
    sha256: got.sha256,
    title: name,
    type: got.mimeType,
    origin: 'user',
    name,
  });
  return { meta, remote, message };
}

const shown = (file: RemoteFile): string => JSON.stringify(file.name.slice(0, 80));
