/**
 * /export: sends the conversation as Markdown and as JSON. Nobody sees in one place what was said in another: a group
 * gets only what was said in groups, a person alone also what they said themselves, and an owner alone gets everything.
 */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Attachment } from '../../../channels/channel.ts';
import { sha256File } from '../../../lib/files.ts';
import { sentences } from '../../../messages/messages.ts';
import { openTask, sweepTranscripts, type TranscriptFile, writeTranscript } from '../../../workspace/tasks/index.ts';
import { mayHear } from '../../contract/hearing.ts';
import { type Command, isPrivate, TASK_ID } from '../command.ts';

const KEPT_MS = 3 * 86_400_000;
const VIBER = 'viber';

export const exportTask: Command = {
  name: 'export',
  help: { group: 'files', does: 'does.export' },
  description: 'This conversation, as files to keep',
  argument: { name: 'task', description: 'The id of another task', suggests: true, pattern: TASK_ID },
  action: 'steer',
  takesTask: 'any',
  async run(context) {
    const { gw, task, taskId, address, principal, isDirect, message, messages } = context;
    const session = task && openTask(gw.home, taskId, task.viber).session.file;
    if (!task || !session || !fs.existsSync(session)) return { text: messages.text('export.nothing') };
    const isAlone = isDirect || isPrivate(message);
    const folder = path.join(gw.home.cache, 'exports');
    sweepTranscripts(folder, KEPT_MS);
    const written = await writeTranscript({
      session,
      folder: path.join(folder, randomUUID()),
      name: exportName(task.title, taskId),
      title: task.title,
      viber: VIBER,
      maxBytes: context.gw.places.attachRules(address).maxBytes,
      mayTell: ({ isGroup = false, from }) => mayHear({ principal, isDirect: isAlone }, { isGroup, user: from.user }),
    });
    if (written.turns === 0) return { text: messages.text('export.nothing') };
    const { turns, hidden, cut } = written;
    const said = [
      messages.text('export.done', { title: task.title, n: turns }),
      ...(cut > 0 ? [messages.text('export.cut', { n: cut })] : []),
      ...(hidden > 0 ? [messages.text('export.hidden', { n: hidden })] : []),
      ...(isDirect ? [] : [messages.text(isPrivate(message) ? 'export.alone' : 'export.seen')]),
    ];
    return { text: sentences(...said), files: await Promise.all(written.files.map(toFile)) };
  },
};

function exportName(title: string, taskId: string): string {
  const words = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
  return `${[...words].slice(0, 40).join('') || 'conversation'}-${taskId}`;
}

async function toFile({ path: file, name, type }: TranscriptFile): Promise<Attachment> {
  return { path: file, name, mimeType: type, size: fs.statSync(file).size, sha256: await sha256File(file) };
}
