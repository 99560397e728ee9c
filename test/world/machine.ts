/** A machine for a stranger: a root filesystem that is up, one user without rights, and a gateway in the background. */
import { type ChildProcess, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { ended, type Inside, outputOf, startBeside, startInside } from './inside.ts';

export interface Machine {
  /** Runs lines of a shell as the user, and returns what they print. @throws with what they print, if they fail */
  shell(lines: string, options?: { folder?: string; input?: string }): Promise<string>;
  /** Starts the gateway in the background; resolves when it is ready. */
  start(line: string, folder: string): Promise<void>;
  /** Ends it as a service manager does, and waits. */
  stop(): Promise<void>;
  /** Puts a folder of this machine there, as the user's. */
  put(from: string, to: string): void;
  close(): Promise<void>;
}

const READY_MS = 120_000;
/** Its input ends when the program has to stop. */
const untilTold = (line: string) => `${line} </dev/null & pid=$!; cat >/dev/null; kill -TERM $pid; wait $pid`;

export function openMachine(inside: Inside): Machine {
  const up = startInside({ ...inside, user: 0 }, ['/bin/sh', '-c', 'echo up; exec sleep infinity']);
  const isUp = new Promise((resolve) => up.stdout?.once('data', resolve));
  const down = new Promise((resolve) => up.on('close', resolve));
  let running: { child: ChildProcess; end: Promise<unknown> } | undefined;
  const stop = async () => {
    running?.child.stdin?.end();
    await running?.end;
    running = undefined;
  };
  return {
    async shell(lines, { folder = '/', input = '' } = {}) {
      await isUp;
      const command = ['/bin/sh', '-c', lines];
      return outputOf(await ended(startBeside(up, { ...inside, folder }, command), { input }), command);
    },
    async start(line, folder) {
      const child = startBeside(up, { ...inside, folder }, ['/bin/sh', '-c', untilTold(line)]);
      const end = new Promise((resolve) => child.on('close', resolve));
      running = { child, end };
      const lines: string[] = [];
      const ready = Promise.withResolvers<void>();
      const fail = (what: string) => ready.reject(new Error(`${what}: ${lines.slice(-20).join('\n')}`));
      for (const stream of [child.stdout, child.stderr])
        if (stream)
          createInterface({ input: stream }).on('line', (said) => {
            lines.push(said);
            if (said.includes('"msg":"ready"')) ready.resolve();
          });
      void end.then(() => fail('it ended'));
      const timer = setTimeout(() => fail('it is not ready'), READY_MS);
      await ready.promise.finally(() => clearTimeout(timer));
    },
    stop,
    put(from, to) {
      const at = path.join(inside.root, to);
      fs.cpSync(from, at, { recursive: true, verbatimSymlinks: true });
      execFileSync('chown', ['-R', `${inside.user}:${inside.user}`, at]);
    },
    async close() {
      up.kill('SIGKILL');
      await down;
    },
  };
}
