/** Files that came with a message: fetched into the task's folder, within limits, and registered as artifacts. */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Channel, InboundMessage, RemoteFile } from '../../channels/channel.ts';
import { errorCode, UserError } from '../../errors.ts';
import { ensureDir } from '../../lib/files.ts';
import { type ArtifactMeta, adoptArtifact } from '../../workspace/artifacts.ts';
import type { Home } from '../../workspace/home.ts';

export interface FetchOptions {
  home: Home;
  taskId: string;
  limits: { downloadBytes: number; filesPerMessage: number };
  signal: AbortSignal;
  channelOf: (message: InboundMessage) => Channel | undefined;
}

export interface FetchedFiles {
  files: ArtifactMeta[];
  /** One sentence for each file that could not be had; told to the model, which tells the person. */
  problems: string[];
}

export async function fetchFiles(messages: readonly InboundMessage[], options: FetchOptions): Promise<FetchedFiles> {
  const fetched: FetchedFiles = { files: [], problems: [] };
  const wanted = messages.flatMap((message) => message.files.map((file) => ({ message, file })));
  for (const { file } of wanted.slice(options.limits.filesPerMessage)) {
    fetched.problems.push(
      `The file ${shown(file)} was left out: at most ${options.limits.filesPerMessage} files a message.`,
    );
  }
  for (const { message, file } of wanted.slice(0, options.limits.filesPerMessage)) {
    try {
      fetched.files.push(await fetchOne(message, file, options));
    } catch (error) {
      if (options.signal.aborted || errorCode(error) === 'ENOSPC') throw error;
      const why = error instanceof UserError ? error.message : 'the platform did not hand it out';
      fetched.problems.push(`The file ${shown(file)} could not be fetched: ${why}`);
    }
  }
  return fetched;
}

async function fetchOne(message: InboundMessage, file: RemoteFile, options: FetchOptions): Promise<ArtifactMeta> {
  const channel = options.channelOf(message);
  if (!channel?.download) throw new UserError('this channel cannot fetch files');
  const { home, taskId, limits, signal } = options;
  await ensureDir(home.taskDir(taskId));
  const target = path.join(home.taskDir(taskId), `.incoming-${randomBytes(6).toString('hex')}`);
  const got = await channel.download(file, target, limits.downloadBytes, signal);
  return adoptArtifact(home, taskId, {
    path: got.path,
    title: file.name,
    type: got.mimeType,
    origin: 'user',
    name: file.name,
  });
}

const shown = (file: RemoteFile): string => JSON.stringify(file.name.slice(0, 80));
