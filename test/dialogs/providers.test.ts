/** One conversation over several providers, each as strict as the real one: nobody hears of it that they refuse what others have written. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Llm, startLlm, type Turn } from '../emulators/llm.ts';
import { ask } from '../platforms/platform.ts';
import { openPlatforms } from '../platforms/world.ts';

const STRICT = ['moonshot', 'deepseek', 'groq', 'mistral', 'cerebras'] as const;
const NAMES = [...STRICT, 'anthropic', 'google'];

async function open() {
  const endpoints = new Map<string, Llm>();
  for (const strict of STRICT) endpoints.set(strict, await startLlm({ strict }));
  for (const name of ['anthropic', 'google']) endpoints.set(name, await startLlm());
  onTestFinished(async () => {
    for (const llm of endpoints.values()) await llm.close();
  });
  const providers = Object.fromEntries(
    [...endpoints].map(([name, { url }]) => [name, { baseURL: url, apiKey: 'sk-x1' }]),
  );
  for (const [name, llm] of endpoints)
    llm.script(({ toolResults, lastUser }): Turn => {
      if (toolResults.length > 0) return { reasoning: 'I know.', text: `${name} says ${lastUser}` };
      const id = name === 'moonshot' ? { id: 'functions.list_files:0' } : name === 'mistral' ? { id: 'abc123XYZ' } : {};
      return { reasoning: 'I look.', text: 'Looking.', toolCalls: [{ name: 'list_files', arguments: {}, ...id }] };
    });
  const world = await openPlatforms({
    ...{ on: ['telegram'], channel: { live: 'off' } },
    config: { providers, model: 'moonshot/kimi-k2.6', models: NAMES.map(modelOf) },
  });
  const platform = world.platforms.telegram;
  const refused = () => [...endpoints].filter(([, llm]) => llm.refused() > 0).map(([name]) => name);
  return { world, platform, dm: platform.dm('alex'), endpoints, refused };
}
const MODELS: Record<string, string> = { google: 'google/gemini-3-flash', anthropic: 'anthropic/claude-sonnet-5' };
const modelOf = (name: string): string => MODELS[name] ?? `${name}/m`;

describe('a conversation', () => {
  it('goes from provider to provider and back, with thoughts and calls of each', async () => {
    const { platform, dm, refused, world } = await open();
    for (const name of [...NAMES, ...NAMES.toReversed()]) {
      await platform.command(dm, 'model', modelOf(name));
      const answer = await ask(platform, dm, `now ${name}`, { text: `${name} says now ${name}` });
      expect(answer.text).not.toMatch(/refused/);
    }
    expect(refused()).toEqual([]);
    await world.restart();
    expect((await ask(platform, dm, 'still there?', { text: 'says still there?' })).text).toMatch(/^moonshot says/);
    expect(refused()).toEqual([]);
  });

  it('whose session an earlier version has written, with thoughts of nobody, goes on everywhere', async () => {
    const { world, platform, dm, refused } = await open();
    await ask(platform, dm, 'hello', { text: 'says hello' });
    const [task = ''] = world.tasks();
    const file = sessionOf(world.home, task);
    const said = fs.readFileSync(file, 'utf8');
    expect(said).toContain('"maker"');
    // As it stood there before anything said who had thought: the very shape of an assistant message with reasoning and a call.
    fs.writeFileSync(file, said.replaceAll(/,"providerOptions":\{"maker":\{"name":"[^"]*"\}\}/g, ''));
    expect(fs.readFileSync(file, 'utf8')).not.toContain('"maker"');
    for (const name of NAMES) {
      await platform.command(dm, 'model', modelOf(name));
      await ask(platform, dm, `now ${name}`, { text: `${name} says now ${name}` });
    }
    expect(refused()).toEqual([]);
  });
});

/** The file of a task's session, wherever it lies below the home. */
function sessionOf(home: string, task: string): string {
  const files = fs.readdirSync(home, { recursive: true, encoding: 'utf8' });
  const found = files.find((file) => file.endsWith('.jsonl') && file.includes(task) && /session/.test(file));
  if (!found) throw new Error(`no session of ${task} among ${files.filter((file) => file.includes(task)).join(', ')}`);
  return path.join(home, found);
}
