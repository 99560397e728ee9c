/**
 * `shell`: runs one command, only in the sandbox. A person sees each command unchanged, and consents to it word for
 * word. After a crash its effects are unknown, so an interrupted call is reported, never repeated.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { UserError } from '../../../errors.ts';
import { lines, type Messages, sentences, type Text, words } from '../../../messages/messages.ts';
import { defineTool } from '../../../runtime/contract/tool.ts';
import type { ToolScope } from '../../../runtime/contract/tool-scope.ts';
import { fenced, spellInvisible } from '../../../runtime/reply/show.ts';
import { givenText, notKept, scriptResultForModel } from './script.ts';
import { expanded, inWorkFolder, type WorkFolder, workFolder } from './work-folder.ts';
import { keepWritten, snapshotOf } from './written-files.ts';

export const SHELL = 'shell';

export interface ShellDeps {
  description: string;
  folder: string | undefined;
  granted: Readonly<Record<string, string>>;
  timeoutMs: number;
  network: boolean;
}

const MAX_COMMAND = 20_000;
const MAX_SECONDS = 600;
/** A longer command is shown in the details or as a file. */
const MAX_INLINE = 900;
const MAX_LEFT = 10;

const input = z.object({
  command: z.string().trim().min(1).max(MAX_COMMAND),
  seconds: z.number().min(1).max(MAX_SECONDS).exactOptional(),
});

export interface ShellRun {
  readonly scope: ToolScope;
  readonly deps: ShellDeps;
}

const timeoutOf = (seconds: number | undefined, { timeoutMs }: ShellDeps): number =>
  seconds === undefined ? timeoutMs : seconds * 1000;

export const shellTool = defineTool({
  name: SHELL,
  describe: ({ deps }: ShellRun) => deps.description,
  doing: 'doing.command',
  like: 'bash',
  input,
  effect: 'external',
  beginsLate: true,
  consent: 'effects',
  isOutside(_input, { scope, deps }) {
    // Nobody is asked for consent to a command that can't run.
    workFolder(scope, deps.folder);
    return true;
  },
  kindOf: ({ command }, { deps }) => `the same command, word for word (${digestOf(command, deps.network)})`,
  shows: ({ seconds }, { deps }) => [
    expanded(deps.folder) ?? '',
    timeoutOf(seconds, deps),
    ...Object.keys(deps.granted).sort(),
  ],
  asks({ command }, _run, { messages, code }) {
    const isShort = command.length <= MAX_INLINE;
    const ask = messages.text('consent.runCommand');
    return { text: lines(ask, '', words(isShort ? fenced(spellInvisible(command), 'sh') : code(command))) };
  },
  noteFor: (_input, { deps }, messages) => shellNote(deps, messages),
  async execute({ command, seconds }, { scope, deps }, options) {
    const { hasSandbox, runScript } = await import('../../../skills/script.ts');
    // The sandbox may be gone since the tool was offered.
    if (!(await hasSandbox())) throw new UserError('There is no sandbox on this machine, so no command is run.');
    const { granted, network } = deps;
    const work = async (folder: WorkFolder) => {
      const before = folder.isTasks ? await snapshotOf(folder) : undefined;
      const timeoutMs = timeoutOf(seconds, deps);
      const script = { shell: 'bash' as const, text: `${command}\n` };
      const result = await runScript({
        script,
        variables: {},
        granted,
        timeoutMs,
        signal: options.signal,
        network,
        cwd: folder.path,
        readable: folder.files,
      });
      const kept = before ? await keepWritten(scope, folder, before).catch(notKept) : { files: [], left: [] };
      return {
        ...scriptResultForModel(result, timeoutMs),
        ...(kept.files.length > 0 ? { artifacts: kept.files } : {}),
        ...(kept.left.length > 0 ? { notKept: kept.left.slice(0, MAX_LEFT) } : {}),
      };
    };
    return inWorkFolder(scope, deps.folder, work, options);
  },
});

const digestOf = (command: string, network: boolean): string =>
  createHash('sha256')
    .update(JSON.stringify([command, network]))
    .digest('hex')
    .slice(0, 12);

function shellNote({ folder, network, granted, timeoutMs }: ShellDeps, messages: Messages): Text {
  const where = expanded(folder) ?? messages.text('details.taskFolder');
  const given = { where, network: network ? 'yes' : 'no', seconds: timeoutMs / 1000 };
  return sentences(messages.text('details.command', given), givenText(granted, messages));
}
