import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { ConfigError, UserError } from '../../../src/errors.ts';
import { Costs } from '../../../src/features/costs/costs.ts';
import { searchOf } from '../../../src/features/memory/open-search.ts';
import { MemorySearch } from '../../../src/features/memory/store/search.ts';
import { memorySearch } from '../../../src/features/memory/tools/search.ts';
import { silentLog } from '../../../src/log.ts';
import { createModels } from '../../../src/runtime/model/models.ts';
import type { FeatureRun } from '../../../src/runtime/run/gateway.ts';
import { bind } from '../../../src/runtime/tools/bind.ts';
import { type Home, openHome } from '../../../src/workspace/home.ts';
import { type Llm, startLlm } from '../../emulators/llm.ts';
import { defaults } from '../../helpers/defaults.ts';
import { partsOf } from '../../helpers/gateway.ts';
import { ownTime } from '../../helpers/own-time.ts';
import { put, tempFolder } from '../../helpers/temp.ts';

let llm: Llm;
let home: Home;
let dir: string;

beforeAll(async () => {
  llm = await startLlm({ apiKey: 'key-of-the-provider' });
});
afterAll(() => llm.close());
beforeEach(async () => {
  home = await openHome(tempFolder());
  dir = home.viberDir('default');
});
afterEach(() => llm.reset());

const write = (name: string, text: string) => put(dir, name, text);

const models = () =>
  createModels({ providers: { local: { baseURL: llm.url, apiKey: 'key-of-the-provider' } }, env: {} });

function openSearch(embedWaitMs = 20_000, queryWaitMs?: number): MemorySearch {
  const search = new MemorySearch({
    ...{ home, embedder: models().embedder('local/embed'), embedWaitMs },
    ...(queryWaitMs === undefined ? {} : { queryWaitMs }),
    settings: { index: 'on', retention: { indexRebuildDays: 7 }, excludePatterns: ['*.secret.md', 'credentials/*'] },
  });
  onTestFinished(() => search.close());
  return search;
}

const sent = () => llm.embedding.requests().flatMap(({ input }) => input);
const contents = async (search: MemorySearch, query: string, limit?: number) =>
  (await search.searchMemory('default', query, limit)).map(({ content }) => content);

test('pieces are embedded once, in requests the provider takes, and the model is the configured one', async () => {
  const sections = Array.from({ length: 600 }, (_, n) => `## Topic ${n}\n- subject ${n}\n`);
  write('memory/many.md', sections.join('\n'));
  const search = openSearch();
  expect((await contents(search, 'subject 431', 1))[0]).toBe('## Topic 431\n- subject 431');
  const requests = llm.embedding.requests();
  expect(requests.every(({ model, input }) => model === 'embed' && input.length <= 128)).toBe(true);
  expect(sent().filter((text) => text.startsWith('## Topic')).length).toBe(600);
  await contents(search, 'again');
  expect(llm.embedding.requests()).toHaveLength(requests.length + 1);
  expect(sent().at(-1)).toBe('again');
});

test.each(['rate-limited', 'server-error', 'refuse'] as const)(
  '%s: words serve, and the next search asks again',
  async (fault) => {
    write('MEMORY.md', '## A\n- green tea\n');
    const search = openSearch();
    llm.embedding.fault(fault, 2);
    expect(await contents(search, 'tea')).toEqual(['## A\n- green tea']);
    // Once for the piece, once for the query: nothing is tried again within a search.
    expect(llm.embedding.requests()).toHaveLength(2);
    expect(await contents(search, 'tea')).toEqual(['## A\n- green tea']);
    expect(sent().sort()).toEqual(['## A\n- green tea', '## A\n- green tea', 'tea', 'tea']);
    await contents(search, 'tea');
    expect(llm.embedding.requests()).toHaveLength(5);
  },
);

test('embedding is counted with the rest of the day, and at a cap the memory is searched by words', async () => {
  const open = () =>
    new Costs({
      home,
      limits: { tokensPerDay: 60 },
      prices: { 'local/embed': { input: 1, output: 0 } },
      currency: 'USD',
      log: silentLog(),
    });
  const search = async () => {
    const config = { ...defaults, memory: { ...defaults.memory, index: 'on' as const, embedding: 'local/embed' } };
    const parts = { config, home, models: { providers: models(), spending: open() }, log: silentLog() };
    const memory = searchOf(partsOf(parts));
    onTestFinished(() => memory.close());
    const hits = await memory.searchMemory('default', 'green tea', 1);
    return hits.map(({ content }) => content);
  };
  write('MEMORY.md', `## Drinks\n- ${'likes green tea very much, and so on, '.repeat(8)}\n`);
  expect((await search())[0]).toContain('green tea');
  const used = open().today();
  expect(used.inputTokens).toBeGreaterThan(60);
  expect(used.cost).toBeCloseTo(used.inputTokens / 1e6, 12);
  expect(open().today('telegram:1').inputTokens).toBe(0);
  const { length } = llm.embedding.requests();
  // Another process, the same day.
  write('memory/new.md', '## More\n- no sugar in tea');
  expect((await search())[0]).toContain('green tea');
  expect(llm.embedding.requests()).toHaveLength(length);
});

test('a provider that never answers does not hold a search longer than it may', async () => {
  write('MEMORY.md', '## A\n- green tea\n');
  const search = openSearch(100, 300);
  await contents(search, 'warm');
  write('MEMORY.md', '## A\n- green tea and more\n');
  llm.embedding.fault('stall', 2);
  const began = ownTime();
  expect((await contents(search, 'tea'))[0]).toContain('green tea and more');
  expect(ownTime() - began).toBeLessThan(3_000);
});

test('a provider that never answers holds up no stop', async () => {
  write('MEMORY.md', '## A\n- green tea\n');
  const search = openSearch(20_000, 20_000);
  llm.embedding.fault('stall', 4);
  const asked = Promise.allSettled([search.searchMemory('default', 'tea'), search.rebuildIndex('default')]);
  await expect.poll(() => llm.embedding.requests().length).toBeGreaterThan(0);
  const began = ownTime();
  await search.close();
  expect((await asked).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(ownTime() - began).toBeLessThan(2_000);
});

test('a rebuild says when it has words alone', async () => {
  write('MEMORY.md', '## A\n- green tea\n');
  const search = openSearch();
  llm.embedding.fault('server-error');
  await expect(search.rebuildIndex('default')).rejects.toThrow(
    /^The index is made by words alone: .*memory\.embedding/,
  );
  expect(await search.rebuildIndex('default')).toMatchObject({ chunks: 1, embedded: 1 });
});

test('a text the provider refuses costs its own vector only', async () => {
  for (let n = 0; n < 40; n++) write(`memory/n${n}.md`, `## T\n- note ${n}${n === 17 ? ' POISON' : ''}\n`);
  llm.embedding.refuseText('POISON');
  const search = openSearch();
  expect((await contents(search, 'POISON', 1))[0]).toContain('POISON');
  expect(await search.rebuildIndex('default')).toMatchObject({ chunks: 40, embedded: 40 });
  const before = llm.embedding.requests().length;
  await contents(search, 'note 3');
  expect(llm.embedding.requests()).toHaveLength(before + 1);
});

test('excluded files and known secrets never reach the endpoint', async () => {
  write('memory/bank.secret.md', '## PIN\n- forbidden-words-1\n');
  write('memory/credentials/aws.md', '## Key\n- forbidden-words-2\n');
  write('memory/fine.md', '## Key\n- the key is key-of-the-provider\n');
  const search = openSearch();
  await contents(search, 'key');
  await search.rebuildIndex('default');
  write('memory/fine.md', '## Key\n- changed, the key is key-of-the-provider\n');
  await contents(search, 'key');
  const all = JSON.stringify(llm.embedding.requests());
  expect(all).toContain('changed, the key is [secret]');
  expect(all).not.toMatch(/forbidden-words|key-of-the-provider/);
});

test('a setting that cannot be is refused by its name', () => {
  const problem = (name: string) => {
    try {
      models().embedder(name);
    } catch (error) {
      return error instanceof ConfigError ? error.problems[0]?.path : error;
    }
    return undefined;
  };
  expect(problem('anthropic/claude-sonnet-5-5')).toBe('memory.embedding');
  expect(problem('offline/demo')).toBe('memory.embedding');
  expect(problem('embed')).toBe('memory.embedding');
  expect(problem('openai/text-embedding-3-small')).toBe('providers.openai.apiKey');
  expect(problem('local/embed')).toBeUndefined();
});

describe('memory_search', () => {
  const options = { signal: new AbortController().signal, callId: 'c' };
  const hit = (n: number) => ({
    ...{ content: `note ${n} ${'x'.repeat(490)}`, source_file: `2024-01-${String(n + 10)}.md`, score: 1 / n },
    metadata: { section: 'Notes', line: 3 },
  });

  test('gives content, file, heading and date, a few thousand characters of them', async () => {
    const asked: [string, number][] = [];
    vi.spyOn(MemorySearch.prototype, 'searchMemory').mockImplementation(async (_viber, query, limit = 0) => {
      asked.push([query, limit]);
      return Array.from({ length: limit }, (_, n) => hit(n + 1));
    });
    onTestFinished(() => void vi.restoreAllMocks());
    const tool = bind(memorySearch, {
      scope: { viber: 'default' },
      gw: partsOf({ config: defaults, home, models: { providers: models() }, log: silentLog() }),
    } as unknown as FeatureRun);
    expect([tool.name, tool.effect]).toEqual(['memory_search', 'read']);
    const first = await tool.execute(tool.input.parse({ query: 'tea' }), options);
    expect(first).toMatchObject({
      results: [
        { content: hit(1).content, source_file: '2024-01-11.md', section: 'Notes', date: '2024-01-11' },
        {},
        {},
        {},
        {},
      ],
    });
    const many = await tool.execute(tool.input.parse({ query: 'tea', limit: 1e9 }), options);
    expect(JSON.stringify(many).length).toBeLessThan(6_000);
    await tool.execute(tool.input.parse({ query: 'tea', limit: -3 }), options);
    expect(asked.map(([, limit]) => limit)).toEqual([5, 20, 1]);
    await expect(tool.execute(tool.input.parse({ query: ' ' }), options)).rejects.toThrow(UserError);
  });
});
