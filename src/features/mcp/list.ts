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
  /** The names of all wanted tools that the server has, also of those that are left out and not shown. */
  found: ReadonlySet<string>;
}

interface ToolListing {
  /** The wanted tools; absent means all. */
  names: readonly string[] | undefined;
  signal: AbortSignal;
  onRefused(error: unknown): void;
}

export async function listTools(client: Client, { names, signal, onRefused }: ToolListing): Promise<ListedTools> {
  // A server may have only prompts or resources.
  if (!client.initializeResult.capabilities.tools) return { offered: [], leftOut: [], found: new Set() };
  const offered = new Map<string, McpToolInfo>();
  const found = new Set<string>();
  const leftOut = new Map<string, LeftOutReason>();
  const pages = listPages({
    read: (which) => client.listTools({ ...which, options: { signal } }),
    maxPages: MAX_PAGES,
    onRefused,
  });
  for await (const { tools } of pages) {
    for (const tool of tools) {
      if (names?.includes(tool.name) === false) continue;
      found.add(tool.name);
      const why = leftOutReason(tool) ?? (offered.size < MAX_TOOLS || offered.has(tool.name) ? undefined : 'many');
      if (why === undefined) offered.set(tool.name, tool);
      else if (leftOut.size < MAX_LEFT_OUT) leftOut.set(tool.name, why);
    }
    // The tools of later pages are too many, and only some of them are shown.
    if (offered.size >= MAX_TOOLS && leftOut.size >= MAX_LEFT_OUT && names === undefined) break;
  }
  const shown = [...leftOut].map(([name, why]) => ({ tool: visibleExcerpt(name, MAX_SHOWN_NAME), why }));
  return { offered: [...offered.values()], leftOut: shown, found };
}
