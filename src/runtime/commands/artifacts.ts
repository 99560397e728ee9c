/** /artifacts and /get: what a task has made, and the files themselves. */
import { type ArtifactMeta, findArtifact, listArtifacts } from '../../workspace/artifacts.ts';
import { toAttachment } from '../reply/attachments.ts';
import type { ButtonAction } from '../reply/buttons.ts';
import type { Command } from './command.ts';

const SHOWN = 20;

export function fileSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

export const getButton = (file: ArtifactMeta): ButtonAction => ({
  label: `Get ${file.name}`.slice(0, 40),
  command: 'get',
  args: file.id,
});

export const artifacts: Command = {
  name: 'artifacts',
  description: 'List the files of this task',
  action: 'look',
  async run({ home, taskId }) {
    const files = (await listArtifacts(home, taskId)).reverse();
    if (files.length === 0) return { text: 'This task has no files yet.' };
    const lines = files.slice(0, SHOWN).map((file) => `- \`${file.id}\` ${file.name} (${fileSize(file.size)})`);
    if (files.length > SHOWN) lines.push(`- and ${files.length - SHOWN} older ones`);
    return { text: lines.join('\n'), buttons: files.slice(0, 6).map((file) => [getButton(file)]) };
  },
};

export const get: Command = {
  name: 'get',
  description: 'Send a file of this task (/get NAME or all)',
  action: 'look',
  async run({ home, taskId, args }) {
    const wanted = args.trim();
    const files = await listArtifacts(home, taskId);
    if (files.length === 0) return { text: 'This task has no files yet.' };
    const chosen =
      wanted === 'all'
        ? files.slice(-10)
        : [await findArtifact(home, taskId, wanted)].filter((file) => file !== undefined);
    if (wanted === '' || chosen.length === 0) {
      const which = wanted === '' ? 'Which one?' : `There is no file \`${wanted.slice(0, 60)}\` in this task.`;
      return {
        text: `${which} /artifacts lists them.`,
        buttons: files
          .slice(-6)
          .reverse()
          .map((file) => [getButton(file)]),
      };
    }
    return { text: '', files: chosen.map((file) => toAttachment(home, taskId, file)) };
  },
};
