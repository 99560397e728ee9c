/** One event that cannot be taken in never holds up the others, whatever is wrong with it. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { traceOf } from '../../src/cli/trace/events.ts';
import { messagesIn } from '../../src/messages/messages.ts';
import { eventually } from '../helpers/eventually.ts';
import { openChat } from '../kit/kit.ts';
import { type Platform, waitFor } from '../platforms/platform.ts';
import type { PlatformWorld } from '../platforms/world.ts';

const CONFIG = { limits: { freeBytes: 0, queue: 500 } };
const CHANNEL = { live: 'off', injection: 'followup' };

/** What may be found in the place of a file. */
const DAMAGES: Record<string, (file: string) => void> = {
  'half of it': (file) => fs.writeFileSync(file, '{"id": "2026'),
  'a folder': (file) => fs.mkdirSync(file),
  'a link to itself': (file) => fs.symlinkSync(file, file),
};

function damage(file: string, kind: string): void {
  fs.rmSync(file, { recursive: true, force: true });
  DAMAGES[kind]?.(file);
}

async function open() {
  const { world, platform, dm } = await openChat({ config: CONFIG, channel: CHANNEL });
  world.llm.script((request) => ({ text: `re ${request.lastUser.replace(/^\[.*?\]: /, '')}` }));
  return { world, platform, sam: platform.dm('sam'), alex: dm };
}

/** Messages of the inbox that were given up. */
const dead = (world: PlatformWorld) =>
  fs
    .readdirSync(path.join(world.home, 'spool', 'dead'))
    .map((file) => JSON.parse(world.read(path.join('spool', 'dead', file))) as Record<string, unknown>);

const words = (platform: Platform, person: 'alex' | 'sam') =>
  platform.answers(platform.dm(person)).map((seen) => seen.text);

describe('what cannot be taken in', () => {
  it.each(Object.keys(DAMAGES))(
    'with %s in place of a task’s record, others are served and its person is told',
    async (kind) => {
      const { world, platform, sam, alex } = await open();
      platform.say(sam, 'first', { by: 'sam' });
      await waitFor(platform, sam, { text: 're first' });
      const record = path.join(world.home, 'artifacts', world.tasks()[0] ?? '', 'task.json');
      await eventually(() => expect(fs.readFileSync(record, 'utf8')).toContain('"completed"'));
      damage(record, kind);
      const said = Array.from({ length: 130 }, (_, n) => `m${n}`);
      platform.say(sam, 'second', { by: 'sam' });
      for (const text of said) platform.say(alex, text, { by: 'alex' });
      await eventually(() =>
        expect(words(platform, 'alex').filter((text) => text.startsWith('re m'))).toHaveLength(said.length),
      );
      expect(words(platform, 'alex').filter((text) => text.startsWith('re m'))).toEqual(
        said.map((text) => `re ${text}`),
      );
      await waitFor(platform, sam, { text: /re second|trace [0-9a-f]{12}/ });
    },
  );

  it('keeps what cannot be taken in, says so once with a next step, tells the owners, and forgets nothing after a restart', async () => {
    const { world, platform, sam, alex } = await open();
    platform.say(alex, 'hello', { by: 'alex' });
    await waitFor(platform, alex, { text: 're hello' });
    platform.say(sam, 'first', { by: 'sam' });
    await waitFor(platform, sam, { text: 're first' });
    const task = world.tasks().at(-1) ?? '';
    const folder = path.join(world.home, 'artifacts', task);
    const record = path.join(folder, 'task.json');
    await eventually(() => expect(fs.readFileSync(record, 'utf8')).toContain('"completed"'));
    fs.rmSync(folder, { recursive: true });
    fs.symlinkSync(folder, folder);
    platform.say(sam, 'second', { by: 'sam' });
    const told = await waitFor(platform, sam, { text: /trace [0-9a-f]{12}/ });
    expect(told.text).toMatch(/\/(viber )?new/);
    const trace = /trace ([0-9a-f]{12})/.exec(told.text)?.[1] ?? '';
    expect(dead(world)).toMatchObject([
      {
        deadReason: expect.stringContaining('ELOOP'),
        raw: expect.anything(),
        message: { message: { text: 'second' } },
      },
    ]);
    expect(messagesIn('en').said(traceOf(world.home, trace).events[0]?.detail ?? '')).toContain('given up: ');
    const owner = await waitFor(platform, alex, { text: /couldn't be accepted/ });
    expect(owner.text).toContain(trace);
    fs.unlinkSync(folder);
    await world.restart();
    platform.say(sam, 'third', { by: 'sam' });
    await waitFor(platform, sam, { text: 're third' });
    expect(words(platform, 'sam').filter((text) => /trace/.test(text))).toHaveLength(1);
    expect(words(platform, 'sam').filter((text) => text === 're second')).toEqual([]);
  });

  it('keeps the order of a conversation around a fault that passes', async () => {
    const { world, platform, sam } = await open();
    platform.say(sam, 'first', { by: 'sam' });
    await waitFor(platform, sam, { text: 're first' });
    const folder = path.join(world.home, 'artifacts', world.tasks()[0] ?? '');
    await eventually(() => expect(fs.readFileSync(path.join(folder, 'task.json'), 'utf8')).toContain('"completed"'));
    fs.renameSync(folder, `${folder}x`);
    fs.symlinkSync(folder, folder);
    platform.say(sam, 'a', { by: 'sam' });
    await eventually(() =>
      expect(world.logs.map((line) => line.msg)).toContain('could not accept an event; trying again'),
    );
    platform.say(sam, 'b', { by: 'sam' });
    fs.unlinkSync(folder);
    fs.renameSync(`${folder}x`, folder);
    await waitFor(platform, sam, { text: 're b' });
    expect(words(platform, 'sam').filter((text) => /^re [ab]/.test(text))).toEqual(['re a', 're b']);
    expect(dead(world)).toEqual([]);
  });

  it('takes nothing in and loses nothing while what is given up cannot be written either', async () => {
    const { world, platform, sam } = await open();
    platform.say(sam, 'first', { by: 'sam' });
    await waitFor(platform, sam, { text: 're first' });
    const folder = path.join(world.home, 'artifacts', world.tasks()[0] ?? '');
    await eventually(() => expect(fs.readFileSync(path.join(folder, 'task.json'), 'utf8')).toContain('"completed"'));
    const graves = path.join(world.home, 'spool', 'dead');
    fs.rmdirSync(graves);
    fs.writeFileSync(graves, '');
    fs.rmSync(folder, { recursive: true });
    fs.symlinkSync(folder, folder);
    platform.say(sam, 'second', { by: 'sam' });
    await eventually(() => expect(JSON.stringify(world.logs)).toContain('could not be stored either'));
    fs.rmSync(graves);
    fs.mkdirSync(graves);
    await waitFor(platform, sam, { text: /trace [0-9a-f]{12}/ });
    expect(dead(world)).toHaveLength(1);
  });
});
