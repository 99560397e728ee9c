/** Commands that run no gateway don't load its code, which is most of the program: they answer at once. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { PROGRAM } from '../helpers/program.ts';
import { tempFolder } from '../helpers/temp.ts';

/** Names each file of the program that a process loads, on standard error. */
const NAMING = `import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) { process.stderr.write('loads ' + url + '\\n'); return next(url, context); } });`;

async function loadedBy(command: string): Promise<string> {
  const args = ['--import', `data:text/javascript,${encodeURIComponent(NAMING)}`, PROGRAM, ...command.split(' ')];
  const env = { PATH: process.env.PATH ?? '', OPENVIBER_HOME: tempFolder() };
  // Some end with 1, since no gateway runs.
  const { stderr } = await promisify(execFile)(process.execPath, args, { env }).catch((error) => error);
  return stderr;
}

describe.skipIf(!PROGRAM.startsWith('dist'))('the gateway’s code', () => {
  it.each([
    '--version',
    'help',
    'config get',
    'status',
    'queue',
    'tasks',
    'trace',
    'usage',
    'logs',
    'update',
    'completion bash',
  ])('is not loaded by %s', async (command) => {
    const loaded = await loadedBy(command);
    expect(loaded).toContain('/command-line-');
    expect(loaded).not.toContain('/gateway-');
  });

  it('is loaded by what needs it', async () => {
    expect(await loadedBy('run hello')).toContain('/gateway-');
  });
});
