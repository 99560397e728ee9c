/** Finds an address where a phone reaches the Board: that of a tailnet, or another configured https address. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { UserError } from '../../../errors.ts';
import { isRecord, parseJson } from '../../../lib/json.ts';
import { say } from '../../../messages/messages.ts';

/** How long the tailnet's program may take, in ms. */
const LIMIT_MS = 4_000;

interface Tailnet {
  /** This machine's name in the tailnet, for which it has a certificate. */
  name: string;
  /** Local addresses that the tailnet forwards to, such as `http://127.0.0.1:6009`; undefined if unknown. */
  targets: readonly string[] | undefined;
}

/**
 * Returns the configured origin that a phone can open.
 * @throws UserError with the setting to change if there is none
 */
export async function sharedOrigin(origins: readonly string[], port: number, env: NodeJS.ProcessEnv): Promise<string> {
  const secure = origins.map((origin) => new URL(origin)).filter(({ protocol }) => protocol === 'https:');
  const tailnet = await readTailnet(env);
  const own = secure.find(({ hostname }) => hostname === tailnet?.name);
  const isPassedOn = tailnet?.targets?.some((target) => URL.parse(target)?.port === String(port));
  if (own && isPassedOn !== false) return own.origin;
  const other = secure.find(({ hostname }) => hostname !== tailnet?.name);
  if (other) return other.origin;
  if (own) throw new UserError(say('cli.shareServe', { port: String(port), origin: own.origin }));
  if (tailnet) throw new UserError(say('cli.shareList', { port: String(port), origin: `https://${tailnet.name}` }));
  throw new UserError(say('cli.shareNothing'));
}

async function readTailnet(env: NodeJS.ProcessEnv): Promise<Tailnet | undefined> {
  const status = await askTailscale(['status', '--json', '--peers=false'], env);
  if (!isRecord(status) || status.BackendState !== 'Running' || !isRecord(status.Self)) return undefined;
  const name = String(status.Self.DNSName ?? '').replace(/\.$/, '');
  const certified: unknown[] = Array.isArray(status.CertDomains) ? status.CertDomains : [];
  if (!/^[\w.-]+\.[\w.-]+$/.test(name) || (certified.length > 0 && !certified.includes(name))) return undefined;
  const serve = await askTailscale(['serve', 'status', '--json'], env);
  return { name, targets: isRecord(serve) ? proxiedBy(serve) : undefined };
}

/** `Web` has an entry for each host, which has a handler for each path. */
function proxiedBy({ Web }: Record<string, unknown>): string[] {
  const hosts = isRecord(Web) ? Object.values(Web) : [];
  const handlers = hosts.flatMap((host) =>
    isRecord(host) && isRecord(host.Handlers) ? Object.values(host.Handlers) : [],
  );
  return handlers.flatMap((handler) => (isRecord(handler) && typeof handler.Proxy === 'string' ? [handler.Proxy] : []));
}

/** Returns undefined without that program, or if it can't answer. */
async function askTailscale(words: readonly string[], env: NodeJS.ProcessEnv): Promise<unknown> {
  // Most machines don't have the program.
  const asked = await promisify(execFile)('tailscale', [...words], { env, timeout: LIMIT_MS }).catch(() => undefined);
  return asked && parseJson(asked.stdout);
}
