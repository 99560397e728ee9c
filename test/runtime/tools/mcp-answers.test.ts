/** What a server made with the protocol's own library gives: links that can be read, files, pictures, progress, prompts. By both transports. */

import fs from 'node:fs';
import path from 'node:path';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { answerForModel } from '../../../src/features/mcp/answer.ts';
import { type McpServerSettings, McpServers } from '../../../src/features/mcp/servers.ts';
import { silentLog } from '../../../src/log.ts';
import type { ToolScope } from '../../../src/runtime/contract/tool-scope.ts';
import { bind } from '../../../src/runtime/tools/bind.ts';
import { readFile as readFileTool } from '../../../src/runtime/tools/read-file.ts';
import { openHome } from '../../../src/workspace/home.ts';
import { openTask } from '../../../src/workspace/tasks/index.ts';
import type { ArtifactRef, Json } from '../../../src/workspace/types.ts';
import { readBody } from '../../emulators/base/http.ts';
import { make } from '../../fixtures/mcp/sdk.ts';
import { toolScope } from '../../helpers/scope.ts';
import { serve } from '../../helpers/serve.ts';
import { tempFolder } from '../../helpers/temp.ts';

const readFile = (scope: ToolScope) => bind(readFileTool, { scope, keep: async () => undefined });

const FILE = path.join(import.meta.dirname, '..', '..', 'fixtures', 'mcp', 'sdk.ts');

/** The same server behind an address. */
async function serveHttp(): Promise<string> {
  const handler = createMcpHandler(make);
  const url = await serve(async (request, response) => {
    const headers = new Headers(
      Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const body = request.method === 'POST' ? { body: new Uint8Array(await readBody(request)) } : {};
    const answer = await handler.fetch(
      new Request(`http://${request.headers.host}/mcp`, { method: request.method ?? '', headers, ...body }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body) for await (const piece of answer.body) response.write(piece);
    response.end();
  });
  // A process that is busy with megabytes must not find its connection closed for having been idle.
  return `${url}/mcp`;
}

const TRANSPORTS: Record<string, () => Promise<McpServerSettings>> = {
  'a program': async () => ({ command: process.execPath, args: [FILE], trusted: false }),
  'an address': async () => ({ url: await serveHttp(), trusted: false }),
};

async function open(settings: McpServerSettings) {
  const home = await openHome(tempFolder());
  const refs: ArtifactRef[] = [];
  const shown: string[] = [];
  const onShown: ToolScope['onShown'] = ({ type }) => shown.push(type) > 0;
  const scope = toolScope(home, { onArtifact: (ref) => refs.push(ref), onShown });
  const mcp = new McpServers({ servers: { docs: settings }, log: silentLog() });
  onTestFinished(() => mcp.close());
  const tools = await mcp.tools(scope);
  const notes: string[] = [];
  const options = {
    signal: new AbortController().signal,
    callId: 'c1',
    onProgress: (note: string) => void notes.push(note),
  };
  const call = async (name: string, input: unknown = {}) => {
    const tool = tools.find((each) => each.name === `docs_${name}`);
    if (!tool) throw new Error(`no tool ${name} among ${tools.map((each) => each.name).join(' ')}`);
    return (await tool.execute(input, options)) as Record<string, unknown>;
  };
  const read = async (name: string) =>
    (await readFile(scope).execute({ path: name }, options)) as Record<string, unknown>;
  return { mcp, tools, call, read, refs, shown, home, scope, notes };
}

const MB = 1_000_000;
// What is cut doesn't depend on how it came: all kinds come through a program.
const PIECES = ['aB3', 'words and more words. ', ' ', 'A1b2'.repeat(19).concat('\n'), 'iVBORw0KGgo', '"'];

describe.each(Object.entries(TRANSPORTS))('through %s', (name, settings) => {
  test.each(name === 'a program' ? PIECES : ['words and more words. '])(
    'a result of megabytes of %j is one that is too long: its beginning and its end are told, and the server stays',
    async (piece) => {
      const { call, mcp } = await open(await settings());
      const size = piece.startsWith('words') ? 20 * MB : 2 * MB;
      const result = await call('long', { piece, times: Math.ceil(size / piece.length) });
      expect(String(result.text).length).toBeLessThan(33_000);
      if (piece !== ' ')
        expect(result.text).toContain(
          piece.startsWith('words') || piece === '"' ? 'characters cut' : 'bytes of base64 left out',
        );
      if (piece.startsWith('words')) expect(result.hint).toMatch(/20\.0 MB|19\.1 MB/);
      expect(await call('long', { piece: 'short', times: 1 })).toMatchObject({ text: 'short' });
      expect(mcp.health()).toMatchObject([{ state: 'connected' }]);
    },
  );

  test('links stay links, and are read by the name that the result gives them', async () => {
    const { call, read, refs, shown, home, scope } = await open(await settings());
    const { text, links, linkHint } = await call('find');
    expect(text).toBe('Two found.');
    expect(links).toEqual(
      // biome-ignore format: a row is a line
      [
        { name: 'plan.md', uri: 'notes://plan', type: 'text/markdown', about: 'The plan.', path: 'mcp:docs:notes://plan' },
        { name: 'picture.png', uri: 'notes://picture', type: 'image/png', path: 'mcp:docs:notes://picture' },
        { name: 'x', uri: 'https://example.org/x', path: 'mcp:docs:https://example.org/x', id: expect.stringMatching(/^\w{10}$/) },
      ],
    );
    expect(linkHint).toContain('read_file');
    expect(await read('mcp:docs:notes://plan')).toEqual({
      path: 'mcp:docs:notes://plan',
      text: '# The plan\nTea at four.',
    });
    expect(refs).toEqual([]);
    expect(openTask(home, scope.taskId).artifacts.list()).toMatchObject([{ title: 'x', ref: 'https://example.org/x' }]);
    await read('mcp:docs:notes://picture');
    expect(refs).toMatchObject([{ type: 'image/png' }]);
    expect(shown).toEqual(['image/png']);
    await expect(read('mcp:docs:https://example.org/x')).rejects.toThrow('The server docs failed');
  });

  test('an address that the server has not given is not sent to it', async () => {
    const { read, call, mcp, scope } = await open(await settings());
    await expect(read('mcp:docs:notes://plan')).rejects.toThrow('gave no such link in this task');
    await call('find');
    await expect(read('mcp:docs:notes://plan?secret=1')).rejects.toThrow('gave no such link in this task');
    const other: ToolScope = { ...scope, taskId: '20260101-bbbbb' };
    await mcp.tools(other);
    await expect(
      readFile(other).execute({ path: 'mcp:docs:notes://plan' }, { signal: new AbortController().signal, callId: 'c' }),
    ).rejects.toThrow('no such link');
  });

  test('base64 within a structure becomes a file, once, and the rest is told', async () => {
    const { call, refs, home, scope, shown } = await open(await settings());
    const { text } = await call('render');
    const [ref] = refs;
    expect(JSON.parse(String(text))).toEqual({
      page: 3,
      file: { mimeType: 'image/png', data: expect.stringContaining(`kept as artifact ${ref?.id}`) },
    });
    expect(
      openTask(home, scope.taskId)
        .artifacts.list()
        .map(({ type }) => type),
    ).toEqual(['image/png']);
    expect(
      fs
        .readFileSync(path.join(home.root, ref?.ref ?? ''))
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
    expect(shown).toEqual(['image/png']);
    const shot = await call('shot');
    expect(shot).toEqual({
      text: expect.stringMatching(
        /^Here it is\.\n\{"picture":"\[kept as artifact \w{10}, 70 bytes\]","key":"(Abc123){20}"\}$/,
      ),
      artifacts: [{ id: expect.any(String), ref: expect.stringMatching(/png$/) }],
    });
  });

  test('how far a call is, is told while it goes on', async () => {
    const { call, notes } = await open(await settings());
    expect(await call('slow', { steps: 3 })).toMatchObject({ text: 'Done.' });
    // What comes faster than people read may be passed over, never the end.
    const all = [1, 2, 3].map((n) => `${n}/3 Reading file ${n} for @everyone`);
    expect(all.filter((note) => notes.includes(note))).toEqual(notes);
    expect(notes.at(-1)).toBe(all.at(-1));
  });

  test('its prompts are listed with what they need, and give their words', async () => {
    const { mcp } = await open(await settings());
    const prompts = await mcp.prompts();
    expect(prompts).toMatchObject([
      {
        server: 'docs',
        name: 'review',
        description: 'Reviews a text.',
        arguments: [
          { name: 'what', isRequired: true },
          { name: 'tone', isRequired: false },
        ],
      },
      { server: 'docs', name: 'morning', arguments: [] },
    ]);
    const [review] = prompts;
    if (!review) throw new Error('no prompt');
    expect(await mcp.prompt(review, { what: 'a letter' })).toContain('Review a letter in a plain tone.');
    await expect(mcp.prompt(review, {})).rejects.toThrow('The server docs failed');
  });
});

const data = { projects: [{ id: 'p1', name: 'Alpha' }] };

test.each<[string, string[], Json, string]>([
  ['a summary of it', ['1 project.'], data, `1 project.\n${JSON.stringify(data)}`],
  ['it in another order', ['{"b":2,"a":1}'], { a: 1, b: 2 }, '{"a":1,"b":2}'],
  ['its result', ['noon'], { result: 'noon' }, 'noon'],
  ['its items, one by one', ['noon', '{ "at": 4 }'], { result: ['noon', { at: 4 }] }, 'noon\n{ "at": 4 }'],
  ['some of its items', ['noon'], ['noon', 'four'], 'noon\n["noon","four"]'],
  ['words, and there is none', ['noon'], null, 'noon'],
])('a structure is told beside text that does not say it: the text is %s', async (_what, texts, structured, words) => {
  const scope = toolScope(await openHome(tempFolder()));
  const reply = { content: texts.map((text) => ({ type: 'text', text })), structuredContent: structured };
  expect(await answerForModel(reply, { scope, title: 'docs_list', linkTo: () => undefined })).toEqual({ text: words });
});
