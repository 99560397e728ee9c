/** How much memory and conversation goes into one request, and what is kept. */
import { expects } from '../../messages/expects.ts';
import {
  appliesLive,
  autoOr,
  flag,
  listOf,
  model,
  oneOf,
  onOff,
  section,
  switched,
  text,
  whole,
} from '../schema-parts.ts';

export const memory = section({
  maxMemoryTokens: appliesLive(whole(0).default(2000).describe('tokens of MEMORY.md and daily logs per request')),
  maxTaskTokens: appliesLive(whole(0).default(1000).describe('tokens of the plan per request')),
  maxDailyLogs: appliesLive(whole(0).default(3).describe('newest daily logs that are read')),
  truncationStrategy: appliesLive(
    oneOf('head', 'tail', 'smart')
      .default('smart')
      .describe('what remains of a text that is too long: `head`, `tail` or `smart`'),
  ),
  injection: appliesLive(
    oneOf('system', 'message')
      .default('system')
      .describe('where memory goes: the `system` prompt, or a `message` before the conversation'),
  ),
  autoAccept: appliesLive(
    flag
      .default(false)
      .describe(
        "saves an owner's own whole statements without asking; everything else still waits ([memory](memory.md))",
      ),
  ),
  retention: section({
    dailyLogsDays: whole(1).default(90).describe('days to keep daily logs'),
    indexRebuildDays: whole(1).default(7).describe('days between rebuilds of the index'),
  }).prefault({}),
  excludePatterns: listOf(text(expects('expected.text')))
    .default(['*.secret.md', 'credentials/*'])
    .describe("files in the viber's folder that are never indexed or put into a request"),
  index: switched('off', 'auto', 'on')
    .default('off')
    .describe('search index: `off` (search reads the files), `on`, or `auto` (from 10 files or 50 KB on)'),
  embedding: model.exactOptional().describe('`provider/model` for a search by meaning; otherwise by words'),
});

export const history = section({
  maxMessages: appliesLive(whole(1).default(40).describe('newest messages per request')),
  maxTokens: appliesLive(
    autoOr(expects('expected.tokens'), 1)
      .default('auto')
      .describe("newest tokens per request; `auto` is half the model's context, at most 100,000 (8,000 if unknown)"),
  ),
  compaction: onOff.default('on').describe('summarises what no longer fits; the transcript keeps every word'),
});
