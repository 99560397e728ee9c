/**
 * A step of several calls that is cut in its midst, by a stop, newer words or a kill: what had ended is kept, what was cut is said, and
 * nothing is done twice. Tools of the gateway, of a server and a script.
 */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LlmRequest, ToolCall } from '../emulators/llm.ts';
import { eventually } from '../helpers/eventually.ts';
import { IN_SANDBOX, isSandboxed } from '../helpers/sandbox.ts';
import { tempFolder } from '../helpers/temp.ts';
import { openChat } from '../kit/kit.ts';
import { type Place, type Platform, waitFor } from '../platforms/platform.ts';
import type { PlatformWorld } from '../platforms/world.ts';

const SERVER = path.join(import.meta.dirname, '..', 'fixtures', 'mcp', 'post.mjs');
const SCRIPT = `---
name: mark
description: Marks a word.
parameters:
  word:
    type: string
    description: A word
    required: true
---
echo "$word" >> marks.txt
if [ "$word" = held ]; then sleep 60; fi
`;

const call = (name: string, given: Record<string, string>): ToolCall => ({ name, arguments: given });

/** A gateway in a process of its own if it is to be killed. */
async function open(injection: string, isKilled: boolean) {
  const folder = tempFolder();
  const marks = path.join(folder, 'marks.txt');
  fs.writeFileSync(marks, '');
  const chat = await openChat({
    ...{ process: isKilled, channel: { injection } },
    config: { mcp: { post: { command: process.execPath, args: [SERVER, marks] } } },
    files: { 'skills/mark/SKILL.md': SCRIPT, 'agents/default.yaml': `mode: execute\nfolder: ${folder}\n` },
  });
  return { ...chat, marks, marked: () => fs.readFileSync(marks, 'utf8') };
}

type World = Awaited<ReturnType<typeof open>>;

/** What the model hears of the step's calls, in their order. */
const heard = ({ messages }: LlmRequest): string[] =>
  messages.flatMap((message) => (message.role === 'tool' ? [JSON.stringify(message.content)] : []));

const WAYS = {
  async stop({ platform, dm }: { platform: Platform; dm: Place }) {
    const { text } = await platform.command(dm, 'stop');
    expect(text).toMatch(
      /Stopped: do all of it\. I was already using (post hold|mark), and that may still take effect\./,
    );
    await platform.say(dm, 'and now?');
  },
  async steer({ platform, dm }: { platform: Platform; dm: Place }) {
    await platform.say(dm, 'no, something else');
  },
  async kill({ world, platform, dm }: { world: PlatformWorld; platform: Platform; dm: Place }) {
    await world.kill();
    await waitFor(platform, dm, { text: 'may or may not have happened' });
    await platform.say(dm, 'and now?');
  },
};
type Way = keyof typeof WAYS;

const sessionsOf = (home: string): string => {
  const files = fs.globSync(path.join(home, 'agents/*/sessions/*.jsonl'));
  return files.map((file) => fs.readFileSync(file, 'utf8')).join('\n');
};

describe('a step is cut while', () => {
  const kinds = [
    { what: 'a server works', held: call('post_hold', { word: 'held' }), skip: false },
    { what: `a script works ${IN_SANDBOX}`, held: call('mark', { word: 'held' }), skip: !isSandboxed },
  ];
  describe.each(kinds)('$what', ({ held, skip }) => {
    it.skipIf(skip).each(Object.keys(WAYS) as Way[])('by %s', async (way) => {
      const { world, platform, dm, marked } = await open(way === 'steer' ? 'steer' : 'followup', way === 'kill');
      const calls = [
        call('write_file', { path: 'a.txt', content: 'alpha' }),
        call('post_send', { word: 'one' }),
        held,
        call('post_send', { word: 'never' }),
      ];
      world.llm.script([{ text: 'I do all of it.', toolCalls: calls }, { text: 'I have looked.' }]);
      await platform.say(dm, 'do all of it');
      await eventually(() => expect(marked()).toBe('one\nheld\n'));
      await WAYS[way]({ world, platform, dm });
      await waitFor(platform, dm, { text: 'I have looked.' });
      const request = world.llm.requests()[1] as LlmRequest;
      const [written, sent, cut, never] = heard(request);
      expect(written).toContain('a.txt');
      expect(sent).toContain('sent one');
      expect(cut).toMatch(/cut off while it ran: it may or may not have taken effect/);
      expect(never).toMatch(/no result.*safe to call it again/);
      const asked = JSON.stringify(request.messages);
      expect(asked).toContain('I do all of it.');
      expect(asked).toContain('held');
      expect(marked()).toBe('one\nheld\n');
    });
  });

  describe('a call is cut before it can begin, while', () => {
    const kinds = [
      {
        ...{ what: `its folder is another script's ${IN_SANDBOX}`, skip: !isSandboxed, said: ['held', 'first'] },
        steps: [call('post_send', { word: 'first' }), call('mark', { word: 'waited' })],
        async begin({ world: { llm }, platform, marked }: World) {
          llm.script([{ toolCalls: [call('mark', { word: 'held' })] }]);
          await platform.say(platform.dm('sam'), 'hold the folder', { by: 'sam' });
          await eventually(() => expect(marked()).toBe('held\n'));
        },
        // The result of the call before it is on disk, so its turn has come.
        waiting: ({ world }: World) => sessionsOf(world.home).includes('sent first'),
        open: async ({ platform }: World) => void (await platform.command(platform.dm('sam'), 'stop', '', 'sam')),
      },
      {
        ...{ what: 'its server starts again', skip: false, said: ['end'] },
        steps: [call('post_end', { word: 'end' }), call('post_send', { word: 'waited' })],
        begin: async () => undefined,
        waiting: ({ marks }: World) => fs.existsSync(`${marks}.waits`),
        open: async ({ marks }: World) => fs.rmSync(`${marks}.closed`),
      },
    ];
    describe.each(kinds)('$what', ({ skip, steps, said, begin, waiting, open: openUp }) => {
      const reached = { timeoutMs: 60_000 };
      async function waits(isKilled: boolean): Promise<World> {
        const world = await open('followup', isKilled);
        await begin(world);
        world.world.llm.script([{ text: 'I do it.', toolCalls: steps }]);
        await world.platform.say(world.dm, 'do it');
        await eventually(() => expect(world.marked()).toBe(said.map((word) => `${word}\n`).join('')));
        await eventually(() => expect([world.world.llm.stats().active, waiting(world)]).toEqual([0, true]));
        return world;
      }
      it.skipIf(skip)('by stop: it is safe to call again', async () => {
        const given = await waits(false);
        const { world, platform, dm, marked } = given;
        const { text } = await platform.command(dm, 'stop');
        expect(text).not.toContain('may still take effect');
        world.llm.script([{ text: 'I have looked.' }]);
        await platform.say(dm, 'and now?');
        await waitFor(platform, dm, { text: 'I have looked.', ...reached });
        expect(heard(world.llm.requests().at(-1) as LlmRequest).at(-1)).toMatch(/safe to call it again/);
        await openUp(given);
        expect(marked()).not.toContain('waited');
      });
      it.skipIf(skip)('by a kill: it is done after the start, once', async () => {
        const given = await waits(true);
        const { world, platform, dm, marked } = given;
        world.llm.script([{ text: 'It is done.' }]);
        await world.kill();
        await openUp(given);
        await waitFor(platform, dm, { text: 'It is done.', ...reached });
        expect(
          marked()
            .split('\n')
            .filter((word) => word === 'waited'),
        ).toHaveLength(1);
      });
    });
  });
});
