/** Decides which artifacts are attached to an answer and which are only named with a Get button. */

import type { Attachment } from '../../channels/channel.ts';
import { labelOf, type Messages } from '../../messages/messages.ts';
import type { Home } from '../../workspace/home.ts';
import { type ArtifactMeta, isLink, openTask } from '../../workspace/tasks/index.ts';
import type { ArtifactRef } from '../../workspace/types.ts';
import type { ButtonAction } from '../contract/buttons.ts';

export type AttachMode = 'auto' | 'ask' | 'never';

export function toAttachment(home: Home, taskId: string, file: ArtifactMeta): Attachment {
  return {
    path: openTask(home, taskId).artifacts.pathOf(file),
    name: file.name,
    mimeType: file.type,
    size: file.size,
    sha256: file.sha256,
  };
}

export interface AttachmentSet {
  files: Attachment[];
  /** Files that the text names and a button sends. */
  onRequest: ArtifactMeta[];
  /** Files that no longer exist, most likely removed by hand. */
  gone: ArtifactMeta[];
}

/**
 * Attaches with `auto` the files that the platform accepts, at most `maxFiles`. The rest, and every file with `ask`,
 * gets a button.
 */
export async function attach(
  home: Home,
  taskId: string,
  refs: readonly ArtifactRef[],
  rules: { mode: AttachMode; maxBytes: number; maxFiles: number },
): Promise<AttachmentSet> {
  const wanted = new Set(refs.map((ref) => ref.id));
  const named = openTask(home, taskId)
    .artifacts.list()
    .filter((file) => wanted.has(file.id) && !isLink(file));
  const [metas, gone] = [
    named.filter((file) => openTask(home, taskId).artifacts.has(file)),
    named.filter((file) => !openTask(home, taskId).artifacts.has(file)),
  ];
  const fits = metas.filter((file) => rules.mode === 'auto' && file.size <= rules.maxBytes).slice(0, rules.maxFiles);
  const sent = new Set(fits);
  return {
    files: fits.map((file) => toAttachment(home, taskId, file)),
    onRequest: metas.filter((file) => !sent.has(file)),
    gone,
  };
}

/**
 * Returns a button that sends a file. With the task's ID it still means the same file after the conversation has moved
 * to another task.
 */
export const getButton = (file: ArtifactMeta, messages: Messages, taskId?: string): ButtonAction => ({
  label: labelOf(messages.text('tasks.get', { file: file.name })),
  command: 'get',
  args: taskId === undefined ? file.id : `${taskId} ${file.id}`,
});
