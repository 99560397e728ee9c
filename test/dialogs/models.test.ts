/** Another model for a conversation, by button, by name and in words, with what it costs; and how long it thinks. */
import { describe, expect, it } from 'vitest';
import type { LlmRequest, Turn } from '../emulators/llm.ts';
import { openChat, press } from '../kit/kit.ts';
import { ask, waitFor } from '../platforms/platform.ts';

const prices = { 'local/test-model': { input: 0.25, output: 2 }, 'local/big-model': { input: 4, output: 20 } };

async function open() {
  const chat = await openChat({ channel: { injection: 'followup' }, config: { models: ['local/big-model'], prices } });
  chat.world.llm.script(({ model, lastUser }) => ({ text: `${model} says ${lastUser.slice(0, 40)}` }));
  return chat;
}

describe('the model', () => {
  it('is shown with its price, changed by a button, holds over a restart and in that conversation alone', async () => {
    const { world, platform, dm } = await open();
    const shown = await platform.command(dm, 'model');
    expect(shown.text).toContain('local/test-model');
    expect(shown.text).toMatch(/0\.25 USD for a million tokens in, 2 USD for a million out/);
    expect(shown.buttons).toEqual(['local/big-model, 4 / 20 USD']);
    const changed = await press(platform, dm, 'local/big-model, 4 / 20 USD', /next answer/);
    expect(changed.text).toMatch(/local\/big-model.*4 USD for a million tokens in, 20 USD for a million out/);
    expect((await ask(platform, dm, 'hello')).text).toMatch(/^big-model says/);
    expect((await platform.command(dm, 'status')).text).toContain('local/big-model');
    await world.restart();
    expect((await ask(platform, dm, 'still?')).text).toMatch(/^big-model says/);
    const said = platform.say(platform.room, 'and here?', { mention: true });
    expect((await waitFor(platform, platform.answerPlace(said), { text: /says/ })).text).toMatch(/^test-model says/);
    expect((await platform.command(dm, 'model', 'usual')).text).toContain('usual model');
    expect((await ask(platform, dm, 'and now?')).text).toMatch(/^test-model says/);
  });

  it('is changed in words, without a question for one that everybody may choose', async () => {
    const { world, platform, dm } = await open();
    world.llm.script(({ model, tools, toolResults, lastUser }: LlmRequest): Turn => {
      expect(tools).toContain('set_model');
      if (!/use the big/.test(lastUser)) return { text: `${model} says ${lastUser}` };
      if (toolResults.length > 0) return { text: `Told: ${toolResults.join()}` };
      return { toolCalls: [{ name: 'set_model', arguments: { model: 'big' } }] };
    });
    const told = await ask(platform, dm, 'use the big model here', { text: 'Told:' });
    expect(told.text).toMatch(/local\/big-model/);
    expect(told.text).toMatch(/20 USD for a million out/);
    expect((await ask(platform, dm, 'hello')).text).toMatch(/^big-model says/);
  });

  it('that is unknown, without a key or not listed is refused with the reason, and nothing changes', async () => {
    const { world, platform, dm } = await open();
    expect((await platform.command(dm, 'model', 'zebra')).text).toContain('I can\'t find a model "zebra"');
    const keyless = await platform.command(dm, 'model', 'openai/gpt-5.5');
    expect(keyless.text).toMatch(
      /can't use openai\/gpt-5\.5 yet: no key for openai: set OPENAI\W*_API\W*_KEY or providers\.openai\.apiKey/,
    );
    world.llm.script(({ toolResults }: LlmRequest): Turn => {
      if (toolResults.length > 0) return { text: `Told: ${toolResults.join()}` };
      return { toolCalls: [{ name: 'set_model', arguments: { model: 'zebra' } }] };
    });
    // In words too, and without a question that could only end in a refusal.
    expect((await ask(platform, dm, 'use zebra')).text).toMatch(/^Told: .*I can't find a model/);
    const sam = platform.dm('sam');
    expect((await platform.command(sam, 'model', 'local/other', 'sam')).text).toContain('Only an owner may choose');
    expect((await platform.command(sam, 'model', 'big', 'sam')).text).toContain('local/big-model');
  });

  it('thinks as long as it was told to, and answers all the same where it cannot', async () => {
    const { world, platform, dm } = await open();
    expect((await platform.command(dm, 'think', 'high')).text).toMatch(/I think here\b.*long/);
    await ask(platform, dm, 'a hard one');
    expect(world.llm.requests().at(-1)?.body).toMatchObject({ reasoning_effort: 'high' });
    world.llm.fault('bad-request');
    expect((await ask(platform, dm, 'another')).text).toMatch(/says another/);
    expect(world.llm.requests().at(-1)?.body).not.toHaveProperty('reasoning_effort');
    expect((await platform.command(dm, 'think')).text).toMatch(/I think here\b.*long/);
    await platform.command(dm, 'think', 'usual');
    await ask(platform, dm, 'an easy one');
    expect(world.llm.requests().at(-1)?.body).not.toHaveProperty('reasoning_effort');
  });
});

describe('owners', () => {
  it('are asked in words before the model becomes one that is not listed, with its name', async () => {
    const { world, platform, dm } = await open();
    world.llm.script(({ model, toolResults, lastUser }: LlmRequest): Turn => {
      if (!/use local/.test(lastUser)) return { text: `${model} says ${lastUser}` };
      if (toolResults.length > 0) return { text: `Told: ${toolResults.join()}` };
      return { toolCalls: [{ name: 'set_model', arguments: { model: 'local/huge' } }] };
    });
    const asked = await ask(platform, dm, 'use local/huge', { text: 'local/huge' });
    expect(asked.text).toMatch(/^Use .*local\/huge.* here from my next answer on\?/);
    await platform.press(dm, 'Yes');
    expect((await waitFor(platform, dm, { text: 'Told:' })).text).toContain("I don't know what it costs");
    expect((await ask(platform, dm, 'hello')).text).toMatch(/^huge says/);
  });

  it('a model whose provider has gone is left for the usual one', async () => {
    const { world, platform, dm } = await open();
    await platform.command(dm, 'model', 'local/big-model');
    const folder = `${world.home}/conversations/settings`;
    const { readdirSync, readFileSync, writeFileSync } = await import('node:fs');
    for (const file of readdirSync(folder)) {
      const text = readFileSync(`${folder}/${file}`, 'utf8').replace('local/big-model', 'gone/big-model');
      writeFileSync(`${folder}/${file}`, text);
    }
    await world.restart();
    expect((await ask(platform, dm, 'hello')).text).toMatch(/^test-model says/);
  });
});
