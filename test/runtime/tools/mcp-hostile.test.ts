/** Servers of tools that lie, flood, change and do not end: the real client against real processes. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { asSchema } from 'ai';
import { expect, onTestFinished, test } from 'vitest';
import type { Config } from '../../../src/config.ts';
import { type McpServerSettings, McpServers } from '../../../src/features/mcp/servers.ts';
import { silentLog } from '../../../src/log.ts';
import { toToolSet } from '../../../src/runtime/agent/tools.ts';
import type { Order } from '../../../src/runtime/contract/order.ts';
import type { OwnSettings } from '../../../src/runtime/contract/settings.ts';
import { callKind, type RuntimeTool } from '../../../src/runtime/contract/task.ts';
import { toolboxOf } from '../../../src/runtime/run/assemble.ts';
import { createTools } from '../../../src/runtime/tools/index.ts';
import { SERVICE_TOOLS } from '../../../src/runtime/tools/table.ts';
import { openHome } from '../../../src/workspace/home.ts';
import { openTask } from '../../../src/workspace/tasks/index.ts';
import { eventually } from '../../helpers/eventually.ts';
import { openTestGateway } from '../../helpers/gateway.ts';
import { ownTime } from '../../helpers/own-time.ts';
import { toolScope } from '../../helpers/scope.ts';
import { tempFolder } from '../../helpers/temp.ts';

const SERVER = path.join(import.meta.dirname, '..', '..', 'fixtures', 'mcp', 'hostile.mjs');

const server = (...args: string[]): Config['mcp'][string] => ({
  command: process.execPath,
  args: [SERVER, ...args],
  trusted: false,
});

async function open(servers: Record<string, McpServerSettings>) {
  const home = await openHome(tempFolder());
  const scope = toolScope(home);
  let time = 0;
  const mcp = new McpServers({ servers, log: silentLog(), now: () => time });
  onTestFinished(() => mcp.close());
  const tools = () => mcp.tools(scope);
  const call = async (name: string, signal = new AbortController().signal) => {
    const tool = (await tools()).find((each) => each.name === name);
    return tool?.execute({}, { signal, callId: 'c1' });
  };
  const later = (ms: number) => {
    time += ms;
  };
  return { mcp, home, scope, tools, call, later };
}

/** Tools as a model is offered them. */
const specsOf = (tools: RuntimeTool[]) =>
  Promise.all(
    Object.values(toToolSet(tools, async () => null)).map(async ({ description, inputSchema }) => ({
      ...{ description, inputSchema: await asSchema(inputSchema).jsonSchema },
    })),
  );

function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

test('notes, stray lines and answers that come too late do not end the connection', async () => {
  const { mcp, call } = await open({ h: server('noisy') });
  for (let round = 0; round < 3; round++) expect(await call('h_act')).toEqual({ text: 'did act' });
  expect(mcp.health()).toEqual([{ name: 'h', state: 'connected', tools: 1 }]);
});

test('a server that is ended says so at once, without a call', async () => {
  const { mcp, tools } = await open({
    h: { ...server('plain'), command: '/bin/sh', args: ['-c', 'exec 3<&0; head -c1 >/dev/null'] },
  });
  expect(await tools()).toEqual([]);
  // A slow machine may need longer for its processes than a run waits for a server.
  await expect.poll(() => mcp.health()).toMatchObject([{ state: 'failed' }]);
});

test('a server that does not start says why, in its own words', async () => {
  const { mcp, tools } = await open({
    h: {
      ...server('plain'),
      command: '/bin/sh',
      args: ['-c', 'printf "at line 3\n\x1b[31m$DOCS_PHRASE is refused\x1b[0m\n\n" >&2; exit 7'],
      env: { DOCS_PHRASE: 'open sesame please' },
    },
  });
  expect(await tools()).toEqual([]);
  // A slow machine may still be starting it when the run goes on without it.
  await expect
    .poll(() => mcp.health()[0]?.problem)
    .toMatch(/\(mcp\.h\) is not there: it has ended \(7\): \[secret\] is refused$/);
});

test('a server of Node that breaks is told by its error, not by the version that Node prints last', async () => {
  const { mcp, tools } = await open({
    h: { ...server('plain'), command: process.execPath, args: ['/nonexistent/server.js'] },
  });
  expect(await tools()).toEqual([]);
  await expect
    .poll(() => mcp.health()[0]?.problem)
    .toMatch(/it has ended \(1\): Error: Cannot find module '\/nonexistent\/server\.js'$/);
});

test.each([
  ['ends at', 'older'],
  ['refuses', 'refusing'],
])('a server that %s the question what it speaks is connected to without it', async (_what, mode) => {
  const { mcp, call } = await open({ h: server(mode) });
  expect(await call('h_act')).toEqual({ text: 'did act' });
  expect(mcp.health()).toEqual([{ name: 'h', state: 'connected', tools: 1 }]);
});

test('null for what is left out costs neither tools nor answers, and null in data stays', async () => {
  const { tools, call } = await open({ h: server('nulls') });
  const offered = await tools();
  expect(offered.map(({ name }) => name)).toEqual(['h_bare', 'h_shapeless', 'h_propless', 'h_act', 'h_data']);
  expect(offered[3]?.schema).toMatchObject({ properties: { a: { enum: ['x', null], default: null } } });
  expect(await call('h_act')).toEqual({ text: 'fine\nwords', links: [{ name: 'y', uri: 'x://y' }] });
  expect(await call('h_data')).toEqual({ text: '{"a":null}' });
});

test('two tools whose names become one are both offered, and neither takes the consent of the other', async () => {
  const { tools } = await open({ h: server('twins') });
  const [first, second, ...others] = await tools();
  expect(others).toEqual([]);
  expect(first?.name).toBe('h_a_b');
  expect(second?.name).toMatch(/^h_a_b_[0-9a-f]{8}$/);
  expect(await second?.execute({}, { signal: new AbortController().signal, callId: 'c' })).toEqual({ text: 'did a_b' });
});

test('a tool named like one of the gateway’s is another one, and its words hold nothing that a person does not see', async () => {
  const { tools, scope } = await open({ read: server('shadow') });
  const offered = await tools();
  expect(offered.map(({ name }) => name)).toEqual(['read_file']);
  const all = createTools(scope, [...offered, ...offered]);
  const names = all.map(({ name }) => name);
  expect(names.filter((name) => name.startsWith('read_file'))).toEqual(['read_file', 'read_file_2', 'read_file_3']);
  const [spec] = await specsOf(all.filter(({ name }) => name === 'read_file_2'));
  expect(spec).toMatchObject({
    description: 'A file.[2J',
    inputSchema: { title: 'A file.[2J', properties: { path: { description: 'A file.[2J', enum: ['a\u200bb'] } } },
  });
  const called = all
    .find(({ name }) => name === 'read_file_2')
    ?.execute({}, { signal: new AbortController().signal, callId: 'c' });
  expect(await called).toMatchObject({ text: 'did file' });
});

test('arguments that a provider would refuse are offered as it takes them, and given as the server knows them', async () => {
  const { tools } = await open({ h: server('shapes') });
  const offered = await tools();
  expect(await specsOf(offered)).toMatchObject([
    {
      inputSchema: {
        ...{ type: 'object', description: 'Needed: _top, or _filter.' },
        properties: { _top: { type: 'integer' }, _filter: { type: 'array', items: {} } },
      },
    },
  ]);
  const options = { signal: new AbortController().signal, callId: 'c' };
  expect(await offered[0]?.execute({ _top: 3, _filter: ['a'] }, options)).toEqual({
    text: '{"$top":3,"$filter":["a"]}',
  });
});

test('names of two servers that become one are both offered', async () => {
  const { tools } = await open({ x: server('twins'), x_a: { ...server('one'), tools: ['act'] } });
  const names = (await tools()).map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test('a consent holds for the tool as it was described, not for what the server makes of it later', async () => {
  const { tools, later } = await open({ h: server('changing') });
  const kind = async () => {
    const [tool] = await tools();
    return tool && { words: tool.description, kind: callKind(tool, {}) };
  };
  const before = await kind();
  expect(before?.words).toBe('Shows a bill.');
  expect(before?.kind).toMatch(/^version [0-9a-f]{16}$/);
  later(11 * 60_000);
  await tools();
  await eventually(async () => expect((await kind())?.words).toBe('Pays.'));
  expect((await kind())?.kind).not.toBe(before?.kind);
});

test('of very many tools and files a bounded number is taken', async () => {
  const { tools, call, home, scope } = await open({ h: server('many'), f: server('files') });
  expect((await tools()).length).toBeLessThanOrEqual(129);
  const { artifacts, notKept } = (await call('f_act')) as { artifacts: unknown[]; notKept: number };
  expect(artifacts).toHaveLength(10);
  expect(notKept).toBe(490);
  expect(openTask(home, scope.taskId).artifacts.list()).toHaveLength(10);
});

test('a run is never offered more tools than providers take', async () => {
  const home = await openHome(tempFolder());
  const config = {
    skills: {
      env: {},
      network: [],
      maxPromptTokens: 2000,
      timeout: 60,
      webOrigins: [],
      registry: '',
      shell: 'off' as const,
    },
    mcp: { a: server('many'), b: server('many') },
  };
  const { gw } = await openTestGateway({ homeRoot: home.root, config });
  const table = [...SERVICE_TOOLS, ...gw.features.tools].map(({ name }) => name);
  const scope = toolScope(home);
  const order = { principal: { role: 'owner' }, task: { goal: '' } } as Order;
  const names = async (own: OwnSettings) => {
    const { tools } = await toolboxOf(
      order,
      own,
      scope,
      { made: { refs: [], pending: [], plan: undefined, sources: [], said: [] } },
      gw,
    );
    return tools.map(({ name }) => name).filter((name) => !table.includes(name));
  };
  expect((await names({})).length).toBe(100);
  expect(await names({ tools: ['b_t100'] })).toEqual(['b_t100']);
});

test('hidden characters are visible in structured answers too', async () => {
  const { call } = await open({ h: server('hidden') });
  expect(JSON.stringify(await call('h_act'))).not.toMatch(/\u202e/);
});

test('a message without end is not gathered', async () => {
  const { mcp, call } = await open({ h: server('huge') });
  await expect(call('h_act')).rejects.toThrow(/The server h failed/);
  expect(mcp.health()).toMatchObject([{ state: 'failed', problem: expect.stringContaining('32 MB') }]);
});

test('a flood of notes ends the server, not the gateway', async () => {
  const { mcp, call } = await open({ h: server('flood') });
  await expect(call('h_act')).rejects.toThrow(/The server h failed/);
  expect(mcp.health()).toMatchObject([{ state: 'failed', problem: expect.stringContaining('messages') }]);
});

test.each(['silent', 'endless'])('closing does not wait for a %s server that is being connected', async (mode) => {
  const { mcp } = await open({ h: server(mode) });
  void mcp.survey();
  await eventually(() => expect(mcp.health()[0]?.state).toBe('connecting'));
  const began = ownTime();
  await mcp.close();
  expect(ownTime() - began).toBeLessThan(3_000);
});

test('a server that does not want to end is ended with all that it started', async () => {
  const file = path.join(tempFolder(), 'pids');
  const { mcp, tools } = await open({ h: server('stubborn', file) });
  await tools();
  const pids = readFileSync(file, 'utf8').split(' ').map(Number);
  expect(pids.map(isAlive)).toEqual([true, true]);
  await mcp.close();
  await eventually(() => expect(pids.map(isAlive)).toEqual([false, false]));
});
