/** Lists of servers: pages that repeat or fail, and tools that are nested without end. */
import { expect, onTestFinished, test } from 'vitest';
import { leftOutNote } from '../../../src/features/mcp/check.ts';
import { McpServers } from '../../../src/features/mcp/servers.ts';
import { silentLog } from '../../../src/log.ts';
import { messagesIn } from '../../../src/messages/messages.ts';
import { openHome } from '../../../src/workspace/home.ts';
import { wrongSchema } from '../../emulators/llm/schemas.ts';
import { inputSchema, type McpAsked, mcpResult, startMcp } from '../../emulators/mcp.ts';
import { toolScope } from '../../helpers/scope.ts';
import { tempFolder } from '../../helpers/temp.ts';

const tool = (name: string, schema: object = inputSchema) => ({ name, inputSchema: schema });

/** Connects to a server whose lists are answered by `answer`. */
async function open(answer: (asked: McpAsked, cursor: unknown) => unknown, named?: string[]) {
  const asked: unknown[] = [];
  const url = await startMcp({
    first(one) {
      if (one.method === 'initialize')
        one.json({ ...mcpResult('initialize', one.params, []), capabilities: { tools: {}, prompts: {} } });
      else if (/^(tools|prompts)\/list$/.test(one.method)) {
        asked.push(one.params?.cursor);
        answer(one, one.params?.cursor);
      } else return false;
      return true;
    },
  });
  const mcp = new McpServers({
    servers: { m: { url, trusted: false, ...(named && { tools: named }) } },
    log: silentLog(),
  });
  onTestFinished(() => mcp.close());
  const tools = await mcp.tools(toolScope(await openHome(tempFolder())));
  return { mcp, asked, tools, names: tools.map(({ name }) => name) };
}

const refusal = { code: -32602, message: 'Invalid cursor' };
const refuse = ({ id, response }: McpAsked, status = 200) =>
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify({ jsonrpc: '2.0', id, error: refusal }));
const PAGES: Record<string, { tools: string[]; nextCursor?: string }> = {
  first: { tools: ['a'], nextCursor: '' },
  '': { tools: ['b'], nextCursor: 'c' },
  c: { tools: ['c'], nextCursor: 'd' },
};

// biome-ignore format: a row is a line
test.each<[string, (asked: McpAsked, cursor: unknown) => unknown, string[], unknown[]]>([
  ['are the same each time', (one) => one.json({ tools: [tool('a')], nextCursor: 'x' }), ['m_a'], [undefined, 'x']],
  ['are empty each time', (one) => one.json({ tools: [tool('a')], nextCursor: '' }), ['m_a'], [undefined, '']],
  ['alternate', (one, at) => one.json({ tools: [tool('a')], nextCursor: at === 'x' ? 'y' : 'x' }), ['m_a'], [undefined, 'x', 'y']],
  [
    'lead on, one of them empty, to a page that is refused',
    (one, at) => {
      const page = PAGES[String(at ?? 'first')];
      return page ? one.json({ ...page, tools: page.tools.map((name) => tool(name)) }) : refuse(one);
    },
    ['m_a', 'm_b', 'm_c'],
    [undefined, '', 'c', 'd'],
  ],
  ['lead to a bad request', (one, at) => (at === undefined ? one.json({ tools: [tool('a')], nextCursor: 'x' }) : refuse(one, 400)), ['m_a'], [undefined, 'x']],
])('tools are listed as far as cursors lead that %s', async (_what, answer, expected, cursors) => {
  const { mcp, names, asked } = await open(answer);
  expect(names).toEqual(expected);
  expect(asked).toEqual(cursors);
  expect(mcp.health()).toEqual([{ name: 'm', state: 'connected', tools: expected.length }]);
});

test('a server that refuses the first page, or hangs up in a later one, has failed', async () => {
  const refusing = await open((one) => refuse(one));
  expect(refusing.mcp.health()).toMatchObject([
    { state: 'failed', problem: expect.stringContaining('Invalid cursor') },
  ]);
  const ending = await open((one, at) =>
    at === undefined ? one.json({ tools: [tool('a')], nextCursor: 'x' }) : one.response.destroy(),
  );
  expect(ending.mcp.health()).toMatchObject([{ state: 'failed' }]);
});

test('prompts are listed once each, up to a cursor that repeats or is refused', async () => {
  const isFirst = (one: McpAsked) => one.params?.cursor === undefined;
  for (const last of ['repeats', 'is refused']) {
    const { mcp, asked } = await open((one) => {
      if (one.method === 'tools/list') return one.json({ tools: [] });
      if (last === 'is refused' && !isFirst(one)) return refuse(one);
      return one.json({ prompts: [{ name: 'review' }], nextCursor: '' });
    });
    expect((await mcp.prompts()).map(({ name }) => name)).toEqual(['review']);
    expect(asked).toEqual([undefined, undefined, '']);
  }
});

test('a tool that is nested without end costs neither itself nor the others', async () => {
  const nested = (before: string, after: string, levels: number) => {
    const text = `${before.repeat(levels)}{}${after.repeat(levels)}`;
    return `{"type":"object","properties":{"a":{"not":${text}},"b":{"default":${text}},"c":{"type":"string"}}}`;
  };
  const schemas = [nested('{"not":', '}', 3_000), nested('[', ']', 100_000)];
  const tools = [...schemas, '{"type":"object"}'].map((text, n) => `{"name":"t${n}","inputSchema":${text}}`);
  const opened = await open(({ id, response }) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(`{"jsonrpc":"2.0","id":${id},"result":{"tools":[${tools.join(',')}]}}`),
  );
  expect(opened.names).toEqual(['m_t0', 'm_t1', 'm_t2']);
  for (const { schema } of opened.tools) expect(wrongSchema(schema)).toBeUndefined();
  expect(opened.tools[0]?.schema).toMatchObject({ properties: { c: { type: 'string' } } });
});

test('a tool whose references would repeat most of it again and again is left out', async () => {
  const pad = 'x'.repeat(700);
  const nested = (level: number, at: string): object => ({
    type: 'object',
    description: pad,
    properties: level > 0 ? { a: nested(level - 1, `${at}/properties/a`), r: { $ref: at } } : {},
  });
  const large = nested(25, '#/properties/a');
  const { names, mcp } = await open((one) =>
    one.json({ tools: [tool('large', { type: 'object', properties: { a: large } }), tool('b')] }),
  );
  expect(names).toEqual(['m_b']);
  expect((await mcp.survey())[0]?.leftOut).toEqual([{ tool: 'large', why: 'size' }]);
});

const MANY = Array.from({ length: 130 }, (_each, n) => tool(`t${n}`));

test.each<[string, object[], [tool: string, sentence: RegExp][]]>([
  [
    'only runs as a task',
    [{ ...tool('a'), execution: { taskSupport: 'required' } }],
    [['a', /it only runs in the background/]],
  ],
  ['has too long a name', [tool('n'.repeat(300))], [['n'.repeat(20), /its name is too long$/]]],
  ['has too long a description', [{ ...tool('a'), description: 'x'.repeat(40_000) }], [['a', /its description is/]]],
  ['has arguments without names', [tool('a', { type: 'string' })], [['a', /its arguments have no names$/]]],
  [
    'has too large a schema',
    [tool('a', { type: 'object', title: 'x'.repeat(40_000) })],
    [['a', /at too great length$/]],
  ],
  [
    'is one too many',
    MANY,
    [
      ['t128', /no more tools from one server.* mcp\.m\.tools$/],
      ['t129', /no more/],
    ],
  ],
])('a tool that %s is left out, and its owner reads why', async (_what, tools, expected) => {
  const { mcp } = await open((one) => one.json({ tools: [...tools, tool('fine')] }));
  const { leftOut = [], names = [] } = (await mcp.survey())[0] ?? {};
  expect(names.length).toBe(tools === MANY ? 128 : 1);
  for (const [index, [name, sentence]] of expected.entries()) {
    const found = leftOut[index] ?? { tool: '', why: 'name' };
    expect(found.tool).toContain(name);
    expect(messagesIn('en').said(leftOutNote('m', found))).toMatch(sentence);
  }
});

test('a tool that is left out is not reported as missing, however long its name or many they are', async () => {
  const long = 'n'.repeat(300);
  const others = Array.from({ length: 25 }, (_each, n) => `t${n}`);
  const { mcp } = await open(
    (one) => one.json({ tools: [tool(long), ...others.map((name) => tool(name, { type: 'string' }))] }),
    [long, ...others, 'gone'],
  );
  const { missing, leftOut } = (await mcp.survey())[0] ?? {};
  expect(missing).toEqual(['gone']);
  expect(leftOut).toHaveLength(20);
});

test('the tools of later pages that are too many are left out with their reason', async () => {
  const { mcp, asked } = await open((one, at) =>
    one.json(at === undefined ? { tools: MANY.slice(0, 128), nextCursor: 'x' } : { tools: MANY.slice(128) }),
  );
  expect((await mcp.survey())[0]?.leftOut).toEqual([
    { tool: 't128', why: 'many' },
    { tool: 't129', why: 'many' },
  ]);
  expect(asked).toEqual([undefined, 'x']);
});
