/** Lists the usable tools of a server, across all pages. */
import type { Client } from './connect.ts';
import { isOfferable, type McpToolInfo } from './tool.ts';

const MAX_TOOLS = 128;
const MAX_PAGES = 20;

/** @param names of the wanted tools; absent means all */
export async function listTools(
  client: Client,
  names: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<McpToolInfo[]> {
  // A server may have only prompts or resources.
  if (!client.initializeResult.capabilities.tools) return [];
  const found = new Map<string, McpToolInfo>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && found.size < MAX_TOOLS; page++) {
    const params = cursor === undefined ? {} : { params: { cursor } };
    const answer = await client.listTools({ ...params, options: { signal } });
    for (const tool of answer.tools) {
      if (names?.includes(tool.name) !== false && isOfferable(tool)) found.set(tool.name, tool);
    }
    cursor = answer.nextCursor;
    if (cursor === undefined) break;
  }
  return [...found.values()].slice(0, MAX_TOOLS);
}
