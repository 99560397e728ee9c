/** One connection to a server of tools: a program of this machine, or an address. */
export interface McpServerSettings {
  command?: string;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  url?: string;
  headers?: Readonly<Record<string, string>>;
  /** Names of the tools that are offered; absent means all. */
  tools?: readonly string[];
  trusted: boolean;
}

export type Client = Awaited<ReturnType<typeof import('@ai-sdk/mcp')['createMCPClient']>>;

export interface Hearing {
  /** Its tools are others now. */
  onStale(): void;
  /** It is gone, once it has been there. */
  onLost(error: unknown): void;
}

const CONNECT_MS = 20_000;

/** Rejects with the reason, in the server's own words where it gave some. */
export async function connect(settings: McpServerSettings, signal: AbortSignal, hearing: Hearing): Promise<Client> {
  const { command, args, env, url, headers } = settings;
  const { createMCPClient } = await import('@ai-sdk/mcp');
  const common = { clientName: 'openviber', initializationOptions: { timeout: CONNECT_MS, signal } };
  if (url !== undefined) {
    const [{ fetchAnswer }, { explained }] = await Promise.all([import('./http.ts'), import('./away.ts')]);
    const onUncaughtError = (error: unknown) => {
      if (isFaultOfConnection(error)) hearing.onLost(explained(error));
    };
    const transport = { type: 'http' as const, url, headers: { ...headers }, fetch: fetchAnswer };
    return createMCPClient({ ...common, onUncaughtError, transport }).catch((error: unknown) => {
      throw explained(error);
    });
  }
  const { openStdio } = await import('./stdio.ts');
  let ended: Error | undefined;
  const transport = await openStdio({
    ...{ command: command ?? '', args: args ?? [], env: env ?? {} },
    onNote(method) {
      if (method === 'notifications/tools/list_changed') hearing.onStale();
    },
    onEnd: (why) => {
      ended = why;
      hearing.onLost(why);
    },
  });
  return createMCPClient({ ...common, transport }).catch((error: unknown) => {
    throw ended ?? error;
  });
}

/** Statuses that say so of the session or of who we are, not of one call. */
const GONE = [401, 403, 404];

/** Notes, answers to questions that were given up, and calls that fail one by one are none. */
function isFaultOfConnection(error: unknown): boolean {
  if (!(error instanceof Error) || error.name === 'AnswerError') return false;
  if ('statusCode' in error && typeof error.statusCode === 'number') return GONE.includes(error.statusCode);
  return !/^(Unsupported message|Protocol error|Ignoring|MCP HTTP Transport Error: Unexpected content)/.test(
    error.message,
  );
}
