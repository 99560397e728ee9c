/** docs/protocol.md says what is so: its examples fit the schemas, its tables are those of the program. */

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { type AgentStreamEvent, formatAddress } from '../src/channels/channel.ts';
import { parseSuggestion } from '../src/features/memory/store/suggestions.ts';
import {
  artifactDeltaSchema,
  artifactRefSchema,
  planSchema,
  taskRequestSchema,
  taskResultSchema,
} from '../src/runtime/contract/protocol.ts';
import { canBecome } from '../src/runtime/contract/task.ts';
import { knowBlocks } from '../src/runtime/features.ts';
import { parseReply } from '../src/runtime/reply/reply.ts';
import { openHome } from '../src/workspace/home.ts';
import { formatPlan, openTask, parsePlan } from '../src/workspace/tasks/index.ts';
import { parseEntry } from '../src/workspace/tasks/session-lines.ts';
import type { SessionEntry, TaskState } from '../src/workspace/types.ts';
import { startOAuth } from './emulators/mcp-oauth.ts';
import { eventually } from './helpers/eventually.ts';
import { FEATURES } from './helpers/features.ts';
import { ask } from './platforms/platform.ts';
import { openPlatforms } from './platforms/world.ts';

const page = readFileSync(join(import.meta.dirname, '..', 'docs', 'protocol.md'), 'utf8');

/** The example blocks by the word after their language. */
const examples = new Map(
  [...page.matchAll(/^(`{3,})(?:jsonl?|markdown) ([\w-]+)\n([\s\S]*?)^\1$/gm)].map(([, , name = '', body = '']) => [
    name,
    body,
  ]),
);
const example = (name: string): string => examples.get(name) ?? expect.fail(`no example ${name}`);
const json = (name: string): unknown => JSON.parse(example(name));
const frames = [...page.matchAll(/^```json (?:command|frame)\n([\s\S]*?)^```$/gm)].map(([, body = '']) =>
  z.looseObject({ type: z.string(), result: z.unknown().optional() }).parse(JSON.parse(body)),
);

/** The rows of the table or list under a heading, cells without backticks. */
function table(heading: string): string[][] {
  const section = page.split(new RegExp(`^#{2,3} ${heading}$`, 'm'))[1]?.split(/^#{2,3} /m)[0] ?? '';
  const lines = section.split('\n');
  const items = lines.filter((line) => line.startsWith('- `'));
  if (items.length > 0) return items.map((line) => line.slice(2).split(/(?<=^`[^`]+`): | → /));
  const rows = lines.filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}
const bare = (cell = ''): string => cell.replaceAll('`', '');

describe('the examples', () => {
  it('of the task fit its schemas', () => {
    const submitted = frames.find(({ type }) => type === 'task:submit');
    expect(taskRequestSchema.parse(submitted).artifacts?.[1]).toEqual({
      ...{ id: 'board-17', title: 'board-17', type: 'application/octet-stream', ref: '' },
    });
    const { result } = frames.find(({ type }) => type === 'task:completed') ?? {};
    expect(taskResultSchema.parse(result)).toEqual(result);
    expect(artifactRefSchema.parse(json('artifact-ref'))).toEqual(json('artifact-ref'));
  });

  it('of the plan are the same plan, as it is written to disk', () => {
    const plan = planSchema.parse(json('plan'));
    expect(formatPlan(plan)).toBe(example('plan-markdown'));
    expect(parsePlan(example('plan-markdown'))).toEqual(plan);
  });

  it('of a reply is parsed as the page says', () => {
    knowBlocks(FEATURES);
    const reply = parseReply(example('reply'));
    expect(reply.problems).toEqual([]);
    expect(reply.visible).toBe('I compared the offers; the table is attached.');
    expect(artifactDeltaSchema.array().parse(reply.artifactDeltas)).toHaveLength(1);
    expect(reply.elements.get('memory_suggestion')?.map(parseSuggestion)).toEqual([
      { section: 'Project Context', text: '- Offers exclude tax' },
    ]);
  });

  it('of events has each kind', () => {
    const kinds: Record<AgentStreamEvent['type'], true> = {
      'text-delta': true,
      'tool-call': true,
      'tool-result': true,
      'state-change': true,
    };
    const event = z.object({ type: z.string(), agentId: z.string(), taskId: z.string(), runId: z.string() });
    const events = event.array().parse(json('events'));
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(Object.keys(kinds)));
  });

  it('of the session has each kind of line, and each is readable', () => {
    const kinds: Record<SessionEntry['type'], true> = {
      session: true,
      message: true,
      approval: true,
      decision: true,
      call: true,
      sent: true,
      step: true,
      result: true,
      compaction: true,
    };
    const written = example('session').trimEnd().split('\n');
    const lines = written.map((line) => z.looseObject({ type: z.string() }).parse(JSON.parse(line)));
    for (const line of lines) expect(parseEntry(JSON.stringify(line))).toEqual(line);
    expect(lines.map(({ type }) => type).toSorted()).toEqual(Object.keys(kinds).toSorted());
    expect(
      table('Sessions')
        .map(([name]) => bare(name))
        .toSorted(),
    ).toEqual(Object.keys(kinds).toSorted());
  });
});

describe('the lists', () => {
  it('of tools has every tool with exactly its arguments', async () => {
    const server = await startOAuth();
    onTestFinished(() => server.close());
    const world = await openPlatforms({
      on: ['telegram'],
      channel: { live: 'off' },
      config: {
        mcp: { linear: { url: server.url } },
        search: { by: 'searxng' },
        pictures: { model: 'local/pictures' },
      },
      prepare(home) {
        mkdirSync(join(home, 'agents'));
        writeFileSync(join(home, 'agents', 'coder.yaml'), 'description: Writes code\n');
        mkdirSync(join(home, 'skills/tea'), { recursive: true });
        for (let n = 0; n < 12; n++)
          writeFileSync(
            join(home, n === 0 ? 'skills/tea/SKILL.md' : `skills/tea-${n}.skill.md`),
            `---\ndescription: ${'Makes tea. '.repeat(90)}\n---\nBoil water.\n`,
          );
      },
    });
    const { telegram } = world.platforms;
    // `connect_server` is offered once the server has said that it needs a login.
    await ask(telegram, telegram.dm('alex'), 'hello');
    await eventually(() => expect(JSON.stringify(world.logs)).toContain('needs a login'));
    await ask(telegram, telegram.dm('alex'), 'and now?');
    const skills = ['git-commit', 'web-fetch', 'chart'];
    const requests = z.looseObject({
      tools: z.array(
        z.looseObject({
          function: z.looseObject({
            name: z.string(),
            parameters: z.looseObject({
              properties: z.record(z.string(), z.unknown()).default({}),
              required: z.array(z.string()).default([]),
            }),
          }),
        }),
      ),
    });
    const shapes = requests
      .parse(world.llm.requests().findLast(({ body }) => JSON.stringify(body).includes('and now?'))?.body)
      .tools.map(({ function: { name, parameters } }): [string, string[]] => [
        name,
        Object.keys(parameters.properties).map((key) => (parameters.required.includes(key) ? key : `${key}?`)),
      ])
      .filter(([name]) => !skills.includes(name));
    const rows = table('Tools').map(([name, args = '']): [string, string[]] => {
      const listed = args.split(', `').map((arg) => /^`?(\w+)`(\??)/.exec(arg)?.slice(1).join('') ?? '');
      return [bare(name), listed.filter(Boolean)];
    });
    expect(new Map(rows.toSorted())).toEqual(new Map(shapes.toSorted()));
  });

  it('of states is the state machine', () => {
    const states: TaskState[] = ['pending', 'running', 'completed', 'error', 'stopped'];
    const allowed = states.map((from) => [from, states.filter((to) => canBecome(from, to)).toSorted()]);
    expect(table('States').map(([from, to = '']) => [bare(from), bare(to).split(', ').toSorted()])).toEqual(allowed);
  });

  it('of addresses is how they are written', () => {
    const rows = table('Addresses and people as text');
    expect(rows.length).toBeGreaterThan(3);
    for (const [text, channel = '', account = '', chat = '', thread = ''] of rows) {
      const address = { channel, account, chat, ...(thread ? { thread } : {}) };
      expect(bare(text)).toBe(formatAddress(address, { account: account !== '' }));
    }
  });
});

describe('the home', () => {
  it('has the layout of the page', async () => {
    const root = mkdtempSync(join(tmpdir(), 'protocol-'));
    try {
      const home = await openHome(root);
      const tree = /^## Home\n[\s\S]*?^```\n([\s\S]*?)^```$/m.exec(page)?.[1] ?? '';
      const lines = tree.split('\n').filter(Boolean);
      const named = (indent: string) =>
        lines
          .filter((line) => line.startsWith(indent) && line[indent.length] !== ' ')
          .flatMap(
            (line) =>
              line
                .trim()
                .split(/\s{4,}/)[0]
                ?.split(/\s+/) ?? [],
          );
      const top = named('').map((name) => name.replace(/\/$/, ''));
      expect(readdirSync(root).filter((name) => !top.includes(name))).toEqual([]);
      expect(top.filter((name) => name !== 'config.yaml' && !readdirSync(root).includes(name))).toEqual([]);
      const inside = named('  ').map((name) => name.replace(/\/$/, ''));
      expect(readdirSync(home.viberDir('default')).filter((name) => !inside.includes(name))).toEqual([]);

      const record = json('task-record');
      mkdirSync(home.taskDir('20261121-abcde'));
      writeFileSync(join(home.taskDir('20261121-abcde'), 'task.json'), JSON.stringify(record));
      expect(openTask(home, '20261121-abcde').record()).toEqual(record);
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});

describe('the schemas refuse', () => {
  const request = { goal: 'g', messages: [] };
  it.each([
    ['no goal', { messages: [] }],
    ['an empty goal', { goal: '', messages: [] }],
    ['no messages', { goal: 'g' }],
    ['a system message', { ...request, messages: [{ role: 'system', text: 'obey' }] }],
    ['tool calls that were never made', { ...request, messages: [{ role: 'steps', messages: [] }] }],
    ['an unknown status', { ...request, plan: { goal: 'g', steps: [{ id: '1', title: 't', status: 'soon' }] } }],
    ['an artifact without an id', { ...request, artifacts: [{ title: 'a' }] }],
    ['memory that is no text', { ...request, memory: ['a'] }],
  ])('%s', (_, value) => {
    expect(taskRequestSchema.safeParse(value).success).toBe(false);
  });

  it('a path of a file in a message: it does not reach the program', () => {
    const given = {
      ...request,
      messages: [{ role: 'user', text: 'x', files: [{ path: '/etc/passwd', name: 'a', mimeType: 'image/png' }] }],
    };
    expect(taskRequestSchema.parse(given).messages).toEqual([{ role: 'user', text: 'x' }]);
  });

  it('a summary above 300 characters', () => {
    expect(taskResultSchema.safeParse({ text: '', summary: 'x'.repeat(301), artifactRefs: [] }).success).toBe(false);
  });
});
