/** Settings of skills, of web search and of reading web pages. */
import { z } from 'zod';
import {
  address,
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
          text('expected the name of a variable', /^[A-Za-z_][A-Za-z0-9_]*$/),
          text('expected text').describe(
            'a variable that scripts of the skill `NAME` find in their environment; masked in what they write',
          ),
          'expected variables with values',
        )
        .meta({ each: 'KEY' }),
      'expected a section with one key for each skill',
    )
    .default({}),
  network: listOf(text('expected text'))
    .default([])
    .describe('names of skills whose scripts and programs may reach the network although their files do not say so'),
  timeout: seconds.default(60).describe('seconds a script may run, where its skill says nothing'),
  webOrigins: listOf(address())
    .default([])
    .describe(
      'exact origins (`https://wiki.intra:8443`) that `web-fetch` may read, and [skills be added](skills.md#adding-skills) from, although they are private, not https, or on another port; whether it asks before is for `web.hosts`',
    ),
  max_prompt_tokens: whole(100)
    .default(2000)
    .describe(
      'tokens of a prompt that descriptions of skills take: as many as fit, whole; the names of all others follow ([skills](skills-reference.md#many-skills))',
    ),
  registry: address()
    .default('https://registry.npmjs.org')
    .describe('where npm packages that hold skills are asked for ([skills](skills.md#adding-skills))'),
  shell: switched('off', 'on', 'network')
    .default('off')
    .describe(
      'commands in the sandbox: `off`, `on` (without network), `network`; without a sandbox there are none ([skills](skills-reference.md#shell))',
    ),
});

export const search = section({
  by: oneOf('auto', 'off', 'provider', 'searxng', 'brave', 'tavily')
    .default('auto')
    .describe(
      'who searches the web: `auto`, `off`, `provider`, `searxng`, `brave`, `tavily` ([the web](web.md#searching))',
    ),
  url: address()
    .exactOptional()
    .describe('where SearXNG listens (`http://127.0.0.1:8080` without it); or another address for Brave or Tavily'),
  apiKey: secret.describe(
    'the key of Brave or Tavily; `BRAVE_API_KEY` and `TAVILY_API_KEY` in the environment do as well',
  ),
  model: model
    .exactOptional()
    .describe('`provider/model` whose provider searches, where that is not the model that answers'),
});

export const web = section({
  hosts: listOf(webHost)
    .default([])
    .describe(
      'hosts whose pages are read without a question: `example.org`, `*.example.org` for its subdomains (not itself), `example.org:8443` ([the web](web.md#what-leaves))',
    ),
});
