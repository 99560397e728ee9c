/** An owner logs the gateway in at a server of tools from a chat: the link, what they paste, and what is never kept. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startOAuth } from '../emulators/mcp-oauth.ts';
import { eventually } from '../helpers/eventually.ts';
import { onEveryPlatform } from '../kit/kit.ts';
import { ask, waitFor } from '../platforms/platform.ts';
import { openPlatforms, type PlatformName } from '../platforms/world.ts';

async function open(on: readonly PlatformName[], options: Parameters<typeof openPlatforms>[0] = {}) {
  const emulator = await startOAuth();
  onTestFinished(() => emulator.close());
  const world = await openPlatforms({
    ...{ on, channel: { live: 'off', injection: 'followup' }, ...options },
    config: { mcp: { linear: { url: emulator.url, trusted: true } }, ...options.config },
  });
  return { emulator, world };
}

/** As a person reads it: without the backslashes that Markdown needs before some signs. */
const linkIn = (text: string) =>
  /https?:\/\/127\.0\.0\.1:\d+\/authorize\?[^\s>)\]]+/.exec(text)?.[0].replaceAll('&amp;', '&').replaceAll('\\', '') ??
  '';

/** Everything below the home but the file of the logins itself. */
function everything(home: string): string {
  const files = fs.readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files
    .map(({ parentPath, name }) => path.join(parentPath, name))
    .filter((file) => !file.endsWith('access/mcp.json'))
    .map((file) => fs.readFileSync(file, 'utf8'))
    .join('\n');
}

describe.each(onEveryPlatform)('on %s', (name) => {
  it('the owner pastes the address at which their browser ended; its code is nowhere afterwards', async () => {
    const { emulator, world } = await open([name]);
    const platform = world.platforms[name];
    const dm = platform.dm('alex');
    world.llm.script(({ tools }) => ({
      text: `I have: ${tools.filter((tool) => tool.startsWith('linear')).join(', ')}.`,
    }));
    const { text } = await platform.command(dm, 'mcp', 'login linear');
    expect(text).toContain('Open this link within ten minutes');
    const address = await emulator.allow(linkIn(text));
    const code = new URL(address).searchParams.get('code') ?? '';
    expect(code).not.toBe('');
    const said = platform.say(dm, `Here you are: ${address}`);
    const done = await waitFor(platform, dm, { text: /connected to linear: 2 tools/ });
    expect(done.text).toMatch(name === 'telegram' ? /I deleted your message/ : /can't be used again/);
    expect(emulator.exchanges).toEqual(['authorization_code 200']);
    const answer = await ask(platform, dm, 'What do you have?');
    expect(answer.text.replaceAll('\\', '')).toContain('linear_read, linear_write');
    const kept = everything(world.home) + JSON.stringify(world.logs) + JSON.stringify(world.llm.requests());
    for (const secret of [code, ...emulator.issued]) expect(kept).not.toContain(secret);
    expect(said).not.toBe('');
    // Pasted once more, it leads nowhere.
    platform.say(dm, address);
    await waitFor(platform, dm, { text: /isn't under way any more/ });
    expect(emulator.exchanges).toHaveLength(1);
  });
});

it('where the browser comes back by itself, the page and the chat say so', async () => {
  const { emulator, world } = await open(['telegram']);
  const { telegram } = world.platforms;
  const dm = telegram.dm('alex');
  const { text } = await telegram.command(dm, 'mcp', 'login linear');
  const address = await emulator.allow(linkIn(text));
  // A preview of the chat must not use it up.
  expect((await fetch(address, { method: 'HEAD' })).status).toBe(400);
  const page = await fetch(address, { headers: { 'accept-language': 'de' } });
  expect(page.status).toBe(200);
  expect(page.headers.get('referrer-policy')).toBe('no-referrer');
  expect(await page.text()).toContain('Die Anmeldung bei linear hat geklappt');
  await waitFor(telegram, dm, { text: /connected to linear: 2 tools/ });
  expect((await fetch(address)).status).toBe(400);
  expect(emulator.exchanges).toEqual(['authorization_code 200']);
});

it('a run that asks for a login gives the link below its answer', async () => {
  const { emulator, world } = await open(['telegram']);
  const { telegram } = world.platforms;
  const dm = telegram.dm('alex');
  world.llm.script(({ tools, toolResults, lastUser }) => {
    if (lastUser === 'hello') return { text: 'hello' };
    if (!tools.includes('connect_server') || toolResults.length > 0) return { text: 'Please open the link.' };
    return { toolCalls: [{ name: 'connect_server', arguments: { server: 'linear' } }] };
  });
  // The tool is offered once the server has said that it needs a login.
  await ask(telegram, dm, 'hello');
  await eventually(() => expect(JSON.stringify(world.logs)).toContain('needs a login'));
  const { text } = await ask(telegram, dm, 'connect Linear');
  expect(text).toContain('Please open the link.');
  const link = linkIn(text);
  expect(link).not.toBe('');
  const state = new URL(link).searchParams.get('state') ?? '';
  expect(JSON.stringify(world.llm.requests())).not.toContain(state);
  telegram.say(dm, await emulator.allow(link));
  await waitFor(telegram, dm, { text: /connected to linear/ });
});

it('a login that ends in the middle of a run is said below the answer, with a button', async () => {
  const { emulator, world } = await open(['telegram'], {
    files: { 'agents/default.yaml': 'mode: execute\n' },
  });
  const { telegram } = world.platforms;
  const dm = telegram.dm('alex');
  const { text } = await telegram.command(dm, 'mcp', 'login linear');
  telegram.say(dm, await emulator.allow(linkIn(text)));
  await waitFor(telegram, dm, { text: /connected to linear/ });
  let asked = 0;
  world.llm.script(({ lastUser, toolResults }) => {
    const isFirst = asked < (lastUser.includes('again') ? 2 : 1);
    if (!isFirst) return { text: `It said: ${toolResults.at(-1)}` };
    asked += 1;
    return { toolCalls: [{ name: 'linear_read', arguments: {} }] };
  });
  expect((await ask(telegram, dm, 'read it')).text).toContain('did read');
  emulator.faults.refusesAll = true;
  const ended = await ask(telegram, dm, 'again');
  expect(ended.text).toContain('The server linear needs a login.');
  expect(ended.buttons).toEqual(['Log in at linear']);
  await telegram.press(dm, 'Log in at linear');
  await waitFor(telegram, dm, { text: /Open this link/, count: 2 });
});

it('only owners log in, only in direct messages, and only for themselves', async () => {
  const { emulator, world } = await open(['telegram']);
  const { telegram } = world.platforms;
  const [dm, sams] = [telegram.dm('alex'), telegram.dm('sam')];
  world.llm.script(() => ({ text: 'Hello.' }));
  expect((await telegram.command(sams, 'mcp', 'login linear', 'sam')).text).toContain('Only an owner');
  expect((await telegram.command(telegram.room, 'mcp', 'login linear')).text).toContain('in a direct message');
  const { text } = await telegram.command(dm, 'mcp', 'login linear');
  const address = await emulator.allow(linkIn(text));
  telegram.say(sams, address, { by: 'sam' });
  await waitFor(telegram, sams, { text: /Only an owner/, count: 2 });
  expect(emulator.exchanges).toEqual([]);
  telegram.say(dm, address);
  await waitFor(telegram, dm, { text: /connected to linear/ });
});

it('names what it does not know, and what needs no login', async () => {
  const keys = { headers: { Authorization: 'Bearer abcdefgh' } };
  const { emulator, world } = await open(['telegram'], {
    config: { mcp: { keyed: { url: 'http://127.0.0.1:9/mcp', ...keys }, tool: { command: 'true' } } },
  });
  const { telegram } = world.platforms;
  const dm = telegram.dm('alex');
  expect((await telegram.command(dm, 'mcp', 'login nowhere')).text).toContain("I can't find a tool server nowhere.");
  expect((await telegram.command(dm, 'mcp', 'login keyed')).text).toContain('has a key in its settings');
  expect((await telegram.command(dm, 'mcp', 'login tool')).text).toContain('is a program on my machine');
  expect((await telegram.command(dm, 'mcp')).text).toContain('keyed');
  expect(emulator.asked).toEqual([]);
});

it('a login that was begun before the gateway was killed goes on after it', async () => {
  const { emulator, world } = await open(['telegram'], { process: true });
  const { telegram } = world.platforms;
  const dm = telegram.dm('alex');
  const { text } = await telegram.command(dm, 'mcp', 'login linear');
  const address = await emulator.allow(linkIn(text));
  await world.kill();
  telegram.say(dm, address);
  await waitFor(telegram, dm, { text: /connected to linear: 2 tools/ });
  await eventually(() => expect(everything(world.home)).not.toContain(new URL(address).searchParams.get('code')));
});
