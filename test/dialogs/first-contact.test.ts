/** The first words with somebody, on every platform: how to be let in, and that what they wrote before is answered then. */

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { run as pair } from '../../src/cli/pair.ts';
import { messagesIn } from '../../src/messages/messages.ts';
import { eventually } from '../helpers/eventually.ts';
import { onEveryPlatform, openChat } from '../kit/kit.ts';
import { quiet } from '../kit/quiet.ts';
import { ask, type Platform, waitFor } from '../platforms/platform.ts';
import { openPlatforms, type PlatformWorld } from '../platforms/world.ts';

const CODE = /\b[A-HJ-NP-Z2-9]{8}\b/;
const kim = { by: 'kim' } as const;

/** As on the machine's own shell. */
async function shell(world: PlatformWorld, ...args: string[]): Promise<string> {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const given = { values: {}, switches: new Set<string>(), messages: messagesIn('en'), env: {}, print };
  await pair({ args, config: undefined, home: world.home, json: false, ...given });
  return lines.join('\n');
}

const codeIn = (text: string) => CODE.exec(text)?.[0] ?? '';
const told = (platform: Platform) => waitFor(platform, platform.dm('kim'), { text: CODE });
const texts = (platform: Platform) => platform.answers(platform.dm('kim')).map(({ text }) => text);
const count = (platform: Platform, text: RegExp) => texts(platform).filter((each) => text.test(each)).length;

describe('while nobody owns the viber', () => {
  const unowned = () => openChat({ config: { people: [] } });

  it('the first message is told the command that finishes it, and is answered once that was given', async () => {
    const { world, platform } = await unowned();
    platform.say(platform.dm('kim'), 'what is for lunch', kim);
    const { text } = await told(platform);
    expect(text).toMatch(/run this on my machine:\s+[\s\S]*viber pair approve [A-Z2-9]{8}/);
    expect(world.llm.requests()).toEqual([]);
    expect(await shell(world, 'approve', codeIn(text))).toContain('as owner');
    await waitFor(platform, platform.dm('kim'), {
      text: /^You're in, and I'm yours|^You're in, .* I'm yours\. I'm looking at what you wrote\.$/,
    });
    await waitFor(platform, platform.dm('kim'), { text: /what is for lunch$/ });
    await world.restart();
    await ask(platform, platform.dm('kim'), 'and then?', { ...kim, text: 'and then?' });
    expect([count(platform, /You're in/), count(platform, /what is for lunch$/)]).toEqual([1, 1]);
  });

  it('what was written before a restart is answered, also when the code was entered meanwhile', async () => {
    const { world, platform } = await unowned();
    platform.say(platform.dm('kim'), 'first words', kim);
    const code = codeIn((await told(platform)).text);
    platform.say(platform.dm('kim'), 'second words', kim);
    await eventually(() => /second words/.test(world.read('access/pending.json')));
    await world.stop();
    await shell(world, 'approve', code);
    await world.restart();
    await waitFor(platform, platform.dm('kim'), { text: /second words$/ });
    expect(JSON.stringify(world.llm.requests().at(-1))).toContain('first words');
    await eventually(() => !/waiting/.test(world.read('access/paired.json')));
    expect(count(platform, CODE)).toBe(1);
  });
});

describe('where there is an owner', () => {
  it('what is decided on the command line closes the question in their chat', async () => {
    const { world, platform, dm } = await openChat();
    await ask(platform, dm, 'good morning', { text: 'good morning' });
    const asked = async (words: string, n: number) => {
      platform.say(platform.dm('kim'), words, kim);
      return codeIn((await waitFor(platform, dm, { text: /asks to be let in/, count: n })).text);
    };
    const question = (n: number) => platform.answers(dm).filter(({ text }) => /asks to be let in/.test(text))[n - 1];
    await shell(world, 'deny', await asked('let me in', 1));
    await expect.poll(() => question(1)?.text).toMatch(/✗ Turned away on the command line, \d\d:\d\d$/);
    expect(question(1)?.buttons).toEqual([]);
    // An hour later they may ask again.
    const pending = path.join(world.home, 'access', 'pending.json');
    await eventually(() => !/untold/.test(fs.readFileSync(pending, 'utf8')));
    fs.writeFileSync(pending, '[]');
    const code = await asked('please', 2);
    await world.stop();
    await shell(world, 'approve', code);
    await world.restart();
    await expect.poll(() => question(2)?.text).toMatch(/✓ Let in on the command line, \d\d:\d\d$/);
    expect(question(2)?.buttons).toEqual([]);
    await eventually(() => !/asked|waiting/.test(world.read('access/paired.json')));
  });

  it.each(onEveryPlatform)(
    'a press of Approve lets somebody in on %s, and their first message is answered',
    async (name) => {
      const { platform } = await openChat({}, name);
      await ask(platform, platform.dm('alex'), 'good morning', { text: 'good morning' });
      platform.say(platform.dm('kim'), 'may I ask something', kim);
      const { text } = await told(platform);
      expect(text).toContain('My owner can let you in with this code');
      expect(text).not.toContain('somebody else');
      await waitFor(platform, platform.dm('alex'), { text: codeIn(text) });
      await platform.press(platform.dm('alex'), 'Approve');
      await waitFor(platform, platform.dm('kim'), { text: /^You're in[^.]*\. I'm looking/ });
      await waitFor(platform, platform.dm('kim'), { text: /may I ask something$/ });
    },
  );

  it('their second account hears how to link it, and what it wrote is answered after that', async () => {
    const world = await openPlatforms({ on: ['telegram', 'discord'] });
    const { telegram, discord } = world.platforms;
    discord.say(discord.dm('kim'), 'it is me', kim);
    const { text } = await told(discord);
    expect(text).toMatch(/If you already talk to me somewhere else, use the command "link" there/);
    const shown = await telegram.command(telegram.dm('alex'), 'link');
    const code = /\b[A-HJ-NP-Z2-9]{4}[ -]?[A-HJ-NP-Z2-9]{4}\b/.exec(shown.text)?.[0] ?? '';
    await discord.command(discord.dm('kim'), 'link', code, 'kim');
    await waitFor(discord, discord.dm('kim'), { text: /it is me$/ });
    expect(JSON.parse(world.read('access/pending.json'))).toEqual([]);
  });

  it('what waits is gone with a refusal, and bounded', async () => {
    const { world, platform } = await openChat();
    platform.say(platform.dm('kim'), '/start', kim);
    const code = codeIn((await told(platform)).text);
    for (let n = 0; n < 20; n++) platform.say(platform.dm('kim'), `more ${n} ${'x'.repeat(3_000)}`, kim);
    await quiet();
    const [entry] = JSON.parse(world.read('access/pending.json'));
    expect(entry.kept.map(({ text }: { text: string }) => text.slice(0, 6).trim())).toEqual([
      'more 0',
      'more 1',
      'more 2',
    ]);
    await shell(world, 'deny', code);
    expect(world.read('access/pending.json')).not.toContain('more');
    expect(world.llm.requests()).toEqual([]);
  });
});

it('whose name has a space, somebody goes on in both of their chats', async () => {
  const world = await openPlatforms({ on: ['telegram', 'discord'], prepare: rename });
  const { telegram, discord } = world.platforms;
  await ask(telegram, telegram.dm('alex'), 'we plan a party', { text: /party$/ });
  await ask(discord, discord.dm('alex'), 'what was it', { text: /was it$/ });
  await world.restart();
  await ask(telegram, telegram.dm('alex'), 'and when', { text: /when$/ });
  expect(world.tasks()).toHaveLength(1);
});

function rename(home: string): void {
  const file = path.join(home, 'config.json');
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"name":"alex"', '"name":"Alex Kim"'));
}

it('whose list of people was lost, an owner gets in by a command that says so', async () => {
  const { world, platform } = await openChat({ config: { people: [] } });
  platform.say(platform.dm('kim'), 'one', kim);
  await shell(world, 'approve', codeIn((await told(platform)).text));
  await waitFor(platform, platform.dm('kim'), { text: /one$/ });
  await world.stop();
  fs.rmSync(path.join(world.home, 'access/paired.json'));
  await world.restart();
  platform.say(platform.dm('kim'), 'two', kim);
  const { text } = await waitFor(platform, platform.dm('kim'), { text: "I've lost the list" });
  const command = /viber pair (approve [A-Z2-9]{8} owner)/.exec(text)?.[1] ?? '';
  expect(await shell(world, ...command.split(' '))).toContain('as owner');
  await waitFor(platform, platform.dm('kim'), { text: /two$/ });
});
