/** `edit_file`: exact replacements in one file of the project, applied together or not at all. */
import { z } from 'zod';
import { UserError } from '../../../errors.ts';
import { putFile } from '../../../lib/files/below.ts';
import { inFolder } from '../../../lib/locks.ts';
import { defineTool } from '../../../runtime/contract/tool.ts';
import { allCommands } from '../commands/consent.ts';
import { applyEdits } from '../edits.ts';
import { MAX_EDIT, pathInProject, readProjectFile, refuseChanged, sumOf } from '../files.ts';
import { textForm, toBytes } from '../form.ts';
import type { ProjectRun } from './run.ts';

const input = z.object({
  path: z.string(),
  edits: z
    .array(z.object({ old: z.string().min(1), new: z.string(), all: z.boolean().exactOptional() }))
    .min(1)
    .max(100),
});

export const editFile = defineTool({
  name: 'edit_file',
  describe:
    'Replace text in a file of the project. Each old must occur exactly once, unless all; all edits are made or none.',
  input,
  effect: 'idempotent',
  doing: 'doing.writing',
  like: 'write',
  about: { argument: 'path', doing: 'doing.writingThis' },
  ownWords: true,
  isOutside: () => false,
  kindOf: () => 'files of the project',
  coveredBy: (_given, run: ProjectRun) => allCommands(run),
  asks({ path }, run: ProjectRun, { messages, plain }) {
    const text = messages.text('consent.saveProjectFile', { file: plain(path), name: plain(run.project().name) });
    return { text, yes: messages.text('consent.save') };
  },
  async execute({ path, edits }, run, options) {
    const project = run.project();
    const names = pathInProject(project, path);
    const label = names.join('/');
    const work = async () => {
      const before = await readProjectFile(project, names, MAX_EDIT);
      refuseChanged(run.seen, label, before);
      const form = textForm(before, label);
      const { text, lines } = applyEdits(form.isWindows ? before.text.replaceAll('\r\n', '\n') : before.text, edits);
      const bytes = toBytes(text, form);
      if (bytes.length > MAX_EDIT) throw new UserError(`The file would be larger than ${MAX_EDIT} bytes.`);
      await putFile(project.folder, names, bytes, { mode: before.mode, sync: 'bytes' });
      run.seen.note(label, sumOf(bytes));
      return { path: label, changed: lines };
    };
    return inFolder(project.folder, work, options.signal);
  },
});
