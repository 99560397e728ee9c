/** /artifacts and /get: list and send a task's files, whichever channel they were made on. */

import type { Attachment } from '../../../channels/channel.ts';
import { UserError } from '../../../errors.ts';
import { lines, type Messages, words } from '../../../messages/messages.ts';
import type { Home } from '../../../workspace/home.ts';
import { type ArtifactMeta, isLink, openTask } from '../../../workspace/tasks/index.ts';
import type { ButtonAction } from '../../contract/buttons.ts';
import { plainName } from '../../conversations/places.ts';
import { getButton, toAttachment } from '../../reply/attachments.ts';
import { linkTo } from '../../reply/links.ts';
import { existingArtifact } from '../../tools/attach-file.ts';
import { type Command, type CommandReply, type Invocation, TASK_ID } from '../command.ts';

const SHOWN = 20;
const MAX_FILES = 10;
const MAX_BUTTONS = 6;
/** A person's newest tasks are searched for a file. */
const SEARCHED = 20;

export function fileSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

export function attachable(home: Home, taskId: string, files: readonly ArtifactMeta[]) {
  const found = { files: [] as Attachment[], sent: [] as ArtifactMeta[], missing: [] as UserError[] };
  for (const file of files) {
    try {
      found.files.push(toAttachment(home, taskId, file));
      found.sent.push(file);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      found.missing.push(error);
    }
  }
  return found;
}

export const artifacts: Command = {
  name: 'artifacts',
  aliases: ['files'],
  help: { group: 'files', does: 'does.artifacts' },
  description: 'List the files of this task',
  argument: { name: 'task', description: 'The id of another task', suggests: true, pattern: TASK_ID },
  action: 'look',
  takesTask: 'any',
  async run({ gw, taskId, messages }) {
    const files = openTask(gw.home, taskId).artifacts.list().reverse();
    if (files.length === 0) return { text: messages.text('tasks.noFiles') };
    const listed = files
      .slice(0, SHOWN)
      .map((file) =>
        words(
          isLink(file) ? `- \`${file.id}\` ${linkTo(file)}` : `- \`${file.id}\` ${file.name} (${fileSize(file.size)})`,
        ),
      );
    if (files.length > SHOWN) listed.push(messages.text('tasks.moreFiles', { n: files.length - SHOWN }));
    return {
      text: lines(messages.text('tasks.theFiles'), ...listed),
      buttons: files
        .filter((file) => !isLink(file))
        .slice(0, MAX_BUTTONS)
        .map((file) => [getButton(file, messages, taskId)]),
    };
  },
};

export const get: Command = {
  name: 'get',
  help: { group: 'files', does: 'does.get' },
  description: 'Send a file of this task (/get NAME or all)',
  argument: { name: 'file', description: 'Its name or id, or all', suggests: true, pattern: '^\\S+( \\S+)?$' },
  action: 'look',
  takesTask: 'full',
  async run(context) {
    const { gw, taskId, messages } = context;
    const wanted = context.args.trim();
    const files = openTask(gw.home, taskId).artifacts.list();
    if (wanted.startsWith('workspace/')) return fromWorkspace(context, wanted);
    const named = wanted === '' ? undefined : openTask(gw.home, taskId).artifacts.find(wanted);
    if (named && isLink(named)) return { text: words(linkTo(named)) };
    const chosen = named ? [named] : wanted.toLowerCase() === 'all' ? files.slice(-MAX_FILES) : [];
    if (chosen.length > 0) {
      const { files: attached, missing } = attachable(gw.home, taskId, chosen);
      return { text: lines(...missing.map(({ said }) => messages.said(said))), files: attached };
    }
    if (wanted !== '' && wanted.toLowerCase() !== 'all') return offerElsewhere(context, wanted, files);
    if (files.length === 0) return { text: messages.text('tasks.noFiles') };
    return { text: messages.text('tasks.whichFile'), buttons: newestButtons(files, taskId, messages) };
  },
};

/** Guests can't use this. */
async function fromWorkspace(context: Invocation, wanted: string): Promise<CommandReply> {
  const { gw, viber, taskId, principal, messages } = context;
  const { home } = gw;
  const isKnown = principal.role !== 'guest' && context.task !== undefined;
  if (!isKnown) return { text: messages.text('tasks.noSuchFile', { file: plainName(wanted) }) };
  const scope = { home, viber: context.task?.viber ?? viber, taskId, runId: '' };
  const { id } = await existingArtifact(scope, wanted);
  const file = openTask(home, taskId)
    .artifacts.list()
    .filter((each) => each.id === id);
  return { text: words(''), files: attachable(home, taskId, file).files };
}

const newestButtons = (files: readonly ArtifactMeta[], taskId: string, messages: Messages): ButtonAction[][] =>
  files
    .slice(-MAX_BUTTONS)
    .map((file) => [getButton(file, messages, taskId)])
    .reverse();

/** Searches the person's other tasks. */
async function offerElsewhere(
  { gw, taskId, tasks, messages }: Invocation,
  wanted: string,
  here: readonly ArtifactMeta[],
): Promise<CommandReply> {
  const others = (await tasks(SEARCHED)).found.filter((task) => task.id !== taskId);
  const found = await Promise.all(
    others.map(async (task) => ({ task, file: openTask(gw.home, task).artifacts.find(wanted) })),
  );
  const hits = found.flatMap(({ task, file }) => (file ? [{ task, file }] : [])).slice(0, MAX_BUTTONS);
  if (hits.length > 0) {
    const listed = hits.map(({ task, file }) =>
      messages.text('tasks.fileIn', { file: file.name, title: task.title, id: task.id }),
    );
    return {
      text: lines(messages.text('tasks.fileElsewhere', { file: plainName(wanted) }), '', ...listed),
      buttons: hits.map(({ task, file }) => [getButton(file, messages, task.id)]),
    };
  }
  return {
    text: messages.text('tasks.noSuchFile', { file: plainName(wanted) }),
    buttons: newestButtons(here, taskId, messages),
  };
}
