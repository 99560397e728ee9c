/** Lists the usable tools of a server, across all pages. */
import { visibleExcerpt } from './answer.ts';
import type { Client } from './connect.ts';
import { listPages } from './pages.ts';
import { type LeftOutReason, leftOutReason, type McpToolInfo } from './tool.ts';

const MAX_TOOLS = 128;
const MAX_PAGES = 20;
const MAX_LEFT_OUT = 20;
const MAX_SHOWN_NAME = 100;

export interface LeftOutTool {
  tool: string;
  why: LeftOutReason;
}

export interface ListedTools {
  offered: McpToolInfo[];
  leftOut: LeftOutTool[];
}

interface ToolListing {
  /** The wanted tools; absent means all. */
  names: readonly string[] | undefined;
  signal: AbortSignal;
  onRefused(error: unknown): void;
}

export async function listTools(client: Client, { names, signal, onRefused }: ToolListing): Promise<ListedTools> {
  // A server may have only prompts or resources.
  if (!client.initializeResult.capabilities.tools) return { offered: [], leftOut: [] };
  const found = new Map<string, McpToolInfo>();
  const leftOut = new Map<string, LeftOutReason>();
  const pages = listPages({
    read: (which) => client.listTools({ ...which, options: { signal } }),
    maxPages: MAX_PAGES,
    onRefused,
  });
  for await (const { tools } of pages) {
    for (const tool of tools) {
      if (names?.includes(tool.name) === false) continue;
      const why = leftOutReason(tool) ?? (found.size < MAX_TOOLS || found.has(tool.name) ? undefined : 'many');
      if (why === undefined) found.set(tool.name, tool);
      else if (leftOut.size < MAX_LEFT_OUT) leftOut.set(visibleExcerpt(tool.name, MAX_SHOWN_NAME), why);
    }
    if (found.size >= MAX_TOOLS) break;
  }
  return { offered: [...found.values()], leftOut: [...leftOut].map(([tool, why]) => ({ tool, why })) };
}
