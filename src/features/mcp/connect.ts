/** Opens one connection to an MCP server: a program on this machine, or an address. */
import { isRecord } from '../../lib/json.ts';

export interface McpServerSettings {
  command?: string;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  url?: string;
  headers?: Readonly<Record<string, string>>;
  /** Names of the offered tools; absent means all. */
  tools?: readonly string[];
  trusted: boolean;
}

export type Client = Awaited<ReturnType<typeof import('@ai-sdk/mcp')['createMCPClient']>>;

export interface Hearing {
  /** Called when the server's tools have changed. */
  onStale(): void;
  /** Called when the server is gone after it was connected. */
  onLost(error: unknown): void;
  /** Called when the server has forgotten the session, which can't be used any more. */
  onForgotten(): void;
}

const CONNECT_MS = 20_000;
/** Since this version, a server is first asked which versions it supports. */
const ASKED_SINCE = '2026-07-28';
/** The error code of a server that doesn't support the version of the request and lists the ones it does. */
const VERSION_REFUSED = -32022;

/**
 * Rejects with the reason, in the server's own words if it gave any. A server older than the version question may exit
 * or refuse it; then this connects once more without that question.
 */
export function connectServer(settings: McpServerSettings, signal: AbortSignal, hearing: Hearing): Promise<Client> {
  const open = settings.url === undefined ? openProgram : openAddress;
  return open(settings, signal, hearing, true).catch((error: unknown) => {
    if (signal.aborted || !isOlder(error)) throw error;
    return open(settings, signal, hearing, false);
  });
}

/** @param asks whether to first ask which versions the server supports */
type Open = (settings: McpServerSettings, signal: AbortSignal, hearing: Hearing, asks: boolean) => Promise<Client>;

const common = (signal: AbortSignal, asks: boolean) => ({
  clientName: 'openviber',
  initializationOptions: { timeout: CONNECT_MS, signal },
  protocolVersionDiscovery: asks,
});

const openAddress: Open = async ({ url = '', headers }, signal, hearing, asks) => {
  const [{ createMCPClient }, { fetchAnswer }, { explained }] = await Promise.all([
    import('@ai-sdk/mcp'),
    import('./http.ts'),
    import('./away.ts'),
  ]);
  const onUncaughtError = (error: unknown) => {
    if (isForgotten(error)) hearing.onForgotten();
    else if (isFaultOfConnection(error)) hearing.onLost(explained(error));
  };
  const transport = { type: 'http' as const, url, headers: { ...headers }, fetch: fetchAnswer };
  return createMCPClient({ ...common(signal, asks), onUncaughtError, transport }).catch((error: unknown) => {
    throw explained(error);
  });
};

const openProgram: Open = async ({ command = '', args = [], env = {} }, signal, hearing, asks) => {
  const [{ createMCPClient }, { openStdio }] = await Promise.all([import('@ai-sdk/mcp'), import('./stdio.ts')]);
  let isThere = false;
  let ended: Error | undefined;
  const transport = await openStdio({
    command,
    args,
    env,
    onNote(method) {
      if (method === 'notifications/tools/list_changed') hearing.onStale();
    },
    onEnd: (why) => {
      ended = why;
      if (isThere) hearing.onLost(why);
    },
  });
  const client = await createMCPClient({ ...common(signal, asks), transport }).catch((error: unknown) => {
    throw ended ?? error;
  });
  isThere = true;
  return client;
};

function isOlder(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'EndedError') return true;
  if (!('code' in error && error.code === VERSION_REFUSED && 'data' in error && isRecord(error.data))) return false;
  const { supported } = error.data;
  return Array.isArray(supported) && supported.some((version) => typeof version === 'string' && version < ASKED_SINCE);
}

/** Returns whether a call failed before anything was done, so that it may be repeated in another session. */
export const isForgotten = (error: unknown): boolean => error instanceof Error && error.name === 'SessionError';

/** Returns whether the program had ended before anything was written to it. */
export const isUnsent = (error: unknown): boolean => error instanceof Error && error.name === 'UnsentError';

/** Statuses that concern the session or our identity rather than one call. */
const GONE = [401, 403, 404];

/** Notifications, answers to calls that were given up, and single failing calls are not faults of the connection. */
function isFaultOfConnection(error: unknown): boolean {
  if (!(error instanceof Error) || error.name === 'AnswerError') return false;
  if ('statusCode' in error && typeof error.statusCode === 'number') return GONE.includes(error.statusCode);
  return !/^(Unsupported message|Protocol error|Ignoring|MCP HTTP Transport Error: Unexpected content)/.test(
    error.message,
  );
}
