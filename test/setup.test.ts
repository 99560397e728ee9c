/** `npm run test:setup` on a machine that has none of the programs. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from './helpers/temp.ts';
import { lineOf, TOOLS } from './helpers/tools.ts';
import { stepsFor } from './setup.ts';

const PROGRAMS = ['bwrap', 'redis-server', 'python3', 'git', 'curl', 'vim', 'zsh', 'fish'];

/** A folder with an apt-get that notes what it is asked for and ends with `code`; it brings every program. */
function bareMachine(code: number) {
  const bin = tempFolder();
  const log = path.join(bin, 'log');
  const put = (name: string, text: string) =>
    fs.writeFileSync(path.join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  const brings = PROGRAMS.map((name) => `echo '#!/bin/sh' > ${bin}/${name}; /bin/chmod +x ${bin}/${name}`).join('; ');
  put(
    'apt-get',
    `[ "$1" = --version ] && exit 0; echo "$DEBIAN_FRONTEND $*" >> ${log}; [ "$1" = install ] && { ${brings}; exit ${code}; }; exit 0`,
  );
  return { bin, asked: () => (fs.existsSync(log) ? fs.readFileSync(log, 'utf8').trim().split('\n') : []) };
}

/** Runs it with nothing else in the PATH; a browser is named, since those are found by their places. */
function setUp(bin: string) {
  const env = { PATH: bin, CHROMIUM: process.execPath };
  const script = path.join(import.meta.dirname, 'setup.ts');
  const { status, stdout } = spawnSync(process.execPath, [script], { env, encoding: 'utf8' });
  return { status, lines: stdout.trim().split('\n') };
}

test.runIf(process.getuid?.() === 0)(
  'as root on Debian it installs what is missing, once, and nothing the next time',
  () => {
    const { bin, asked } = bareMachine(0);
    expect(setUp(bin)).toEqual({ status: 0, lines: [''] });
    const wanted = 'bubblewrap redis-server python3 python3-venv git curl vim zsh fish';
    expect(asked()).toEqual(['noninteractive update', `noninteractive install -y --no-install-recommends ${wanted}`]);
    expect(setUp(bin)).toEqual({ status: 0, lines: ['Everything that the tests need is here.'] });
    expect(asked()).toHaveLength(2);
  },
);

test.runIf(process.getuid?.() === 0)('an install that fails ends with 1', () => {
  const { bin } = bareMachine(100);
  expect(setUp(bin).status).toBe(1);
});

test('elsewhere it says what to type, and a browser can be had without root', () => {
  const missing = [{ package: 'chromium' }, { package: 'zsh' }];
  expect(stepsFor(missing, { isRoot: false, hasApt: true })).toEqual([
    { do: 'browser' },
    { do: 'say', line: 'Type: sudo apt-get install chromium zsh' },
  ]);
  expect(stepsFor([{ package: 'zsh' }], { isRoot: true, hasApt: false })).toEqual([
    { do: 'say', line: 'Install what your system has for: zsh' },
  ]);
  expect(stepsFor([], { isRoot: true, hasApt: true })).toEqual([
    { do: 'say', line: 'Everything that the tests need is here.' },
  ]);
});

test('each tool has one line, which says how to get it', () => {
  const lines = TOOLS.map(lineOf);
  expect(new Set(lines).size).toBe(TOOLS.length);
  for (const [index, line] of lines.entries())
    expect(line).toContain(`npm run test:setup, or apt-get install ${TOOLS[index]?.package}`);
});
