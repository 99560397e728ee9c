/** `viber status`: prints the readiness of the gateways that run here. */
import { loadConfig } from '../config.ts';
import { plainLine } from '../lib/text.ts';
import type { Messages } from '../messages/messages.ts';
import type { Readiness } from '../runtime/contract/board.ts';
import { type CliContext, EXIT } from '../runtime/contract/cli.ts';
import { type Running, runningGateways } from './running.ts';

export async function run(context: CliContext): Promise<number> {
  const { home, config: file, env, json, print, messages } = context;
  const found = await runningGateways(context);
  const [first] = found;
  if (!first) {
    print(json ? JSON.stringify({ running: false, home }) : messages.text('cli.noGateway', { home }));
    return EXIT.failed;
  }
  const { config } = await loadConfig({ file, home, env });
  const told = await Promise.all(found.map((gateway) => readinessOf(gateway, config.http)));
  if (json) {
    const [about, ...others] = found.map(({ folder: _, ...rest }, n) => ({ ...rest, readiness: told[n]?.readiness }));
    print(JSON.stringify({ running: true, home, ...about, ...(others.length > 0 && { others }) }));
  } else {
    for (const [n, gateway] of found.entries()) {
      if (n > 0) print('');
      for (const line of tableOf(home, gateway, told[n]?.readiness ?? {}, messages)) print(line);
    }
  }
  return told.every(({ ok }) => ok) ? EXIT.ok : EXIT.failed;
}

async function readinessOf(
  { port }: Running,
  { host, token }: { host: string; token?: string },
): Promise<{ ok: boolean; readiness: Partial<Readiness> }> {
  if (port === undefined) return { ok: true, readiness: {} };
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(`http://${reachable(host)}:${port}/readyz`, { headers });
  return { ok: response.ok, readiness: (await response.json()) as Partial<Readiness> };
}

/** Returns the host that reaches a local server listening on `host`, formatted for a URL. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host.includes(':') ? `[${host === '::' ? '::1' : host}]` : host;
}

/** Returns the state as a table of two columns: what, and how it is. */
function tableOf(home: string, gateway: Running, readiness: Partial<Readiness>, { text, when }: Messages): string[] {
  const { pid, startedAt, port, roles } = gateway;
  const { ready, channels = {}, workspace, waiting, oldestUndeliveredSeconds: oldest, dead, unsure } = readiness;
  const yes = (is: boolean) => (is ? 'yes' : 'no');
  const rows: [string, string | undefined][] = [
    [text('cli.statusGateway'), text('cli.statusPid', { pid: String(pid) })],
    [text('cli.statusHome'), home],
    [text('cli.statusSince'), when(new Date(startedAt))],
    [text('cli.statusPort'), port === undefined ? undefined : String(port)],
    [text('cli.statusRoles'), roles?.join(', ')],
    [text('cli.statusReady'), ready === undefined ? undefined : text('cli.statusYes', { is: yes(ready) })],
    ...Object.entries(channels).map(([id, { state, detail }]): [string, string] => {
      const shown = text('cli.statusChannel', { state });
      return [id.charAt(0).toUpperCase() + id.slice(1), detail ? `${shown}: ${plainLine(detail)}` : shown];
    }),
    [text('cli.statusWaiting'), waiting?.toString()],
    [text('cli.statusOldest'), oldest == null ? undefined : text('cli.seconds', { n: String(oldest) })],
    [text('cli.statusDead'), dead?.toString()],
    [text('cli.statusUnsure'), unsure?.toString()],
    [text('cli.statusDisk'), workspace && text('cli.statusDiskState', { is: yes(workspace.writable) })],
  ];
  const shown = rows.filter((row): row is [string, string] => row[1] !== undefined && row[1] !== '');
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
}
