/** The servers known by name, from the npm registry: installed by `viber mcp add`, and called by a run of the gateway. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withEnvFile } from '../../src/config/env-file.ts';
import { run } from '../../src/features/mcp/cli/run.ts';
import { ALEX, openWorld, type World } from '../dialogs/harness.ts';
import { CHROMIUM_FILES } from '../helpers/chromium.ts';
import { printed } from '../helpers/cli.ts';
import { serve as serving } from '../helpers/serve.ts';
import { tempFolder } from '../helpers/temp.ts';

const hasChromium = CHROMIUM_FILES.some((file) => fs.existsSync(file));

type Call = { name: string; arguments: Record<string, unknown> };

// npm and the browser keep something there; the tests have none otherwise.
beforeAll(() => {
  process.env.HOME = tempFolder(afterAll);
});

const viber = (home: string, args: string[]) =>
  printed(run, home, { args, config: path.join(home, 'config.json'), env: withEnvFile(process.env, home) });

/** A gateway to which servers are added with `viber mcp add`, and whose model calls the given tools one after the other. */
async function open(...server: string[]) {
  const world = await openWorld({
    prepare(home) {
      fs.mkdirSync(path.join(home, 'agents'), { recursive: true });
      fs.writeFileSync(path.join(home, 'agents/default.yaml'), 'mode: execute\n');
    },
  });
  const { text: said } = await viber(world.home, ['add', ...server]);
  await world.restart();
  // A run doesn't wait long for a server that is starting.
  world.llm.script(() => ({ text: 'Hello.' }));
  await expect
    .poll(async () => {
      await world.ask('hello');
      return world.llm.requests().at(-1)?.tools.join(' ');
    })
    .toContain(`${server[0]}_`);
  return { world, said };
}

/** Lets the model make the calls, each made from the results before it; a person allows what is asked. Returns the results. */
async function use(world: World, calls: readonly ((results: string[]) => Call)[]): Promise<string[]> {
  const results: string[] = [];
  world.llm.script(({ toolResults }) => {
    // A picture that is shown to the model ends a list of results.
    results.push(...toolResults.filter((each) => !results.includes(each)));
    const next = calls[results.length];
    return next ? { toolCalls: [next(results)] } : { text: 'That was all.' };
  });
  let answer = await world.ask('go');
  while (!answer.text.includes('That was all.')) {
    const [button] = answer.buttons.flat();
    if (!button) throw new Error(`neither a question nor the end: ${answer.text}`);
    world.telegram.press(ALEX, button.text, { messageId: answer.id });
    answer = await world.answer(ALEX, answer.id);
  }
  return results;
}

const serve = (answer: (url: URL, method: string) => string): Promise<string> =>
  serving((request, response) => {
    const url = new URL(request.url ?? '/', 'http://local');
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(answer(url, request.method ?? ''));
  });

const PAGE =
  '<title>Teas</title><form action=/ordered><label>Tea <input name=tea></label><button>Order</button></form>';

/** Where the page's field is, in what the browser tells the model. */
const fieldIn = (page: string) => /textbox \\"Tea\\" \[ref=(\w+)\]/.exec(page)?.[1] ?? '';

test.skipIf(!hasChromium)('browser opens a page, fills a form, and its picture comes back as a file', async () => {
  const asked: string[] = [];
  const origin = await serve(({ pathname, searchParams }) => {
    if (pathname !== '/ordered') return PAGE;
    asked.push(searchParams.get('tea') ?? '');
    return `<h1>Ordered ${searchParams.get('tea')}</h1>`;
  });
  const { world, said } = await open('browser');
  expect(said).toContain('Installing @playwright/mcp 0.0.83. This can take a minute, once.');
  expect(said).toMatch(/browser is connected and has \d+ tools/);
  const results = await use(world, [
    () => ({ name: 'browser_browser_navigate', arguments: { url: origin } }),
    () => ({ name: 'browser_browser_snapshot', arguments: {} }),
    ([, page = '']) => ({
      name: 'browser_browser_type',
      arguments: { element: 'Tea', target: fieldIn(page), text: 'green', submit: true },
    }),
    () => ({ name: 'browser_browser_snapshot', arguments: {} }),
    () => ({ name: 'browser_browser_take_screenshot', arguments: {} }),
  ]);
  expect(world.telegram.chat(ALEX).messages.flatMap(({ files }) => files)).toEqual([
    expect.objectContaining({ mimeType: 'image/png' }),
  ]);
  expect(asked).toEqual(['green']);
  expect(results[3]).toContain('Ordered green');
  // Nothing is left where the gateway was started.
  expect(fs.existsSync('.playwright-mcp')).toBe(false);
});

test('filesystem reads and writes below its folder, and nowhere else', async () => {
  const folder = tempFolder();
  const file = path.join(folder, 'note.txt');
  const other = path.join(tempFolder(), 'note.txt');
  const { world } = await open('filesystem', folder);
  const results = await use(world, [
    () => ({ name: 'filesystem_write_file', arguments: { path: file, content: 'green tea' } }),
    () => ({ name: 'filesystem_read_text_file', arguments: { path: file } }),
    () => ({ name: 'filesystem_write_file', arguments: { path: other, content: 'green tea' } }),
  ]);
  expect(fs.readFileSync(file, 'utf8')).toBe('green tea');
  expect(results[1]).toContain('green tea');
  expect(results[2]).toContain('outside allowed directories');
  expect(fs.existsSync(other)).toBe(false);
});

test('fetch is there, and asks nothing of this machine', async () => {
  const asked: string[] = [];
  const origin = await serve(({ href }) => {
    asked.push(href);
    return '<h1>Secret</h1>';
  });
  const { world } = await open('fetch');
  const results = await use(world, [
    () => ({ name: 'fetch_fetch_txt', arguments: { url: origin } }),
    () => ({ name: 'fetch_fetch_markdown', arguments: { url: origin.replace('127.0.0.1', 'localhost') } }),
  ]);
  expect(results.join('\n')).toMatch(/private address "127.0.0.1"[\s\S]*private address "localhost"/);
  expect(asked).toEqual([]);
});
