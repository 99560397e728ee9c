/**
 * A program in a pseudo terminal of a given size, as a person sees it: the content of the screen, and keys to press.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import xterm from '@xterm/headless';
import { onTestFinished } from 'vitest';
import { RELAY } from './pty-relay.ts';

export const KEYS = {
  enter: '\r',
  down: '\u001b[B',
  up: '\u001b[A',
  tab: '\t',
  interrupt: '\u0003',
  end: '\u0004',
  altEnter: '\u001b\r',
} as const;

/** As a terminal passes on pasted text. */
export const pasted = (text: string): string => `\u001b[200~${text}\u001b[201~`;

const ROWS = 50;

export interface Terminal {
  /** Everything that was shown, without colours and cursor movements. */
  shown(): string;
  raw(): string;
  /** The current content of the screen, line by line, without empty lines at the end. */
  screen(): Promise<string[]>;
  /** Waits for text that wasn't waited for before. */
  sees(words: string | RegExp, timeoutMs?: number): Promise<void>;
  press(...keys: string[]): Promise<void>;
  /** The exit code. */
  ended(timeoutMs?: number): Promise<number>;
}

/** The screen that a terminal makes of the output. No line has scrolled out of it. */
async function screenOf(output: string, columns: number): Promise<string[]> {
  const terminal = new xterm.Terminal({ cols: columns, rows: ROWS, scrollback: 2_000, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(output, resolve));
  const { active } = terminal.buffer;
  const lines = Array.from(
    { length: active.length },
    (_line, n) => active.getLine(n)?.translateToString(true).trimEnd() ?? '',
  );
  terminal.dispose();
  return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
}

export function openTerminal(
  command: string[],
  options: { columns?: number; env?: Record<string, string | undefined>; cwd?: string } = {},
): Terminal {
  const { columns = 80, env, cwd } = options;
  // The variable has the size from the first byte; the terminal itself gets it a moment after its start.
  const child: ChildProcess = spawn('python3', ['-c', RELAY, String(ROWS), String(columns), ...command], {
    ...(cwd ? { cwd } : {}),
    env: { PATH: process.env.PATH, TERM: 'xterm-256color', LANG: 'C.UTF-8', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  let at = 0;
  child.stdout?.setEncoding('utf8').on('data', (data: string) => {
    output += data;
  });
  const ended = new Promise<number>((resolve) => child.on('exit', (code) => resolve(code ?? -1)));
  onTestFinished(async () => {
    if (child.exitCode === null) child.kill('SIGKILL');
    await ended;
  });
  const shown = () => stripVTControlCharacters(output);
  const late = (what: string) => new Error(`${what}; the terminal shows:\n${shown().slice(-3_000)}`);
  return {
    shown,
    raw: () => output,
    screen: () => screenOf(output, columns),
    async sees(words, timeoutMs = 60_000) {
      const end = Date.now() + timeoutMs;
      for (;;) {
        const rest = shown().slice(at);
        const found = typeof words === 'string' ? rest.indexOf(words) : rest.search(words);
        if (found >= 0) {
          at += found + (typeof words === 'string' ? words.length : (words.exec(rest)?.[0].length ?? 0));
          return;
        }
        if (Date.now() > end) throw late(`never seen: ${words}`);
        // It looks now and then.
        await sleep(20);
      }
    },
    async press(...keys) {
      for (const key of keys) {
        // The prompt is shown a moment before the program listens.
        await sleep(60);
        child.stdin?.write(key);
      }
    },
    async ended(timeoutMs = 60_000) {
      // Against hanging only.
      const code = await Promise.race([ended, sleep(timeoutMs, undefined, { ref: false })]);
      if (code === undefined) throw late('it has not ended');
      return code;
    },
  };
}
