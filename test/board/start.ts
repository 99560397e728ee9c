/** A gateway in a process of its own, as people run it, with the built program where there is one. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { PROGRAM } from '../helpers/program.ts';

export interface Gateway {
  port: number;
  pid: number;
  /** Lines of its log. */
  log: string[];
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export async function startGateway(home: string): Promise<Gateway> {
  const child = spawn(process.execPath, [PROGRAM, 'start', '--home', home], { stdio: ['pipe', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  const log: string[] = [];
  const ready = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => {
      log.push(line);
      if (line.includes('"msg":"ready"')) ready.resolve();
    });
  await Promise.race([
    ready.promise,
    exited.then(() => {
      throw new Error(`the gateway ended:\n${log.slice(-20).join('\n')}`);
    }),
  ]);
  const { port } = JSON.parse(fs.readFileSync(path.join(home, 'run/gateway.json'), 'utf8'));
  return {
    ...{ port, log, pid: child.pid ?? 0 },
    async stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await exited;
    },
  };
}
