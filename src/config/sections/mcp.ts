/** MCP servers by name: local programs, or URLs. */
import { z } from 'zod';
import { address, flag, headers, listOf, section, text } from '../schema-parts.ts';

const server = section(
  {
    command: text('expected a program')
      .exactOptional()
      .describe('program of an [MCP server](mcp.md); its tools are offered as `NAME_TOOL`'),
    args: listOf(text('expected text')).exactOptional().describe('its arguments'),
    env: z
      .record(z.string(), text('expected text', /[\s\S]*/), 'expected variables with values')
      .exactOptional()
      .describe('its environment beside PATH and HOME'),
    url: address().exactOptional().describe("the server's address, instead of `command`"),
    headers: headers.exactOptional().describe('HTTP headers for `url`'),
    tools: listOf(text('expected text'))
      .exactOptional()
      .describe('only these tools; a run gets at most 100 from skills and servers'),
    trusted: flag
      .default(false)
      .describe('believes the server when it says that a tool only reads, and reaches nobody else'),
  },
  'expected a section with command or url',
).refine(({ command, url }) => (command === undefined) !== (url === undefined), 'expected either command or url');

export const mcp = z
  .record(
    text('expected a name of a-z, 0-9 and - (at most 24)', /^[a-z0-9][a-z0-9-]{0,23}$/),
    server,
    'expected a section with one key for each server',
  )
  .meta({ each: 'NAME' });
