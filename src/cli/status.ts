/** `viber status`: readiness of the running gateway. */
import fs from 'node:fs';
import path from 'node:path';
import { loadConfig } from '../config.ts';
import { errorCode } from '../errors.ts';
import { type CliContext, EXIT } from './command.ts';

interface About {
  pid: number;
  port?: number;
  startedAt: string;
}

export async function run({ home, config: file, env, json, print }: CliContext): Promise<number> {
  let about: About;
  try {
    about = JSON.parse(fs.readFileSync(path.join(home, 'run', 'gateway.json'), 'utf8')) as About;
    process.kill(about.pid, 0);
  } catch (error) {
    if (!['ENOENT', 'ESRCH'].includes(errorCode(error) ?? '')) throw error;
    print(json ? JSON.stringify({ running: false, home }) : `No gateway runs on ${home}.`);
    return EXIT.failed;
  }
  const { config } = await loadConfig({ file, home, env });
  const { host, token } = config.http;
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response =
    about.port === undefined ? undefined : await fetch(`http://${reachable(host)}:${about.port}/readyz`, { headers });
  const readiness: unknown = response ? await response.json() : {};
  if (json) print(JSON.stringify({ running: true, home, ...about, readiness }));
  else {
    print(`Gateway ${about.pid} runs on ${home} since ${about.startedAt}${about.port ? `, port ${about.port}` : ''}.`);
    print(JSON.stringify(readiness, null, 2));
  }
  return response?.ok === false ? EXIT.failed : EXIT.ok;
}

/** How this machine reaches what listens on `host`, as it stands in an address. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host.includes(':') ? `[${host === '::' ? '::1' : host}]` : host;
}
