/** `viber status`: prints the readiness of the gateways that run here. */
import { loadConfig } from '../config.ts';
import { plainLine } from '../lib/text.ts';
import type { Messages } from '../messages/messages.ts';
import type { Readiness } from '../runtime/contract/board.ts';
import { type CliContext, EXIT } from '../runtime/contract/cli.ts';
import { ROLES, type Running, runningGateways } from './running.ts';
import { isStarting } from './starting.ts';

const ANSWER_MS = 5_000;

interface GatewayAnswer {
  ok: boolean;
  /** Empty if the gateway does not answer, or has no port. */
  readiness: Partial<Readiness>;
}

const UNASKED: GatewayAnswer = { ok: true, readiness: {} };

export async function run(context: CliContext): Promise<number> {
  const { home, config: file, env, json, print, messages } = context;
  const found = await runningGateways(context);
  const [first] = found;
  if (!first) {
    const busy = await isStarting(context);
    if (json) print(JSON.stringify({ running: false, ...(busy && { busy }), home }));
    else print(busy ? messages.text('cli.busyGateway') : messages.text('cli.noGateway', { home }));
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
      for (const line of tableOf(home, gateway, told[n] ?? UNASKED, messages)) print(line);
    }
  }
  return told.every(({ ok }) => ok) ? EXIT.ok : EXIT.failed;
}

async function readinessOf(
  { port }: Running,
  { host, token }: { host: string; token?: string },
): Promise<GatewayAnswer> {
  if (port === undefined) return UNASKED;
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const signal = AbortSignal.timeout(ANSWER_MS);
  try {
    const response = await fetch(`http://${reachable(host)}:${port}/readyz`, { headers, signal });
    return { ok: response.ok, readiness: (await response.json()) as Partial<Readiness> };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // It hangs, is just ending, or something else answers at its port.
    return { ok: false, readiness: {} };
  }
}

/** Returns the host that reaches a local server listening on `host`, formatted for a URL. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host.includes(':') ? `[${host === '::' ? '::1' : host}]` : host;
}

/** Returns the roles of a gateway that leaves some to others, or undefined if it has them all. */
const sharedBy = (roles: string[] = ROLES): string[] | undefined => (roles.length < ROLES.length ? roles : undefined);

/** Returns the state as a table of two columns: each part, and its state. */
function tableOf(home: string, gateway: Running, { ok, readiness }: GatewayAnswer, { text, when }: Messages): string[] {
  const { pid, startedAt, port, roles } = gateway;
  const { ready, channels = {}, workspace, waiting, oldestUndeliveredSeconds: oldest, dead, unsure } = readiness;
  const yes = (is: boolean) => (is ? 'yes' : 'no');
  const isReady = ready === undefined ? !ok && 'away' : yes(ready);
  const rows: [string, string | undefined][] = [
    [text('cli.statusGateway'), text('cli.statusPid', { pid: String(pid) })],
    [text('cli.statusHome'), home],
    [text('cli.statusSince'), when(new Date(startedAt))],
    [text('cli.statusPort'), port === undefined ? undefined : String(port)],
    [
      text('cli.statusRoles'),
      sharedBy(roles)
        ?.map((role) => text('cli.statusRole', { role }))
        .join(', '),
    ],
    [text('cli.statusReady'), isReady ? text('cli.statusYes', { is: isReady }) : undefined],
    ...Object.entries(channels).map(([id, { state, detail }]): [string, string] => {
      const shown = text('cli.statusChannel', { state });
      const name = text('cli.statusName', { id, name: id.charAt(0).toUpperCase() + id.slice(1) });
      return [name, detail ? `${shown}: ${plainLine(detail)}` : shown];
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
