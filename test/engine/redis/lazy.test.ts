/** Whoever stays on one machine pays nothing for the engine of several: none of it is loaded. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../../helpers/temp.ts';

const root = path.join(import.meta.dirname, '../../..');

const PROGRAM = `
import { registerHooks } from 'node:module';
const loaded = [];
registerHooks({ resolve(name, context, next) { const found = next(name, context); loaded.push(found.url); return found; } });
const { startApp } = await import('./src/app.ts');
const { loadConfig } = await import('./src/config.ts');
const { createLog } = await import('./src/log.ts');
const home = process.argv[1];
const { config } = await loadConfig({ home, env: {} });
config.http.port = 0;
const log = createLog({ level: 'silent', pretty: false, write: () => undefined });
const app = await startApp({ config, homeRoot: home, log, env: {}, terminal: false });
await app.connected;
await app.readiness();
await app.stop();
process.stdout.write(JSON.stringify(loaded));
`;

it('a gateway on one machine loads no part of the other engine', () => {
  const args = ['--input-type=module', '-e', PROGRAM, tempFolder()];
  const loaded: string[] = JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' }));
  expect(loaded.some((url) => url.endsWith('/engine/local/engine.ts'))).toBe(true);
  expect(loaded.filter((url) => /engine\/redis|bullmq|ioredis/.test(url))).toEqual([]);
});
