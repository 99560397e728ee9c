/** Settings of skills, of web search and of reading web pages. */

import { z } from 'zod';
import { expects } from '../../messages/expects.ts';
import {
  address,
  appliesLive,
  listOf,
  model,
  oneOf,
  seconds,
  secret,
  section,
  switched,
  text,
  webHost,
  whole,
} from '../schema-parts.ts';

export const skills = section({
  env: z
    .record(
      z.string(),
      z
        .record(
          text(expects('expected.variableName'), /^[A-Za-z_][A-Za-z0-9_]*$/),
          text(expects('expected.text')).describe('a variable for scripts of the skill `NAME`; masked in their output'),
          expects('expected.variables'),
        )
        .meta({ each: 'KEY' }),
      expects('expected.skills'),
    )
    .default({}),
  network: listOf(text(expects('expected.text')))
    .default([])
    .describe("skills whose scripts may use the network although their files don't ask for it"),
  timeout: seconds.default(60).describe('seconds a script may run, unless its skill says otherwise'),
  webOrigins: listOf(address())
    .default([])
    .describe(
      'private or unusual origins (`https://wiki.intra:8443`) that may be read, and [skills added from](skills.md#adding-skills)',
    ),
  maxPromptTokens: whole(100)
    .default(2000)
    .describe(
      'tokens for descriptions of skills; the names of all others follow ([skills](skills-reference.md#many-skills))',
    ),
  registry: address()
    .default('https://registry.npmjs.org')
    .describe('npm registry for [skills](skills.md#adding-skills)'),
  shell: switched('off', 'on', 'network')
    .default('off')
    .describe('commands in the sandbox: `off`, `on` (no network), `network` ([shell](skills-reference.md#shell))'),
});

export const search = section({
  by: oneOf('auto', 'off', 'provider', 'searxng', 'brave', 'tavily')
    .default('auto')
    .describe('who searches: `auto`, `off`, `provider`, `searxng`, `brave`, `tavily` ([the web](web.md#searching))'),
  url: address()
    .exactOptional()
    .describe('address of SearXNG (otherwise `http://127.0.0.1:8080`), or another one for Brave or Tavily'),
  apiKey: secret.describe('key of Brave or Tavily; or set `BRAVE_API_KEY` or `TAVILY_API_KEY`'),
  model: model.exactOptional().describe('`provider/model` whose provider searches, if not the one that answers'),
});

export const web = section({
  hosts: appliesLive(
    listOf(webHost)
      .default([])
      .describe(
        'hosts read without asking: `example.org`, `*.example.org` (subdomains only), `example.org:8443` ([the web](web.md#what-leaves))',
      ),
  ),
});
