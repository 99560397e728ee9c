/** A program in a pseudo terminal, recorded: the typed input, and the content of each row over time. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import xterm, { type IBufferLine } from '@xterm/headless';
import { RELAY } from './pty-relay.ts';
import type { Row, Span } from './terminal-picture.ts';

/** Large enough that nothing scrolls away. */
const ROWS = 120;
/** A line counts as finished when the program has shown nothing for this long. */
const QUIET_MS = 700;
const LONGEST_MS = 20_000;

export interface Recorded {
  command: string[];
  env: Record<string, string>;
  columns: number;
  /** The lines that a person types, in order. */
  typed: readonly string[];
  /** Replacements for text that depends on this machine. */
  clean?: (output: string) => string;
}

export async function record({ command, env, columns, typed, clean = (text) => text }: Recorded): Promise<Row[]> {
  const terminal = new xterm.Terminal({ cols: columns, rows: ROWS, allowProposedApi: true });
  const child = spawn('python3', ['-c', RELAY, String(ROWS), String(columns), ...command], {
    env: { PATH: process.env.PATH, TERM: 'xterm-256color', LANG: 'C.UTF-8', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  let output = '';
  let last = 0;
  child.stdout.setEncoding('utf8').on('data', (data: string) => {
    output += data;
    last = Date.now();
  });
  const rows: Row[] = [];
  try {
    for (const [moment, line] of [undefined, ...typed].entries()) {
      if (line !== undefined) child.stdin.write(`${line}\r`);
      const before = output.length;
      for (const end = Date.now() + LONGEST_MS; output.length === before || Date.now() - last < QUIET_MS; ) {
        if (Date.now() > end) throw new Error(`nothing was shown for ${JSON.stringify(line)}:\n${output}`);
        // It looks now and then.
        await sleep(50);
      }
      terminal.reset();
      await new Promise<void>((resolve) => terminal.write(clean(output), resolve));
      keep(rows, seen(terminal), moment);
    }
    child.stdin.write('\u0004');
    // Against hanging only.
    await Promise.race([exited, sleep(5_000, undefined, { ref: false })]);
  } finally {
    if (child.exitCode === null) child.kill('SIGKILL');
    terminal.dispose();
  }
  while (rows.at(-1)?.spans.length === 0) rows.pop();
  return rows;
}

/** Unchanged rows keep the time since which they have looked like this. */
function keep(rows: Row[], shown: Span[][], moment: number): void {
  for (const [index, spans] of shown.entries()) {
    if (JSON.stringify(rows[index]?.spans) !== JSON.stringify(spans)) rows[index] = { spans, moment };
  }
}

const seen = ({ buffer }: InstanceType<typeof xterm.Terminal>): Span[][] =>
  Array.from({ length: ROWS }, (_row, index) => buffer.active.getLine(index)).map((line) =>
    line ? spansOf(line) : [],
  );

function spansOf(line: IBufferLine): Span[] {
  const spans: Span[] = [];
  for (let column = 0; column < line.length; column += 1) {
    const cell = line.getCell(column);
    if (!cell || cell.getWidth() === 0) continue;
    const look = {
      ...(cell.isFgPalette() && cell.getFgColor() < 16 ? { color: cell.getFgColor() } : {}),
      ...(cell.isBold() ? { isBold: true } : {}),
      ...(cell.isDim() ? { isDim: true } : {}),
    };
    const text = cell.getChars() || ' ';
    const before = spans.at(-1);
    if (before && JSON.stringify(look) === JSON.stringify({ ...before, column: undefined, text: undefined }))
      before.text += text;
    else spans.push({ column, text, ...look });
  }
  const end = spans.at(-1);
  if (end) end.text = end.text.trimEnd();
  return spans.filter(({ text }) => text.trim() !== '');
}
