/** MCP servers by name: local programs, or URLs. */

import { z } from 'zod';
import { expects } from '../../messages/expects.ts';
import { address, flag, headers, listOf, oneOf, secret, section, text } from '../schema-parts.ts';

const oauth = section({
  clientId: text(expects('expected.text'))
    .exactOptional()
    .describe('the ID of an app registered there, if the server registers none by itself'),
  clientSecret: secret.describe('its secret, if it has one'),
  issuer: address().exactOptional().describe('the authorization server that the secret is for; required with a secret'),
  scopes: listOf(text(expects('expected.text'), /^[\x21\x23-\x5b\x5d-\x7e]+$/))
    .exactOptional()
    .describe('what a login asks for, unless the server says so itself'),
}).refine(({ clientSecret, issuer }) => clientSecret === undefined || issuer !== undefined, expects('expected.issuer'));

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
    transport: oneOf('http', 'sse')
      .exactOptional()
      .describe('`http` (Streamable HTTP) or `sse` (older servers); otherwise tried in this order'),
    oauth: oauth
      .exactOptional()
      .describe('for [logins](mcp.md#logins): `clientId`, `clientSecret` with its `issuer`, and `scopes`'),
    tools: listOf(text(expects('expected.text')))
      .exactOptional()
      .describe('only these tools; a run gets at most 100 from skills and servers'),
    trusted: flag.default(false).describe('trusts the server when it says that a tool only reads and contacts nobody'),
  },
  expects('expected.server'),
).refine(({ command, url }) => (command === undefined) !== (url === undefined), expects('expected.eitherOr'));

export const mcp = z
  .record(text(expects('expected.serverName'), /^[a-z0-9][a-z0-9-]{0,23}$/), server, expects('expected.servers'))
  .meta({ each: 'NAME' });
