/** How much memory and conversation goes into one request, and what is kept. */
import { expects } from '../expects.ts';
import { flag, listOf, model, oneOf, onOff, section, switched, text, whole } from '../schema-parts.ts';

export const memory = section({
  max_memory_tokens: whole(0).default(2000).describe('tokens of MEMORY.md and daily logs per request'),
  max_task_tokens: whole(0).default(1000).describe('tokens of the plan per request'),
  max_daily_logs: whole(0).default(3).describe('newest daily logs that are read'),
  truncation_strategy: oneOf('head', 'tail', 'smart')
    .default('smart')
    .describe('what remains of a text that is too long: `head`, `tail` or `smart`'),
  injection: oneOf('system', 'message')
    .default('system')
    .describe('where memory goes: the `system` prompt, or a `message` before the conversation'),
  auto_accept: flag
    .default(false)
    .describe(
      "saves an owner's own whole statements without asking; everything else still waits ([memory](memory.md))",
    ),
  retention: section({
    daily_logs_days: whole(1).default(90).describe('days to keep daily logs'),
    index_rebuild_days: whole(1).default(7).describe('days between rebuilds of the index'),
  }).prefault({}),
  exclude_patterns: listOf(text(expects('expected.text')))
    .default(['*.secret.md', 'credentials/*'])
    .describe("files in the viber's folder that are never indexed or put into a request"),
  index: switched('off', 'auto', 'on')
    .default('off')
    .describe('search index: `off` (search reads the files), `on`, or `auto` (from 10 files or 50 KB on)'),
  embedding: model.exactOptional().describe('`provider/model` for a search by meaning; otherwise by words'),
});

export const history = section({
  max_messages: whole(1).default(40).describe('newest messages per request'),
  max_tokens: whole(1).default(8000).describe('and at most this many tokens'),
  compaction: onOff.default('on').describe('summarises what no longer fits; the transcript keeps every word'),
});
