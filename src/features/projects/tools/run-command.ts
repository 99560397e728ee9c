/**
 * `run_command`: runs a command in the project. In the sandbox, it can write to the project only. A call that was
 * interrupted because the gateway ended is never run again: the model is informed and decides.
 */
import { z } from 'zod';
import { UserError } from '../../../errors.ts';
import { useFolder } from '../../../lib/files/below.ts';
import { within } from '../../../lib/within.ts';
import { scrub } from '../../../log.ts';
import { type CallOptions, defineTool } from '../../../runtime/contract/tool.ts';
import type { ToolScope } from '../../../runtime/contract/tool-scope.ts';
import { openTask } from '../../../workspace/tasks/index.ts';
import type { Json } from '../../../workspace/types.ts';
import { commandConsent, shownOutside, textToRun } from '../commands/consent.ts';
import { networkHint } from '../commands/hints.ts';
import { lastLine, oneLine } from '../commands/output.ts';
import { openPullRequest } from '../commands/pull-request.ts';
import { runPush } from '../commands/push.ts';
import type { Network } from '../commands/registries.ts';
import { commandResult } from '../commands/result.ts';
import type { TaskProcess } from '../commands/task-process.ts';
import { pathInProject } from '../files.ts';
import type { ProjectRun } from './run.ts';

const MAX_COMMAND = 20_000;
const MAX_SECONDS = 600;
/** How long to watch a new background process for an early failure. */
const LOOK_MS = 1_500;
const PROGRESS_MS = 300;
const CUT =
  'The gateway restarted while this command ran, and the command ended with it. What it did before that may have taken effect: check before you run it again.';

const input = z.object({
  command: z.string().trim().min(1).max(MAX_COMMAND).describe('for bash'),
  cwd: z.string().describe('a folder of the project').exactOptional(),
  timeout: z.number().min(1).describe('seconds, 600 at most').exactOptional(),
  background: z.boolean().exactOptional(),
});

export const runCommand = defineTool({
  name: 'run_command',
  describe:
    'Run a command in the project and get its output. With background (a dev server, a watcher), or after timeout seconds, it goes on as a process; other commands of this task reach its ports on localhost.',
  input,
  effect: 'external',
  // `Processes` records commands when they start. Only a push or a pull request, which it doesn't record, calls
  // `begin`.
  beginsLate: true,
  doing: 'doing.command',
  about: { argument: 'command', doing: 'doing.commandThis' },
  like: 'bash',
  ...commandConsent,
  async execute(call, run: ProjectRun, options) {
    const { cwd = '.', timeout = MAX_SECONDS, background = false } = call;
    const { signal, onProgress, callId, begin } = options;
    const { processes, scope } = run;
    const { push, pull } = shownOutside(call, run);
    if (push) {
      await begin?.();
      return runPush(run.project().folder, push, signal);
    }
    if (pull) {
      await begin?.();
      return openPullRequest(pull, signal);
    }
    if (await processes.wasCut(scope.taskId, callId)) return { ended: CUT };
    const command = await textToRun(call, run);
    const { folder, origin = folder, repository } = run.project();
    const names = pathInProject(run.project(), cwd);
    if (!(await useFolder(folder, names, () => true))) throw new UserError(`There is no folder "${cwd}".`);
    const network = run.network();
    const tell = progressNotes(onProgress);
    const where = { folder, project: origin, names, repository, isSandboxed: run.isSandboxed, network };
    const order = { ...where, command, callId, signal, person: run.person };
    if (background) {
      const process = await processes.start(scope.taskId, { ...order, takesInput: true }, true);
      // A command that fails at once doesn't become a process.
      await within(process.running.ended, LOOK_MS);
      return withNetworkHint(commandResult(process, process.running.output.unseen()), network);
    }
    const process = await processes.start(scope.taskId, { ...order, onOutput: tell });
    const { ended, output } = process.running;
    await within(ended, Math.min(timeout, MAX_SECONDS) * 1000);
    if (!process.end) return goneOn(process, run);
    const whole = output.whole();
    const result = withNetworkHint(commandResult(process, whole), network);
    return result.isCut ? { ...result, ...(await keepWhole(command, whole, scope)) } : result;
  },
});

/** Shows people the last line of output, no more often than they can read it. */
function progressNotes(onProgress: CallOptions['onProgress']): (chunk: Buffer) => void {
  let last = 0;
  return (chunk) => {
    const now = performance.now();
    if (!onProgress || now - last < PROGRESS_MS) return;
    const line = lastLine(chunk);
    if (line === undefined) return;
    last = now;
    onProgress(scrub(line));
  };
}

type Result = { [key: string]: Json };

function withNetworkHint(result: Result, network: Network): Result {
  const hint = result.exit === 0 ? undefined : networkHint(String(result.output), network);
  return hint === undefined ? result : { ...result, hint };
}

/** Moves a command that takes too long to the background, or ends it if too many are there already. */
async function goneOn(process: TaskProcess, { processes, scope }: ProjectRun): Promise<Result> {
  const text = process.running.output.whole();
  process.running.output.unseen();
  try {
    processes.detach(scope.taskId, process);
    return { ...commandResult(process, text), note: `It is still running in the background as ${process.id}.` };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    process.stop();
    await process.running.ended;
    return { ...commandResult(process, text), note: `It took too long and was ended. ${error.message}` };
  }
}

/** Stores the full output as an artifact. The command has run even if there is no room for this. */
async function keepWhole(command: string, whole: string, { home, taskId }: ToolScope): Promise<Result> {
  const title = `Output of ${oneLine(command)}`;
  const content = Buffer.from(scrub(whole));
  const given = { title, name: 'output.txt', type: 'text/plain', content, origin: 'agent' as const };
  try {
    const { id } = await openTask(home, taskId).artifacts.create(given);
    return { whole: id };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { whole: error.message };
  }
}
