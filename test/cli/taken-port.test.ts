/** The usual port is taken: another is used where nobody has chosen one and nobody calls it. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startServer } from '../../src/board/server.ts';
import { loadConfig } from '../../src/config.ts';
import { ConfigError } from '../../src/errors.ts';
import { tempFolder } from '../helpers/temp.ts';

const nothing = () => undefined;
const server = (port: number, isAnyPort: boolean) =>
  startServer({
    ...{ host: '127.0.0.1', port, isAnyPort, origins: [], tokens: [], webhooks: new Map() },
    readiness: () => {
      throw new Error('nobody asks');
    },
    ...{
      metrics: async () => ({ type: 'text/plain', body: '' }),
      maxConnections: 8,
      onError: nothing,
      onWrongTokens: nothing,
    },
  });

test('a free port serves in its place where any will do; else the setting is named', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const address = other.address();
  const taken = typeof address === 'object' && address ? address.port : 0;
  const { port, close } = await server(taken, true);
  expect(port).not.toBe(taken);
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  await close();
  await expect(server(taken, false)).rejects.toThrow(ConfigError);
  await expect(server(taken, false)).rejects.toThrow(`http.port: port ${taken} on 127.0.0.1 is in use`);
});

test.each([
  ['{}', false],
  ['{"limits":{"freeBytes":0}}', false],
  ['{"http":{"token":"a-token-for-programs"}}', false],
  ['{"http":{"port":6009}}', true],
])('the file %s has chosen a port: %s', async (text, isPortChosen) => {
  const home = tempFolder();
  writeFileSync(path.join(home, 'config.json'), text);
  expect(await loadConfig({ home, env: {} })).toMatchObject({ isPortChosen });
});
