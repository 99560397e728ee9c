/** What the prompt says a viber can do is what it is offered: to owners and guests, in groups and jobs, and with `tools` of its own. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LlmRequest } from '../emulators/llm.ts';
import { onEveryPlatform } from '../kit/kit.ts';
import { ask, waitFor } from '../platforms/platform.ts';
import { openPlatforms } from '../platforms/world.ts';
import { openToGuests } from './guests-world.ts';

/** Tools of the gateway, by their names in the rules and in what it says of itself. */
const NAMED =
  /\b(update_plan|create_artifact|write_file|read_file|remember|memory_search|forget|what_was_done|list_tasks|open_task|new_task|set_timezone)\b/g;

function promised({ system }: Pick<LlmRequest, 'system'>): string[] {
  const own = /How you work:[\s\S]*/.exec(system ?? '')?.[0] ?? '';
  const names = [...own.matchAll(NAMED)].map(([name]) => name);
  return [...new Set([...names, ...(own.includes('_scheduled_job') ? ['create_scheduled_job'] : [])])];
}

const notOffered = (request: LlmRequest | undefined) =>
  request && promised(request).filter((name) => !request.tools.includes(name));

describe.each(onEveryPlatform)('on %s', (name) => {
  it('an owner, a group and a guest are each told of their own', async () => {
    const { world, platform } = await openToGuests(name);
    const { llm } = world;
    llm.script(({ lastUser }) => ({ text: `heard ${lastUser.slice(-20)}` }));
    const latest = () => llm.requests().at(-1);
    await ask(platform, platform.dm('alex'), 'what can you do?', { text: 'heard' });
    const owner = latest();
    expect(notOffered(owner)).toEqual([]);
    expect(owner && promised(owner)).toEqual(
      expect.arrayContaining(['update_plan', 'remember', 'create_scheduled_job']),
    );
    const said = platform.say(platform.room, 'and here?', { mention: true });
    await waitFor(platform, platform.answerPlace(said), { text: 'and here?' });
    expect(notOffered(latest())).toEqual([]);
    await ask(platform, platform.dm('kim'), 'and for me?', { by: 'kim', text: 'and for me?' });
    const guest = latest();
    expect(guest?.lastUser).toContain('and for me?');
    expect(notOffered(guest)).toEqual([]);
    expect(guest?.system).not.toMatch(/remember for good|_scheduled_job|list their tasks/);
    expect(guest && promised(guest)).toContain('update_plan');
  });
});

it('a job is told of its own, and of none of those that people have', async () => {
  const { platforms, llm } = await openPlatforms({
    on: ['telegram'],
    channel: { live: 'off' },
    prepare: (home) => {
      fs.mkdirSync(path.join(home, 'jobs'), { recursive: true });
      fs.writeFileSync(
        path.join(home, 'jobs', 'digest.yaml'),
        'name: Digest\nschedule: every day at 8\nprompt: Write the digest\ndeliver: telegram:1001\n',
      );
    },
  });
  const begun = await platforms.telegram.command(platforms.telegram.dm('alex'), 'jobs', 'run digest');
  expect(begun.text).toContain('Digest');
  const request = await llm.waitFor(({ lastUser }) => lastUser.includes('Write the digest'));
  expect(notOffered(request)).toEqual([]);
  expect(promised(request)).toContain('create_artifact');
  expect(request.system).not.toMatch(/_scheduled_job|set_timezone|list_tasks|forget/);
});

it('a viber with two tools of its own is told of those', async () => {
  const { platforms, llm } = await openPlatforms({
    on: ['telegram'],
    channel: { live: 'off' },
    prepare: (home) => {
      fs.mkdirSync(path.join(home, 'agents'), { recursive: true });
      fs.writeFileSync(path.join(home, 'agents', 'default.yaml'), 'tools: [read_file, list_files]\n');
    },
  });
  await ask(platforms.telegram, platforms.telegram.dm('alex'), 'what can you do?');
  const request = llm.requests().at(-1);
  expect(request?.tools.toSorted()).toEqual(['list_files', 'read_file']);
  expect(request && promised(request)).toEqual([]);
  expect(request?.system).toMatch(/say so when asked:\n- read what they send;\n/);
});

it('a file that shapes a viber and is too long is named to its owner once, also over a restart', async () => {
  const world = await openPlatforms({ on: ['telegram'], channel: { live: 'off' } });
  const { telegram } = world.platforms;
  const dm = telegram.dm('alex');
  await ask(telegram, dm, 'hello');
  fs.writeFileSync(
    path.join(world.home, 'workspace', 'AGENTS.md'),
    `Be kind. ${'x'.repeat(19_000)} LAST ${'y'.repeat(5_000)} NEVER`,
  );
  await ask(telegram, dm, 'and now?');
  expect(world.llm.requests().at(-1)?.system).toMatch(/LAST[\s\S]*only the first 20000 characters/);
  expect(world.llm.requests().at(-1)?.system).not.toContain('NEVER');
  const told = () => telegram.answers(dm).filter(({ text }) => text.includes('AGENTS.md')).length;
  await waitFor(telegram, dm, { text: /workspace\/AGENTS\.md is longer than the 20,000 characters/ });
  await world.restart();
  await ask(telegram, dm, 'still there?');
  await ask(telegram, dm, 'and now again?');
  expect(told()).toBe(1);
});
