/**
 * `write_file` for a project: creates a file, or replaces one that was read. Keeps line endings, byte order mark and
 * mode.
 */
import { z } from 'zod';
import { UserError } from '../../../errors.ts';
import { putFile, useFile } from '../../../lib/files/below.ts';
import { inFolder } from '../../../lib/locks.ts';
import { defineTool } from '../../../runtime/contract/tool.ts';
import { writeFile as writeTaskFile } from '../../../runtime/tools/write-file.ts';
import { allCommands } from '../commands/consent.ts';
import { MAX_EDIT, pathInProject, readProjectFile, refuseChanged, sumOf } from '../files.ts';
import { textForm, toBytes, UNIX } from '../form.ts';
import { isOfTask, type ProjectRun } from './run.ts';

const input = z.object({ path: z.string(), content: z.string() });

export const writeFile = defineTool({
  name: 'write_file',
  replaces: true,
  describe:
    'Write a file of the project: a new one, or all of one that you have read. workspace/... is your own workspace.',
  input,
  effect: 'idempotent',
  doing: 'doing.writing',
  like: 'write',
  about: { argument: 'path', doing: 'doing.writingThis' },
  ownWords: true,
  isOutside: ({ path }, run: ProjectRun) => isOfTask(path) && writeTaskFile.isOutside?.({ path }, run) === true,
  kindOf: ({ path }, run) => (isOfTask(path) ? (writeTaskFile.kindOf?.({ path }, run) ?? '') : 'files of the project'),
  coveredBy: ({ path }, run) => (isOfTask(path) ? undefined : allCommands(run)),
  asks(given, run, phrasing) {
    const { messages, plain } = phrasing;
    if (isOfTask(given.path) && writeTaskFile.asks) return writeTaskFile.asks(given, run, phrasing);
    const text = messages.text('consent.saveProjectFile', { file: plain(given.path), name: plain(run.project().name) });
    return { text, yes: messages.text('consent.save') };
  },
  async execute({ path, content }, run, options) {
    if (isOfTask(path)) return writeTaskFile.execute({ path, content }, run, options);
    const project = run.project();
    const names = pathInProject(project, path);
    const label = names.join('/');
    if (names.length === 0) throw new UserError('The path names no file.');
    const work = async () => {
      const isThere = (await useFile(project.folder, names, () => true)) === true;
      const before = isThere ? await readProjectFile(project, names, MAX_EDIT) : undefined;
      if (before && run.seen.get(label) === undefined)
        throw new UserError(`${label} already exists: read it first, or use edit_file.`);
      if (before) refuseChanged(run.seen, label, before);
      const bytes = toBytes(content, before ? textForm(before, label) : UNIX);
      if (bytes.length > MAX_EDIT) throw new UserError(`At most ${MAX_EDIT} bytes are written at once.`);
      await putFile(project.folder, names, bytes, {
        mode: before?.mode ?? 0o644,
        folderMode: 0o755,
        isNew: !before,
        sync: 'bytes',
      });
      run.seen.note(label, sumOf(bytes));
      return { path: label, size: bytes.length, ...(before ? {} : { created: true }) };
    };
    return inFolder(project.folder, work, options.signal);
  },
});
