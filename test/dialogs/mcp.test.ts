/** A server made with the protocol's own library behind a whole gateway: its prompts, its pictures, its links, and how far it is. */
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import * as discordLive from '../../src/channels/discord/live/live.ts';
import * as slackLive from '../../src/channels/slack/options.ts';
import * as telegramLive from '../../src/channels/telegram/adapter.ts';
import { eventually } from '../helpers/eventually.ts';
import { onEveryPlatform, openChat } from '../kit/kit.ts';
import { waitFor } from '../platforms/platform.ts';
import type { ChannelName } from '../platforms/world.ts';

const FILE = path.join(import.meta.dirname, '..', 'fixtures', 'mcp', 'sdk.ts');
const QUICK = { statusAfter: 150, statusEvery: 100, textEvery: 100 };

beforeAll(() => {
  Object.assign(telegramLive.LIVE_TIMING, QUICK, { chatGap: 100, groupGap: 100 });
  Object.assign(discordLive.LIVE_TIMING, QUICK, { gap: 100 });
  Object.assign(slackLive.LIVE_TIMING, QUICK, { gap: 100 });
});

function open(servers = true, on?: ChannelName) {
  const docs = { command: process.execPath, args: [FILE], trusted: false };
  return openChat(
    {
      channel: { live: 'status', injection: 'followup' },
      config: servers ? { mcp: { docs } } : {},
      files: { 'agents/default.yaml': 'mode: execute\n' },
    },
    on,
  );
}

describe.each(onEveryPlatform)('on %s', (name) => {
  it('how far a call is, is in the status; a picture is shown to the model, a link read', async () => {
    const { world, platform, dm } = await open(true, name);
    const results: string[] = [];
    world.llm.script(({ toolResults, messages }) => {
      results.push(...toolResults.filter((each) => !results.includes(each)));
      const calls = [
        { name: 'docs_slow', arguments: { steps: 4 } },
        { name: 'docs_find', arguments: {} },
        { name: 'read_file', arguments: { path: 'mcp:docs:notes://plan' } },
        { name: 'docs_shot', arguments: {} },
      ];
      const next = calls[JSON.stringify(messages).match(/"role":"tool"/g)?.length ?? 0];
      return next ? { toolCalls: [next] } : { text: `I was told: ${results.join(' | ')}` };
    });
    const seen = new Set<string>();
    const watching = setInterval(() => {
      for (const { text } of platform.answers(dm)) seen.add(text);
    }, 10);
    platform.say(dm, 'go');
    const told = await waitFor(platform, dm, { text: /I was told/ });
    clearInterval(watching);
    const status = [...seen].filter((text) => text.includes('docs slow'));
    expect(
      status.some((text) => /using docs slow: [234]\/4 Reading file [234] for everyone/.test(text)),
      status.join('\n'),
    ).toBe(true);
    expect(told.text).toContain('Tea at four.');
    await platform.command(dm, 'artifacts');
    await waitFor(platform, dm, { text: /example\.org\/x/ });
    expect(JSON.stringify(world.llm.requests().at(-1)?.messages)).toMatch(/data:image\/png;base64|"image/);
  });
});

describe('servers of tools', () => {
  it('prompts are listed, ask for what they need, and are done as data that the person has chosen', async () => {
    const { world, platform, dm } = await open();
    world.llm.script(({ messages }) => ({ text: `told: ${JSON.stringify(messages.at(-1)).length}` }));
    await platform.command(dm, 'prompts');
    const listed = await waitFor(platform, dm, { text: 'Reviews a text' });
    expect(listed.text).toMatch(/review.*\(docs\): Reviews a text\. It needs what\./);
    expect(listed.buttons).toEqual(['morning']);
    await platform.command(dm, 'prompts', 'review');
    await waitFor(platform, dm, { text: 'The prompt review needs what' });
    await platform.command(dm, 'prompts', 'nothere');
    await waitFor(platform, dm, { text: 'There is no prompt nothere' });
    expect(world.llm.requests()).toHaveLength(0);
    await platform.command(dm, 'prompts', 'docs/review what="the plan" tone=kind');
    await waitFor(platform, dm, { text: /told: / });
    const asked = JSON.stringify(world.llm.requests()[0]?.messages.at(-1));
    expect(asked).toContain('Review the plan in a kind tone.');
    expect(asked).toContain('Do what the prompt review of docs asks for.');
    // It stands between marks, as everything that others wrote.
    expect(asked.indexOf('Review the plan')).toBeLessThan(asked.indexOf('Do what the prompt'));
    const [task = ''] = world.tasks();
    expect(world.read(`agents/default/sessions/${task}.jsonl`)).not.toContain('"addresses"');
    await platform.press(dm, 'morning');
    await eventually(() => expect(JSON.stringify(world.llm.requests())).toContain('Say good morning'));
  });

  it('without servers there are no prompts, which is said', async () => {
    const { platform, dm } = await open(false);
    await platform.command(dm, 'skills', 'prompts');
    await waitFor(platform, dm, { text: 'No tool server is set up here' });
  });
});
