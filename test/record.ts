/**
 * `npm run record`: writes docs/terminal.svg. Somebody types at the program as it is run, in a pseudo terminal; the built-in
 * model answers, so that nothing is needed. What belongs to this machine and this minute is replaced.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { PROGRAM } from './helpers/program.ts';
import { record } from './helpers/recording.ts';
import { draw } from './helpers/terminal-picture.ts';

const root = path.join(import.meta.dirname, '..');
const COLUMNS = 84;
export const TYPED = [
  'make a plan: collect numbers; write the report; send it to Kim',
  'done 1',
  'write a file report.md: Sales went up 4%.',
  '/plan',
];

/** @returns the picture */
export async function recordTerminal(): Promise<string> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'viber-record-'));
  const home = path.join(folder, '.openviber');
  try {
    fs.mkdirSync(home);
    fs.writeFileSync(path.join(home, 'config.yaml'), 'http: { port: 0 }\n');
    const rows = await record({
      command: [process.execPath, path.join(root, PROGRAM), 'start'],
      env: { HOME: folder, OPENVIBER_HOME: home, TZ: 'UTC' },
      columns: COLUMNS,
      typed: TYPED,
      clean: (output) =>
        output
          .replaceAll(home, '~/.openviber')
          .replaceAll(/\d{8}-[a-z0-9]{5}\b/g, '20260112-4kx2p')
          .replaceAll(/\b[0-9a-f]{10}\.md/g, '24691d577d.md'),
    });
    return draw(rows, COLUMNS, 'A conversation with a viber in a terminal: a plan, a step done, a file written');
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  fs.writeFileSync(path.join(root, 'docs', 'terminal.svg'), await recordTerminal());
  process.stdout.write('Wrote docs/terminal.svg\n');
}
