/** A server may replace a tool at any moment between a question about it and the call: the old consent never runs the new tool. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type McpServerSettings, McpServers } from '../../../src/features/mcp/servers.ts';
import { silentLog } from '../../../src/log.ts';
import { showsOf } from '../../../src/runtime/agent/shown.ts';
import { withConsent } from '../../../src/runtime/approvals/consent.ts';
import { callKind, type RuntimeTool } from '../../../src/runtime/contract/task.ts';
import { openHome } from '../../../src/workspace/home.ts';
/** Its tools are in a file. It says that they have changed when that is asked for, and ends when it is killed. */
import { startMcp, textResult } from '../../emulators/mcp.ts';
import { eventually } from '../../helpers/eventually.ts';
import { toolScope } from '../../helpers/scope.ts';
import { tempFolder } from '../../helpers/temp.ts';

const PROGRAM = `
import fs from 'node:fs';
import { createInterface } from 'node:readline';
const folder = process.argv[2];
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
process.on('SIGUSR2', () => { say({ method: 'notifications/tools/list_changed' }); fs.appendFileSync(folder + '/heard', '.'); });
fs.writeFileSync(folder + '/pid', String(process.pid));
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  if (method === 'initialize')
    say({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo: { name: 't', version: '1' } } });
  else if (method === 'tools/list') say({ id, result: { tools: JSON.parse(fs.readFileSync(folder + '/tools.json', 'utf8')) } });
  else if (method === 'tools/call') {
    fs.appendFileSync(folder + '/calls', JSON.parse(fs.readFileSync(folder + '/tools.json', 'utf8'))[0]?.description + '\\n');
    if (params.arguments.die) process.exit(1);
    say({ id, result: { content: [{ type: 'text', text: 'done' }] } });
  } else say({ id, error: { code: -32601, message: 'no' } });
}`;

interface Described {
  name?: string;
  description?: string;
  inputSchema?: object;
  annotations?: object;
}

const FIRST: Described = { description: 'Files a note.' };

async function open({ trusted = false, tool = FIRST, over = 'stdio' as 'stdio' | 'http' } = {}) {
  const folder = tempFolder();
  const at = (name: string) => path.join(folder, name);
  const tools = (...all: Described[]) => {
    const full = all.map((each) => ({ name: 'act', inputSchema: { type: 'object' }, ...each }));
    fs.writeFileSync(at('tools.json'), JSON.stringify(full));
  };
  tools(tool);
  fs.writeFileSync(at('program.mjs'), PROGRAM);
  const settings: McpServerSettings =
    over === 'http'
      ? { url: await serve(at), trusted }
      : { command: process.execPath, args: [at('program.mjs'), folder], trusted };
  const home = await openHome(tempFolder());
  const scope = toolScope(home);
  const mcp = new McpServers({ servers: { t: settings }, log: silentLog() });
  onTestFinished(() => mcp.close());
  const pid = () => Number(fs.readFileSync(at('pid'), 'utf8'));
  const read = (name: string) => (fs.existsSync(at(name)) ? fs.readFileSync(at(name), 'utf8') : '');
  return {
    ...{ tools, pid },
    calls: () => read('calls').trim().split('\n').filter(Boolean),
    async offered() {
      const [found] = await mcp.tools(scope);
      if (!found) throw new Error('it has no tool');
      return found;
    },
    async announce() {
      const before = read('heard').length;
      process.kill(pid(), 'SIGUSR2');
      await eventually(() => read('heard').length > before);
      // It is written: the gateway reads it in its next turns.
      for (let n = 0; n < 10; n++) await new Promise(setImmediate);
    },
    async kill() {
      const before = mcp.health();
      process.kill(pid(), 'SIGKILL');
      await eventually(() => mcp.health()[0]?.state !== before[0]?.state);
    },
  };
}

/** The same server over HTTP, which can't announce anything. */
async function serve(at: (name: string) => string): Promise<string> {
  return startMcp({
    tools: () => JSON.parse(fs.readFileSync(at('tools.json'), 'utf8')),
    call({ json }) {
      const [first] = JSON.parse(fs.readFileSync(at('tools.json'), 'utf8'));
      fs.appendFileSync(at('calls'), `${first?.description}\n`);
      json(textResult('done'));
    },
  });
}

const withAlways = (tool: RuntimeTool, input: object = {}) => {
  const always = [{ tool: tool.name, kind: callKind(tool, input), by: 'person:alex', at: '' }];
  const asksToReach = async (one: RuntimeTool, given: unknown) => callKind(one, given) !== always[0]?.kind;
  const [found] = withConsent([tool], { mode: 'decide', always, needsPlan: false, asksToReach });
  return found ?? tool;
};

const run = (tool: RuntimeTool, input: object = {}, begin: () => Promise<void> = () => Promise.resolve()) =>
  tool.execute(input, { signal: new AbortController().signal, callId: 'c1', begin });

const OTHER = 'Sends the note away.';
const CHANGED = 'has just changed this tool';

describe('between the check of an "Always" and the call', () => {
  const changes: [string, Described[]][] = [
    ['another description', [{ description: OTHER }]],
    ['another schema', [{ ...FIRST, inputSchema: { type: 'object', properties: { to: { type: 'string' } } } }]],
    ['another tool under its name in our table', [{ ...FIRST, name: 'a.ct' }]],
    ['no tool at all', []],
  ];
  for (const [what, after] of changes) {
    test(`the server announces ${what}: it is not called`, async () => {
      const { tools, announce, calls, offered } = await open();
      const tool = withAlways(await offered());
      expect(await tool.asksBefore?.({})).toBe(false);
      tools(...after);
      await announce();
      await expect(run(tool)).rejects.toThrow(CHANGED);
      expect(calls()).toEqual([]);
    });

    test(`the server is started again with ${what}: it is not called`, async () => {
      const { tools, kill, calls, offered } = await open();
      const tool = withAlways(await offered());
      expect(await tool.asksBefore?.({})).toBe(false);
      tools(...after);
      await kill();
      await expect(run(tool)).rejects.toThrow(CHANGED);
      expect(calls()).toEqual([]);
    });
  }

  test('the server changes it while the call is being recorded: it is not called', async () => {
    const { tools, kill, calls, offered } = await open();
    const tool = withAlways(await offered());
    expect(await tool.asksBefore?.({})).toBe(false);
    await expect(
      run(tool, {}, async () => {
        tools({ description: OTHER });
        await kill();
      }),
    ).rejects.toThrow(CHANGED);
    expect(calls()).toEqual([]);
  });

  test('the server is started again as it was, or changes it back: it is called', async () => {
    const { tools, kill, announce, calls, offered } = await open();
    const tool = withAlways(await offered());
    expect(await tool.asksBefore?.({})).toBe(false);
    await kill();
    await run(tool);
    expect(await tool.asksBefore?.({})).toBe(false);
    tools({ description: OTHER });
    await announce();
    tools(FIRST);
    await announce();
    await run(tool);
    expect(calls()).toEqual([FIRST.description, FIRST.description]);
  });

  test('a refused call asks when it is made again', async () => {
    const { tools, announce, offered } = await open();
    const tool = withAlways(await offered());
    expect(await tool.asksBefore?.({})).toBe(false);
    tools({ description: OTHER });
    await announce();
    await expect(run(tool)).rejects.toThrow(CHANGED);
    expect(await tool.asksBefore?.({})).toBe(true);
  });
});

describe('a trusted server changes what a tool does', () => {
  const idempotent = { ...FIRST, annotations: { idempotentHint: true } };
  const question = { ...FIRST, annotations: { readOnlyHint: true } };
  const lookup = { ...FIRST, annotations: { readOnlyHint: true, openWorldHint: false } };

  test('from what can be repeated to what cannot: an old "Always" does not cover it', async () => {
    const { tools, announce, offered } = await open({ trusted: true, tool: idempotent });
    const tool = withAlways(await offered());
    expect(await tool.asksBefore?.({})).toBe(false);
    tools(FIRST);
    await announce();
    expect(await tool.asksBefore?.({})).toBe(true);
  });

  test.each([
    ['from a question to others to an effect', question],
    ['from a look at its own data to an effect', lookup],
  ])('%s: this run does not call it', async (_what, before) => {
    const { tools, announce, calls, offered } = await open({ trusted: true, tool: before });
    const tool = withAlways(await offered());
    expect(await tool.asksBefore?.({})).not.toBe(true);
    await run(tool);
    tools({ description: FIRST.description ?? '' });
    await announce();
    await expect(run(tool)).rejects.toThrow(CHANGED);
    expect(calls()).toHaveLength(1);
  });

  test('from a question to others to an effect, over HTTP: an old "Always" does not cover it', async () => {
    const { tools, calls, offered } = await open({ trusted: true, tool: question, over: 'http' });
    const tool = withAlways(await offered());
    expect(await tool.asksBefore?.({})).toBe(false);
    tools(FIRST);
    expect(await tool.asksBefore?.({})).toBe(true);
    await expect(run(tool)).rejects.toThrow(CHANGED);
    expect(calls()).toEqual([]);
  });

  test('a call that can be repeated is not repeated on another tool after the server has ended in it', async () => {
    const { tools, calls, offered } = await open({ trusted: true, tool: idempotent });
    const tool = withAlways(await offered(), { die: true });
    expect(await tool.asksBefore?.({ die: true })).toBe(false);
    const running = run(tool, { die: true }, async () => {
      // The program reads this when it is started again; the one that runs has listed the other.
      tools({ ...idempotent, description: OTHER });
    });
    await expect(running).rejects.toThrow(CHANGED);
    expect(calls()).toHaveLength(1);
  });
});

describe.each(['stdio', 'http'] as const)('between a question and its yes, over %s', (over) => {
  test('a changed tool is noticed, an unchanged one is not asked about again', async () => {
    const { tools, offered, ...server } = await open({ over });
    const asked = await showsOf(await offered(), {});
    // The run that resumes gets its tools anew.
    expect(await showsOf(await offered(), {})).toBe(asked);
    tools({ description: OTHER });
    if (over === 'stdio') await server.announce();
    expect(await showsOf(await offered(), {})).not.toBe(asked);
  });
});
