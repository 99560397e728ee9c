/** How much memory and conversation goes into one request, and what is kept. */
import { flag, listOf, model, oneOf, onOff, section, switched, text, whole } from '../schema-parts.ts';

export const memory = section({
  max_memory_tokens: whole(0).default(2000).describe('tokens of MEMORY.md and daily logs in one request'),
  max_task_tokens: whole(0).default(1000).describe('tokens of the plan in one request'),
  max_daily_logs: whole(0).default(3).describe('newest daily logs that are read'),
  truncation_strategy: oneOf('head', 'tail', 'smart')
    .default('smart')
    .describe('what stays of a text that is too long: `head`, `tail` or `smart`'),
  injection: oneOf('system', 'message')
    .default('system')
    .describe('where memory stands in a request: `system` prompt, or a `message` before the conversation'),
  auto_accept: flag
    .default(false)
    .describe(
      "write without asking what stands as a whole statement in an owner's own words; everything else still waits ([memory](memory.md))",
    ),
  retention: section({
    daily_logs_days: whole(1).default(90).describe('days a daily log is kept'),
    index_rebuild_days: whole(1).default(7).describe('days between two rebuilds of the search index'),
  }).prefault({}),
  exclude_patterns: listOf(text('expected text'))
    .default(['*.secret.md', 'credentials/*'])
    .describe("files, relative to the viber's folder, that are never indexed and never put into a request"),
  index: switched('off', 'auto', 'on')
    .default('off')
    .describe(
      'the search index `memory.sqlite`: `off` (files are read at each search), `on`, or `auto` (from 10 files or 50 KB on)',
    ),
  embedding: model
    .exactOptional()
    .describe('`provider/model` that makes vectors of the indexed text; without it a search goes by words'),
});

export const history = section({
  max_messages: whole(1).default(40).describe('newest messages of the conversation in one request'),
  max_tokens: whole(1).default(8000).describe('and at most so many tokens'),
  compaction: onOff
    .default('on')
    .describe(
      'what no longer fits is summarised, after its lasting facts went to the daily log; the transcript keeps every word',
    ),
});
