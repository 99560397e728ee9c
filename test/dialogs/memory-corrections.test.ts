/** What corrects a line of memory takes its place, once an owner has seen both. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LlmRequest, ToolCall, Turn } from '../emulators/llm.ts';
import { openChat } from '../kit/kit.ts';
import { ask, waitFor } from '../platforms/platform.ts';

const MEMORY = 'vibers/default/MEMORY.md';
const remembering =
  (fields: object): ((request: LlmRequest) => Turn) =>
  ({ toolResults }) => {
    const call: ToolCall = { name: 'remember', arguments: { ...fields } };
    return toolResults.length === 0 ? { toolCalls: [call] } : { text: `I was told: ${toolResults.at(-1)}` };
  };

async function open() {
  const memory = '# Memory\n\n## User Preferences\n\n- Prefers window seats\n- Launch is on 2026-12-04\n';
  const chat = await openChat({ files: { [MEMORY]: memory } });
  const { world } = chat;
  const file = () =>
    fs.readFileSync(
      path.join(world.home, fs.existsSync(path.join(world.home, MEMORY)) ? MEMORY : 'workspace/MEMORY.md'),
      'utf8',
    );
  return { ...chat, file };
}

describe('a correction', () => {
  it('shows the old line, and takes its place by a yes', async () => {
    const { world, platform, dm, file } = await open();
    world.llm.script(remembering({ text: 'Prefers aisle seats', replaces: 'window seats' }));
    const asked = await ask(platform, dm, 'aisle from now on', { text: 'May I remember this?' });
    expect(asked.text).toMatch(/Prefers aisle seats[\s\S]*instead of:[\s\S]*Prefers window seats/);
    expect(file()).toContain('- Prefers window seats');
    const after = platform.answers(dm).length;
    platform.say(dm, 'yes');
    await waitFor(platform, dm, { after, text: "I'll remember" });
    expect(file()).toContain('## User Preferences\n\n- Launch is on 2026-12-04\n- Prefers aisle seats');
    expect(file()).not.toContain('window');
  });
});

it('a line that is nearly there is found, one that is there is not asked about, and words that name none are told', async () => {
  const { world, platform, dm, file } = await open();
  world.llm.script(remembering({ text: 'The launch is on 2026-12-05' }));
  const asked = await ask(platform, dm, 'it is the 5th', { text: 'May I remember this?' });
  expect(asked.text).toMatch(/2026-12-05[\s\S]*instead of:[\s\S]*2026-12-04/);
  world.llm.script(remembering({ text: 'The user prefers window seats.' }));
  expect((await ask(platform, dm, 'window seats!', { text: 'I was told' })).text).toContain('saved');
  world.llm.script(remembering({ text: 'Likes tea', replaces: 'coffee' }));
  expect((await ask(platform, dm, 'tea', { text: 'No line of memory' })).text).toContain('No line of memory');
  expect(file()).not.toContain('tea');
});
