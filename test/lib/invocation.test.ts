/** The command that people are shown works from where they are. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { CLI_COMMANDS } from '../../src/cli/table.ts';
import { commandForAnyone, programOf, viberCommand } from '../../src/lib/invocation.ts';
import { tempFolder } from '../helpers/temp.ts';

const root = path.join(import.meta.dirname, '..', '..');
const shown = (main: string, env: NodeJS.ProcessEnv = {}, ...rest: string[]) =>
  viberCommand('pair approve ABCD2345', { argv: ['node', main, 'start', ...rest], env });

it('by ./viber in a checkout, by its name where it is installed', () => {
  expect(shown(path.join(root, 'src/main.ts'))).toBe('./viber pair approve ABCD2345');
  expect(shown(path.join(root, 'dist/main.js'))).toBe('./viber pair approve ABCD2345');
  const installed = path.join(tempFolder(), 'lib/node_modules/openviber-gateway/dist/main.js');
  fs.mkdirSync(path.dirname(installed), { recursive: true });
  fs.writeFileSync(installed, '');
  expect(shown(installed)).toBe('viber pair approve ABCD2345');
  expect(shown('/usr/local/bin/viber')).toBe('viber pair approve ABCD2345');
  expect(shown('/srv/sam/.npm/_npx/12ab/node_modules/.bin/viber.js')).toBe(
    'npx openviber-gateway pair approve ABCD2345',
  );
});

it('on the same home and configuration, without the name of the user’s own folder', () => {
  const env = { HOME: '/srv/sam' };
  expect(shown('/usr/bin/viber', { ...env, OPENVIBER_HOME: '/srv/sam/.two' })).toBe(
    'viber pair approve ABCD2345 --home ~/.two',
  );
  expect(shown('/usr/bin/viber', env, '--home', "/srv/it's here", '--config=/etc/viber.yaml')).toBe(
    `viber pair approve ABCD2345 --home '/srv/it'\\''s here' --config /etc/viber.yaml`,
  );
});

it('as whoever packed it says', () => {
  const env = { OPENVIBER_COMMAND: 'docker exec viber node /app/dist/main.js', OPENVIBER_HOME: '/data' };
  expect(shown('/app/dist/main.js', env)).toBe('docker exec viber node /app/dist/main.js pair approve ABCD2345');
});

it('without this machine’s folders for readers who are not to see them', () => {
  const at = { argv: ['node', '/usr/bin/viber', 'start', '--home', '/srv/sam/private'], env: { HOME: '/srv/sam' } };
  expect(commandForAnyone('trace 0a1b2c3d', at)).toBe('viber trace 0a1b2c3d');
  expect(
    commandForAnyone('trace 0a1b2c3d', { ...at, env: { OPENVIBER_COMMAND: 'docker exec viber node main.js' } }),
  ).toBe('docker exec viber node main.js trace 0a1b2c3d');
  expect(programOf({ argv: ['node', path.join(root, 'src/main.ts')], env: {} })).toBe('./viber');
});

it('prints nothing of its own in a checkout, so that programs can read the JSON, from any folder', () => {
  const home = tempFolder();
  const { stdout, stderr } = spawnSync(path.join(root, 'viber'), ['status', '--json', '--home', home], {
    cwd: home,
    encoding: 'utf8',
  });
  expect({ said: JSON.parse(stdout), stderr }).toEqual({ said: { running: false, home }, stderr: '' });
});

/** The examples of the table are written as in docs/commands.md, and shown as they work here. */
const IN_TABLE = [
  'src/messages/en/command-line.ts',
  'src/messages/de/command-line.ts',
  'src/messages/es/command-line.ts',
  // A shell completes only what is called viber.
  ...['bash', 'fish', 'zsh'].map((shell) => `src/cli/completion/${shell}.ts`),
  'src/cli/table.ts',
  'src/lib/invocation.ts',
  ...fs.globSync('src/features/*/cli.ts', { cwd: root }),
];

it('in every sentence of the program: none spells a command itself', () => {
  const named = new RegExp(`\\bviber (?:--|(?:${Object.keys(CLI_COMMANDS).join('|')})\\b(?! is| was| on))`);
  const spelled = fs
    .globSync('src/**/*.{ts,tsx}', { cwd: root })
    .filter((file) => !IN_TABLE.includes(file))
    .flatMap((file) =>
      fs
        .readFileSync(path.join(root, file), 'utf8')
        .split('\n')
        .map((line) => line.replace(/^\s*(?:\/\*\*|\*|\/\/).*|\s\/\/ .*$/, ''))
        .filter((line) => named.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    );
  expect(spelled).toEqual([]);
});
