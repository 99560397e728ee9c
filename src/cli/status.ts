/** `viber status`: prints the readiness of the gateways that run here. */
import { loadConfig } from '../config.ts';
import { type CliContext, EXIT } from '../runtime/contract/cli.ts';
import { type Running, runningGateways } from './running.ts';

export async function run(context: CliContext): Promise<number> {
  const { home, config: file, env, json, print } = context;
  const found = await runningGateways(context);
  const [first] = found;
  if (!first) {
    print(json ? JSON.stringify({ running: false, home }) : `No gateway runs on ${home}.`);
    return EXIT.failed;
  }
  const { config } = await loadConfig({ file, home, env });
  const told = await Promise.all(found.map((gateway) => readinessOf(gateway, config.http)));
  if (json) {
    const [about, ...others] = found.map(({ folder: _, ...rest }, n) => ({ ...rest, readiness: told[n]?.readiness }));
    print(JSON.stringify({ running: true, home, ...about, ...(others.length > 0 && { others }) }));
  } else {
    for (const [n, { pid, startedAt, port, roles }] of found.entries()) {
      const does = found.length > 1 && roles ? `, ${roles.join(', ')}` : '';
      print(`Gateway ${pid} runs on ${home} since ${startedAt}${port ? `, port ${port}` : ''}${does}.`);
      print(JSON.stringify(told[n]?.readiness ?? {}, null, 2));
    }
  }
  return told.every(({ ok }) => ok) ? EXIT.ok : EXIT.failed;
}

async function readinessOf(
  { port }: Running,
  { host, token }: { host: string; token?: string },
): Promise<{ ok: boolean; readiness: unknown }> {
  if (port === undefined) return { ok: true, readiness: {} };
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(`http://${reachable(host)}:${port}/readyz`, { headers });
  return { ok: response.ok, readiness: await response.json() };
}

/** Returns the host that reaches a local server listening on `host`, formatted for a URL. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host.includes(':') ? `[${host === '::' ? '::1' : host}]` : host;
}
