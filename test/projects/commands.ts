/** A project whose commands are run as the gateway runs them, without a model. */
import fs from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { Processes } from '../../src/features/projects/commands/processes.ts';
import type { Network } from '../../src/features/projects/commands/registries.ts';
import { processTool } from '../../src/features/projects/tools/process.ts';
import { runCommand } from '../../src/features/projects/tools/run-command.ts';
import type { Reach } from '../../src/skills/script-proxy.ts';
import { openHome } from '../../src/workspace/home.ts';
import { isSandboxed } from '../helpers/sandbox.ts';
import { toolScope } from '../helpers/scope.ts';
import { putAll, tempFolder } from '../helpers/temp.ts';

export async function openShop(files: Record<string, string> = {}, network: Network = 'none', near: Reach = {}) {
  const above = fs.realpathSync(tempFolder());
  const folder = path.join(above, 'shop');
  fs.mkdirSync(folder);
  fs.writeFileSync(path.join(above, 'secret.txt'), 'secret');
  putAll(folder, files);
  const home = await openHome(path.join(above, 'home'));
  const taskFolder = home.taskDir('t-1');
  fs.mkdirSync(taskFolder, { recursive: true });
  const scope = toolScope(home, { taskId: 't-1', runId: 'run-1' });
  const processes = new Processes(home, { near });
  onTestFinished(() => processes.close());
  const run = {
    scope,
    seen: { get: () => undefined, note: () => undefined },
    project: () => ({ name: 'shop', folder }),
    isSandboxed,
    network: () => network,
    processes,
    words: [],
    person: 'person:alex',
    writable: () => [],
  };
  const notes: string[] = [];
  const options = (signal = new AbortController().signal) => ({
    ...{ signal, callId: 'call-1' },
    onProgress: (note: string) => void notes.push(note),
  });
  const call = async (command: string, given: object = {}, signal?: AbortSignal): Promise<Record<string, unknown>> =>
    Object(await runCommand.execute(runCommand.input.parse({ command, ...given }), run, options(signal)));
  const look = async (given: object): Promise<Record<string, unknown>> =>
    Object(await processTool.execute(processTool.input.parse(given), run, options()));
  return { above, folder, home, taskFolder, call, look, notes, run, processes };
}
