/** The example program asks a whole gateway, from a process of its own. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openWorld } from '../dialogs/harness.ts';
import { tempFolder } from '../helpers/temp.ts';

const TOKEN = 'the-token-of-a-program';
const root = path.join(import.meta.dirname, '../..');

test('the example shows the work, the answer and its files', async () => {
  const world = await openWorld({ offline: true, config: { http: { port: 0, token: TOKEN } } });
  const text = fs.readFileSync(path.join(root, 'examples/board-client/ask.ts'), 'utf8');
  const program = path.join(tempFolder(), 'ask.mts');
  // As the package gives it, from its source.
  fs.writeFileSync(program, text.replace('openviber-gateway/client', path.join(root, 'src/client/client.ts')));
  const env = { ...process.env, VIBER_URL: `ws://127.0.0.1:${world.app.port}/ws`, VIBER_TOKEN: TOKEN };
  const run = promisify(execFile);
  const { stdout, stderr } = await run(process.execPath, [program, 'write a file a.txt: hello'], { env });
  expect(stdout).toMatch(/a\.txt: \/api\/artifacts\//);
  expect(stderr).toContain('create_artifact');
  await expect(run(process.execPath, [program], { env })).rejects.toMatchObject({ code: 2 });
});
