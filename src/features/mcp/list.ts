/** Lists the usable tools of a server, across all pages. */
import type { Client } from './connect.ts';
import { listPages } from './pages.ts';
import { isOfferable, type McpToolInfo } from './tool.ts';

const MAX_TOOLS = 128;
const MAX_PAGES = 20;

interface ToolListing {
  /** The wanted tools; absent means all. */
  names: readonly string[] | undefined;
  signal: AbortSignal;
  onRefused(error: unknown): void;
}

export async function listTools(client: Client, { names, signal, onRefused }: ToolListing): Promise<McpToolInfo[]> {
  // A server may have only prompts or resources.
  if (!client.initializeResult.capabilities.tools) return [];
  const found = new Map<string, McpToolInfo>();
  const pages = listPages({
    read: (which) => client.listTools({ ...which, options: { signal } }),
    maxPages: MAX_PAGES,
    onRefused,
  });
  for await (const { tools } of pages) {
    for (const tool of tools) {
      if (names?.includes(tool.name) !== false && isOfferable(tool)) found.set(tool.name, tool);
    }
    if (found.size >= MAX_TOOLS) break;
  }
  return [...found.values()].slice(0, MAX_TOOLS);
}
