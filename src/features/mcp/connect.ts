/** Opens one connection to an MCP server: a program on this machine, or an address. */

import { UserError } from '../../errors.ts';
import { isRecord } from '../../lib/json.ts';
import type { OAuthServer } from './auth/oauth.ts';

export interface McpServerSettings {
  command?: string;
  args?: readonly string[];
  /** Where the program runs; absent: where the gateway does. */
  cwd?: string;
  env?: Readonly<Record<string, string>>;
  url?: string;
  headers?: Readonly<Record<string, string>>;
  /** Absent: Streamable HTTP, or the older protocol if the server has only that. */
  transport?: 'http' | 'sse';
  oauth?: OAuthServer['oauth'];
  /** Names of the offered tools; absent means all. */
  tools?: readonly string[];
  trusted: boolean;
}

export type Client = Awaited<ReturnType<typeof import('@ai-sdk/mcp')['createMCPClient']>>;

export interface Hearing {
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
export async function connectServer(
  settings: McpServerSettings,
  signal: AbortSignal,
  hearing: Hearing,
  send: typeof fetch = fetch,
): Promise<Client> {
  const { url, transport } = settings;
  const open = url === undefined ? openProgram : transport === 'sse' ? openStream : openAddress;
  const way = { signal, hearing, send };
  try {
    return await open(settings, { ...way, asks: true });
  } catch (error) {
    if (signal.aborted) throw error;
    if (isOlder(error)) return open(settings, { ...way, asks: false });
    if (open !== openAddress || transport === 'http' || !TRIED_AS_STREAM.includes(statusOf(error) ?? 0)) throw error;
    return openStream(settings, { ...way, asks: false }).catch((second: unknown) => {
      throw second instanceof UserError ? second : error;
    });
  }
}

/** https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility */
const TRIED_AS_STREAM = [400, 404, 405];

interface Way {
  signal: AbortSignal;
  hearing: Hearing;
  /** Sends a request to the server. */
  send: typeof fetch;
  /** Whether to first ask which versions the server supports. */
  asks: boolean;
}

type Open = (settings: McpServerSettings, way: Way) => Promise<Client>;

const common = (signal: AbortSignal, asks: boolean) => ({
  clientName: 'openviber',
  initializationOptions: { timeout: CONNECT_MS, signal },
  protocolVersionDiscovery: asks,
});

const openAddress: Open = async ({ url = '', headers }, { signal, hearing, send, asks }) => {
  const [{ createMCPClient }, { answersOf }, { explained }] = await Promise.all([
    import('@ai-sdk/mcp'),
    import('./http.ts'),
    import('./away.ts'),
  ]);
  const onUncaughtError = (error: unknown) => {
    if (isForgotten(error)) hearing.onForgotten();
    else if (isFaultOfConnection(error)) hearing.onLost(explained(error));
  };
  const transport = { type: 'http' as const, url, headers: { ...headers }, fetch: answersOf(send) };
  return createMCPClient({ ...common(signal, asks), onUncaughtError, transport }).catch((error: unknown) => {
    throw explained(error);
  });
};

const openStream: Open = async ({ url = '', headers = {} }, { signal, hearing, send }) => {
  const [{ createMCPClient }, { openSse }, { explained }] = await Promise.all([
    import('@ai-sdk/mcp'),
    import('./sse.ts'),
    import('./away.ts'),
  ]);
  let isThere = false;
  let ended: Error | undefined;
  const transport = await openSse({
    url,
    headers,
    send,
    onNote(method) {
      if (method === 'notifications/tools/list_changed') hearing.onStale();
    },
    onEnd: (why) => {
      ended = why;
      if (isThere) hearing.onLost(explained(why));
    },
  });
  const client = await createMCPClient({ ...common(signal, false), transport }).catch((error: unknown) => {
    throw explained(ended ?? error);
  });
  isThere = true;
  return client;
};

const openProgram: Open = async ({ command = '', args = [], env = {}, cwd }, { signal, hearing, asks }) => {
  const [{ createMCPClient }, { openStdio }] = await Promise.all([import('@ai-sdk/mcp'), import('./stdio.ts')]);
  let isThere = false;
  let ended: Error | undefined;
  const transport = await openStdio({
    command,
    args,
    env,
    ...(cwd !== undefined && { cwd }),
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

function statusOf(error: unknown): number | undefined {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return isRecord(cause) && typeof cause.statusCode === 'number' ? cause.statusCode : undefined;
}

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
  if (!(error instanceof Error) || ['AnswerError', 'ScopeNeeded'].includes(error.name)) return false;
  if ('statusCode' in error && typeof error.statusCode === 'number') return GONE.includes(error.statusCode);
  return !/^(Unsupported message|Protocol error|Ignoring|MCP HTTP Transport Error: Unexpected content)/.test(
    error.message,
  );
}
