/** MCP servers by name: local programs, or URLs. */

import { z } from 'zod';
import { expects } from '../expects.ts';
import { address, flag, headers, listOf, section, text } from '../schema-parts.ts';

const server = section(
  {
    command: text(expects('expected.program'))
      .exactOptional()
      .describe('program of an [MCP server](mcp.md); its tools are offered as `NAME_TOOL`'),
    args: listOf(text(expects('expected.text')))
      .exactOptional()
      .describe('its arguments'),
    env: z
      .record(z.string(), text(expects('expected.text'), /[\s\S]*/), expects('expected.variables'))
      .exactOptional()
      .describe('its environment beside PATH and HOME'),
    url: address().exactOptional().describe("the server's address, instead of `command`"),
    headers: headers.exactOptional().describe('HTTP headers for `url`'),
    tools: listOf(text(expects('expected.text')))
      .exactOptional()
      .describe('only these tools; a run gets at most 100 from skills and servers'),
    trusted: flag
      .default(false)
      .describe('believes the server when it says that a tool only reads, and reaches nobody else'),
  },
  expects('expected.server'),
).refine(({ command, url }) => (command === undefined) !== (url === undefined), expects('expected.eitherOr'));

export const mcp = z
  .record(text(expects('expected.serverName'), /^[a-z0-9][a-z0-9-]{0,23}$/), server, expects('expected.servers'))
  .meta({ each: 'NAME' });
