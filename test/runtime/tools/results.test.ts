/** What of a tool's result reaches the model: no base64, and within a budget for each result and for all of a run. */

import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { UserError } from '../../../src/errors.ts';
import { toRuntimeTool } from '../../../src/features/mcp/tool.ts';
import type { RuntimeTool } from '../../../src/runtime/contract/task.ts';
import { runtimeTool as defineTool, type ToolScope } from '../../../src/runtime/contract/tool-scope.ts';
import { createTools } from '../../../src/runtime/tools/index.ts';
import { toldIn, withoutBase64 } from '../../../src/runtime/tools/result.ts';
import { openHome } from '../../../src/workspace/home.ts';
import { openTask } from '../../../src/workspace/tasks/index.ts';
import type { Json } from '../../../src/workspace/types.ts';
import { openWorld } from '../../dialogs/harness.ts';
import { ownTime } from '../../helpers/own-time.ts';
import { toolScope } from '../../helpers/scope.ts';
import { tempFolder } from '../../helpers/temp.ts';

const bytes = (size: number): Buffer => randomBytes(size);
const encoded = bytes(3_000).toString('base64');
const inLines = encoded.replace(/.{76}/g, '$&\r\n');
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const LEFT = '[3000 bytes of base64 left out]';

describe('long base64 in a text', () => {
  it.each([
    ['alone', encoded, LEFT],
    ['among words', `The file: ${encoded} (end)`, `The file: ${LEFT} (end)`],
    ['in the form for addresses', bytes(3_000).toString('base64url'), LEFT],
    ['in a data: address', `see data:image/png;base64,${encoded}`, `see ${LEFT}`],
    ['in a picture of a page', `![x](data:image/svg+xml;charset=utf-8;base64,${encoded})`, `![x](${LEFT})`],
    ['in lines, as in mail', `Content:\r\n\r\n${inLines}`, `Content:\r\n\r\n${LEFT}`],
    ['in lines within JSON', JSON.stringify({ body: inLines }), JSON.stringify({ body: LEFT })],
    ['of a small picture', `{"icon":"${PIXEL}"}`, '{"icon":"[70 bytes of base64 left out]"}'],
    ['twice', `${encoded}, ${encoded}`, `${LEFT}, ${LEFT}`],
  ])('%s is counted', (_where, text, told) => {
    expect(withoutBase64(text)).toBe(told);
  });

  it.each([
    ['a sum', bytes(2_000).toString('hex')],
    ['a sequence of genes', 'ACGT'.repeat(1_000)],
    ['words', 'several words and 1 Number '.repeat(200)],
    ['a list of files', 'src/runtime/Queue1\n'.repeat(400)],
    ['a key', `Authorization: Bearer ${bytes(200).toString('base64url')}`],
    ['a signed address', `https://files.example/a.png?token=${bytes(800).toString('base64url')}&x=1`],
    ['a line of a table', '-'.repeat(3_000)],
    ['other scripts', '漢字かな交じり文1Aa'.repeat(500)],
  ])('%s is told', (_what, text) => {
    expect(withoutBase64(text)).toBe(text);
  });

  it('is found in a text of many megabytes within a moment, whatever it is made of', () => {
    for (const piece of [
      'iVBORw0KGgo',
      'A1a\n',
      'data:image/png;base64,',
      `${'x'.repeat(76)}\n`,
      'https://a1B/',
      ';a=b',
      'aB3',
      ' ',
    ]) {
      const text = piece.repeat(Math.ceil(5_000_000 / piece.length));
      const begun = ownTime();
      withoutBase64(text);
      expect(ownTime() - begun).toBeLessThan(3_000);
    }
  });
});

async function open(others: (scope: ToolScope) => RuntimeTool[] = () => [], told = 0) {
  const home = await openHome(tempFolder());
  const scope = toolScope(home);
  const tools = createTools(scope, others(scope), () => ({ characters: told }));
  const call = async (name: string, input: unknown = {}): Promise<Json> => {
    const tool = tools.find((each) => each.name === name);
    if (!tool) throw new Error(`no tool ${name}`);
    return tool.execute(input, { signal: new AbortController().signal, callId: 'c1' });
  };
  return { home, scope, call };
}

const giving = (value: Json | UserError) =>
  defineTool({
    ...{ name: 'give', description: 'Gives.', input: z.object({}), effect: 'read' },
    execute: async () => {
      if (value instanceof UserError) throw value;
      return value;
    },
  });

const mcp = (reply: unknown) => (scope: ToolScope) => {
  const info = { name: 'give', inputSchema: { type: 'object' } };
  const tool = toRuntimeTool('docs', info, {
    call: async () => reply,
    trusted: true,
    linkTo: () => undefined,
    place: '',
    current: () => info,
    renewed: async () => undefined,
    onNeed: () => undefined,
    scope,
    taken: new Set(),
  });
  return tool ? [tool] : [];
};

describe('the result of any tool', () => {
  const text = (words: string) => ({ content: [{ type: 'text', text: words }] });
  it.each<[string, string, (scope: ToolScope) => RuntimeTool[]]>([
    ['text', 'give', () => [giving(`a ${encoded}`)]],
    ['deep within', 'give', () => [giving({ a: [{ b: encoded }], c: 1 })]],
    ['a failure', 'give', () => [giving(new UserError(`no: ${encoded}`))]],
    ['text of a server', 'docs_give', mcp(text(`a ${encoded}`))],
    ['structured content', 'docs_give', mcp({ structuredContent: { image: encoded, icon: PIXEL } })],
    ['a text resource', 'docs_give', mcp({ content: [{ type: 'resource', resource: { uri: 'a:b', text: inLines } }] })],
    ['an error of a server', 'docs_give', mcp({ ...text(`a ${encoded}`), isError: true })],
    ['a picture of a server', 'docs_give', mcp({ content: [{ type: 'image', data: PIXEL, mimeType: 'image/png' }] })],
  ])('has no base64: %s', async (_what, name, others) => {
    const { call } = await open(others);
    const told = JSON.stringify(await call(name).catch((error: unknown) => String(error)));
    for (const hidden of [encoded.slice(100, 160), encoded.slice(-60), PIXEL.slice(20, 60)])
      expect(told).not.toContain(hidden);
    expect(told.length).toBeLessThan(1_000);
  });

  it('keeps a page of read_file whole, and counts what stands in a file as base64', async () => {
    const { call, home, scope } = await open();
    const put = (name: string, content: string) =>
      openTask(home, scope.taskId).artifacts.create({
        title: name,
        name,
        type: 'text/plain',
        content: Buffer.from(content),
        origin: 'user',
      });
    await put('long.txt', 'word "quoted"\n'.repeat(10_000));
    await put('picture.txt', `before\n${encoded}\nafter`);
    const page = (await call('read_file', { path: 'long.txt' })) as { text: string; next: number };
    expect([page.text.length, page.next]).toEqual([65_536, 65_536]);
    expect(await call('read_file', { path: 'picture.txt' })).toMatchObject({ text: `before\n${LEFT}\nafter` });
  });

  it('is cut to what one may tell: short texts stay whole, and it says how to go on', async () => {
    const { call } = await open(() => [giving({ title: 'short', body: 'b '.repeat(400_000), next: 7 })]);
    const told = (await call('give')) as { title: string; body: string; next: number; cut: string };
    expect(told).toMatchObject({ title: 'short', next: 7, cut: expect.stringContaining('ask for a part') });
    expect(told.body).toMatch(/characters cut/);
    expect(JSON.stringify(told).length).toBeLessThan(101_000);
    const many = await open(() => [giving(Array.from({ length: 100_000 }, (_, n) => ({ n })))]);
    expect(JSON.stringify(await many.call('give')).length).toBeLessThan(130_000);
  });

  it('has less room the more a run has been told, also before a restart, and always enough to end', async () => {
    const { call } = await open(() => [giving('word '.repeat(15_000))]);
    let all = 0;
    for (let n = 0; n < 150; n++) all += JSON.stringify(await call('give')).length;
    expect(all).toBeLessThan(10_500_000);
    expect(await call('give')).toMatch(/^word .*finish with what you have/s);
    const earlier: Json[] = [
      { role: 'tool', content: ['x'.repeat(10_000_000)] },
      { role: 'assistant', content: 'y' },
    ];
    const again = await open(() => [giving('word '.repeat(15_000))], toldIn(earlier));
    expect(JSON.stringify(await again.call('give')).length).toBeLessThan(3_000);
  });

  it('of a server that is longer than what is shown can be read on', async () => {
    const long = Array.from({ length: 20_000 }, (_, n) => `line ${n}`).join('\n');
    const { call, home, scope } = await open(mcp(text(long)));
    const { saved, hint } = (await call('docs_give')) as { saved: { id: string }; hint: string };
    expect(hint).toContain(saved.id);
    expect(openTask(home, scope.taskId).artifacts.list()).toMatchObject([{ id: saved.id, type: 'text/plain' }]);
    const page = (await call('read_file', { path: saved.id, offset: 60_000 })) as { text: string };
    expect(page.text).toContain('line 7000\n');
  });
});

it('a file of base64 that a person sends never reaches the model, whatever it reads', async () => {
  const world = await openWorld();
  world.llm.script(({ toolResults }) =>
    toolResults.length === 0
      ? { toolCalls: [{ name: 'read_file', arguments: { path: 'dump.txt' } }] }
      : { text: 'It holds a picture.' },
  );
  world.telegram.sendFile(1001, { name: 'dump.txt', bytes: Buffer.from(`picture: ${encoded}`), text: 'what is it?' });
  expect((await world.answer()).text).toContain('It holds a picture.');
  const said = JSON.stringify(world.llm.requests());
  expect(said).toContain(LEFT);
  expect(said).not.toContain(encoded.slice(100, 160));
});
