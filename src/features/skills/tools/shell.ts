/**
 * `shell`: runs one command, only in the sandbox. A person sees each command unchanged, and consents to it word for
 * word. After a crash its effects are unknown, so an interrupted call is reported, never repeated.
 */
import { z } from 'zod';
import { UserError } from '../../../errors.ts';
import { hashText } from '../../../lib/files.ts';
import { lines, type Messages, sentences, type Text, words } from '../../../messages/messages.ts';
import { defineTool } from '../../../runtime/contract/tool.ts';
import type { ToolScope } from '../../../runtime/contract/tool-scope.ts';
import { fenced, spellInvisible } from '../../../runtime/reply/show.ts';
import { givenText, runIn } from './script.ts';
import { expanded, inWorkFolder, workFolder } from './work-folder.ts';

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
    const { hasSandbox } = await import('../../../skills/script.ts');
    // The sandbox may be gone since the tool was offered.
    if (!(await hasSandbox())) throw new UserError('There is no sandbox on this machine, so no command is run.');
    const { granted, network } = deps;
    const script = { shell: 'bash' as const, text: `${command}\n` };
    const order = {
      script,
      granted,
      network,
      variables: {},
      timeoutMs: timeoutOf(seconds, deps),
      signal: options.signal,
    };
    return inWorkFolder(scope, deps.folder, (folder) => runIn(folder, scope, order), options);
  },
});

const digestOf = (command: string, network: boolean): string =>
  hashText(JSON.stringify([command, network])).slice(0, 12);

function shellNote({ folder, network, granted, timeoutMs }: ShellDeps, messages: Messages): Text {
  const where = expanded(folder) ?? messages.text('details.taskFolder');
  const given = { where, network: network ? 'yes' : 'no', seconds: timeoutMs / 1000 };
  return sentences(messages.text('details.command', given), givenText(granted, messages));
}
