/**
 * Work on what people, models and pages send, done on the thread that serves everybody: whatever the text is, none of it holds that
 * thread for long. Measured by the thread's own time, so that a busy machine fails nothing.
 */
import { expect, it } from 'vitest';
import { loadMarkdown, parseDocument } from '../src/channels/markdown/parse.ts';
import { decodeBody } from '../src/channels/slack/decode/decode.ts';
import { parseYaml } from '../src/config/parse.ts';
import { secretSpans } from '../src/config/secrets.ts';
import { findCalls } from '../src/features/dialects/find-calls.ts';
import { bulletsOf, matching } from '../src/features/memory/store/bullets.ts';
import { shareIn } from '../src/features/memory/store/same-words.ts';
import { readableText } from '../src/lib/charset.ts';
import { plainLine, stripComments, withoutHidden } from '../src/lib/text.ts';
import { addressesIn } from '../src/lib/web-addresses.ts';
import { scrub } from '../src/log.ts';
import { formatUserTurn } from '../src/runtime/context/turn.ts';
import { htmlToText } from '../src/runtime/reading/html/html-text.ts';
import { parseReply } from '../src/runtime/reply/reply.ts';
import { createTelling } from '../src/runtime/tools/result.ts';
import { parseSkill } from '../src/skills/skill.ts';
import { formatPlan, parsePlan, planNotes } from '../src/workspace/tasks/plan-markdown.ts';
import { watchLoop } from './helpers/own-time.ts';

/** Milliseconds of the thread's own time in one go. */
const LIMIT = 200;

// biome-ignore format: a row is a line
const UNITS = [
  ...['a ', '[', '[a](', '*a ', '>', '`', '_a_b', '<a href="x">', '<', '<!--', '|a|b|\n', '|', '- a\n', '  - a\n', '1'],
  ...['http://a.b/', 'http://', '&amp;', '&', ' ', '\n', '\n\n ', '$', '\\(', '@a', '-\n', '---\n', '# a\n', '## a\n', 'QUJD'],
  ...['{"a":', '"', '<plan_update>', '```\n', '~', '![', '[^a]', '[a]: b\n', '\u0000', '\u200b', '😀', 'é', 'a.', 'a=', 'k: v\n', '\ta: 1\n', '%A\n', '[],', '- ', '--key ', ': '],
];
const of = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
const source = { name: 'a', folder: '/x', file: '/x/a/SKILL.md', level: 'user', reserved: new Set<string>() } as never;
const tried = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

const slack = {
  ...{ userId: 'U0BOT', botId: 'B0BOT', teamId: 'T01', commands: new Map(), command: '/viber' },
  ...{ nameOf: () => undefined, languageOf: () => undefined, zoneOf: () => undefined },
};
/** As its text, in thousands of blocks, in attachments, and passed on. */
function inPieces(text: string): object {
  const blocks = Array.from({ length: 5_000 }, (_, n) => ({
    ...{ type: 'section', text: { type: 'mrkdwn', text: `${text.slice(n, n + 9)} w${n}` } },
  }));
  const long = { blocks: [{ type: 'section', text: { type: 'mrkdwn', text: `${text.slice(0, 20_000)}y${text}` } }] };
  const attachments = Array.from({ length: 20 }, (_, n) => ({ text: `${n} ${text}`, blocks, is_share: n > 15 }));
  const said = { channel: 'D1', user: 'U1', text, blocks, attachments: [long, ...attachments] };
  return { type: 'message', ts: '1718000000.000100', ...said };
}

// biome-ignore format: a row is a line
const WORK: [string, length: number, (text: string) => unknown, limit?: number][] = [
  ['an answer as Markdown', 300_000, (text) => parseDocument(text)],
  ['an answer of a model', 300_000, (text) => [parseReply(text), findCalls(text)]],
  ['what a person says', 300_000, (text) => [formatUserTurn({ text, facts: [], quotes: [], recordings: [], documents: [], files: [] } as never), addressesIn(text)]],
  ['one line of it', 300_000, (text) => [plainLine(text), stripComments(text), withoutHidden(text), scrub(text)]],
  ['a plan', 50_000, (text) => [formatPlan(parsePlan(text), text), planNotes(text)]],
  ['a memory', 100_000, (text) => [matching(bulletsOf(text), text.slice(0, 4_000)), shareIn(text.slice(0, 8_000), text.slice(0, 1_000))]],
  ['the result of a tool', 300_000, (text) => createTelling({})(text)],
  ['a page', 300_000, (text) => htmlToText(text, 'https://example.org/')],
  ['a file without a charset', 300_000, (text) => readableText(Buffer.from(text))],
  ['a skill', 100_000, (text) => tried(() => parseSkill(`---\nname: a\ndescription: x\n---\n${text}`, source))],
  ['the head of a skill', 100_000, (text) => tried(() => parseSkill(`---\nname: a\ndescription: ${text}\n---\nx`, source))],
  [
    'a file of YAML',
    262_000,
    async (text) => {
      for (const file of [
        text,
        `a: ${text.slice(0, 19_000)}`,
        `- ${text.slice(0, 12_000)}`,
        `a: [${text.slice(0, 8_000)}`,
      ])
        await parseYaml(file, 'file').catch((error: unknown) => error);
    },
    // The parser is not ours: for the usual 200 ms files would have to be a third as long.
    600,
  ],
  ['a message of Slack in many pieces', 40_000, (text) => decodeBody({ event: inPieces(text) }, slack)],
  ['a setting', 60_000, (text) => secretSpans(text, ['mcp', 'a', 'args', 0], '--key')],
];

it.each(WORK)('%s', async (_what, length, work, limit = LIMIT) => {
  await loadMarkdown();
  await work('a');
  const slow: string[] = [];
  for (const unit of UNITS) {
    const text = of(unit, length);
    let ms = Number.POSITIVE_INFINITY;
    // On busy cores the same work takes more of the processor's time too: the best of a few runs counts.
    for (let tries = 0; tries < 4 && ms > limit; tries++) {
      const longest = watchLoop();
      await work(text);
      ms = Math.min(ms, longest());
    }
    if (ms > limit) slow.push(`${JSON.stringify(unit)}: ${Math.round(ms)} ms`);
  }
  expect(slow).toEqual([]);
});
