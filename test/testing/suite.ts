/**
 * What every chat channel keeps, through the outermost wall: the emulated platform, its real client library, the whole
 * gateway, the emulated model. A channel's own tests hold only what is peculiar to it.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Llm } from '../emulators/llm.ts';
import { keysIn, type Mend } from '../helpers/spool.ts';
import { quiet } from '../kit/quiet.ts';
import { ask, type Platform, waitFor } from '../platforms/platform.ts';

export interface SuiteOptions {
  /** Use the built-in model. */
  offline?: boolean;
  /** Merged into the channel's section. */
  section?: Record<string, unknown>;
}

/** A gateway between the platform and the emulated model. */
export interface SuiteWorld {
  platform: Platform;
  llm: Llm;
  home: string;
  /** A file of the home as text; '' when it is not there. */
  read(file: string): string;
  /** Ids of tasks, oldest first. */
  tasks(): string[];
  restart(): Promise<void>;
  stop(): Promise<void>;
  /** Nothing can be stored until the returned function is called. */
  breakDisk(): Mend;
}

/** @param open is asked for a new world by each test */
export function channelSuite(name: string, open: (options?: SuiteOptions) => Promise<SuiteWorld>): void {
  const textsOf = (platform: Platform, place = platform.dm('alex')) => platform.answers(place).map((seen) => seen.text);

  describe(`${name}: conversations`, () => {
    it('keeps private chats and rooms apart, each with its own task', async () => {
      const { platform, llm, tasks } = await open();
      await ask(platform, platform.dm('alex'), 'for alex alone');
      await ask(platform, platform.dm('sam'), 'for sam alone', { by: 'sam' });
      const said = platform.say(platform.room, 'for everybody', { mention: true });
      await waitFor(platform, platform.answerPlace(said));
      expect(tasks()).toHaveLength(3);
      for (const request of llm.requests()) {
        const own = ['for alex alone', 'for sam alone', 'for everybody'].filter((text) =>
          JSON.stringify(request.messages).includes(text),
        );
        expect(own).toHaveLength(1);
      }
      await ask(platform, platform.dm('alex'), 'more for alex');
      expect(tasks()).toHaveLength(3);
      expect(JSON.stringify(llm.requests().at(-1)?.messages)).toContain('for alex alone');
    });

    it('listens in a room when addressed, and to no other bot', async () => {
      const { platform, llm } = await open();
      platform.say(platform.room, 'chatter among people');
      platform.botSays(platform.room, 'beep');
      const said = platform.say(platform.room, 'to you', { mention: true });
      await waitFor(platform, platform.answerPlace(said));
      await quiet();
      const asked = llm.requests().map((request) => request.lastUser);
      expect(asked).toHaveLength(1);
      expect(asked[0]).toContain('to you');
      expect(asked[0]).not.toMatch(/<@|viber_test_bot/);
    });

    it('costs nothing when a stranger writes: one code, no model call, no task; a listed room is needed for groups', async () => {
      const { platform, llm, tasks } = await open({ section: { access: { dm: 'pairing' }, guilds: undefined } });
      const reply = await ask(platform, platform.dm('kim'), 'let me in', { by: 'kim' });
      expect(reply.text).toMatch(/[A-HJ-NP-Z2-9]{8}/);
      platform.say(platform.dm('kim'), 'hello?', { by: 'kim' });
      platform.say(platform.room, 'anybody?', { mention: true });
      await quiet();
      expect(platform.answers(platform.dm('kim'))).toHaveLength(
        platform.answers(platform.dm('kim')).findIndex((seen) => seen.id === reply.id) + 1,
      );
      expect(platform.answers(platform.room)).toHaveLength(0);
      expect(llm.requests()).toHaveLength(0);
      expect(tasks()).toHaveLength(0);
    });

    it('takes the new text of an edited message', async () => {
      const { platform, llm } = await open();
      const place = platform.dm('alex');
      const said = platform.say(place, 'meet at 5');
      await waitFor(platform, place);
      platform.edit(place, said, 'meet at 6');
      await waitFor(platform, place, { count: 2 });
      expect(llm.requests().at(-1)?.lastUser).toContain('meet at 6');
      expect(llm.requests()).toHaveLength(2);
    });

    it('takes the first text again when a message is edited back to it, and nothing where no word has changed', async () => {
      const { platform, llm } = await open();
      const place = platform.dm('alex');
      const said = platform.say(place, 'meet at 5');
      await waitFor(platform, place);
      for (const [text, count] of [
        ['meet at 6', 2],
        ['meet at 6', 2],
        ['meet at 5', 3],
      ] as const) {
        // Telegram tells edits apart by the second.
        await sleep(1_100);
        platform.edit(place, said, text);
        await waitFor(platform, place, { count });
        expect(llm.requests().at(-1)?.lastUser).toContain(text);
      }
      await ask(platform, place, 'thanks', { after: 3 });
      expect(llm.requests()).toHaveLength(4);
    });
  });

  describe(`${name}: what is written`, () => {
    it('splits a long answer without losing a word, and calls nobody by name', async () => {
      const { platform, llm } = await open();
      const lines = Array.from({ length: 400 }, (_, n) => `const value${n} = ${n}; // line ${n}`);
      llm.script(() => ({
        text: `Hello @everyone <!channel> <@U0ALEX000> <@2002>\n\n\`\`\`js\n${lines.join('\n')}\n\`\`\`\n\nThe end.`,
      }));
      const place = platform.dm('alex');
      platform.say(place, 'long please');
      await waitFor(platform, place, { text: 'The end.' });
      const all = textsOf(platform).join('\n');
      for (const line of lines) expect(all).toContain(line);
      expect(platform.pings()).toEqual([]);
    });

    it('leaves ranges with tildes as they are, and knows line breaks and emphasis of Japanese', async () => {
      const { platform, llm } = await open();
      llm.script(() => ({ text: '5~10 min or 20~30 min in ~/path<br>**「重要」**です' }));
      const reply = await ask(platform, platform.dm('alex'), 'how long?');
      // What is written to keep a platform from reading marks into the words is not seen on it.
      const words = reply.text.replace(/\\(?=~)|\u2060|\*\*| +(?=\n)/g, '');
      expect(words).toBe('5~10 min or 20~30 min in ~/path\n「重要」です');
    });

    it('reads a file that is sent, and sends one back byte for byte', async () => {
      const { platform, llm } = await open();
      llm.script((request) => {
        const [result] = request.toolResults;
        if (request.toolResults.length === 0)
          return { toolCalls: [{ name: 'read_file', arguments: { path: 'notes.txt' } }] };
        if (request.toolResults.length === 1) {
          const content = String(JSON.parse(result ?? '{}').text ?? '').toUpperCase();
          return {
            toolCalls: [{ name: 'create_artifact', arguments: { title: 'capitals.txt', type: 'text/plain', content } }],
          };
        }
        return { text: 'In upper case.' };
      });
      const place = platform.dm('alex');
      platform.say(place, 'in capitals please', { files: [{ name: 'notes.txt', text: 'milk and honey' }] });
      await waitFor(platform, place, { text: 'In upper case.' });
      const reply = await waitFor(platform, place, { file: 'capitals.txt' });
      const [file] = reply.files;
      if (!file) throw new Error('there is no file');
      expect(platform.bytes(file).toString()).toBe('MILK AND HONEY');
    });

    it('gives the words alone where it may send no files, once, and says how to get the file', async () => {
      const { platform, llm, home, restart } = await open();
      llm.script((request) =>
        request.toolResults.length > 0
          ? { text: 'Here is the report.' }
          : {
              toolCalls: [
                { name: 'create_artifact', arguments: { title: 'report.csv', type: 'text/csv', content: 'a,b' } },
              ],
            },
      );
      platform.withholdFiles();
      const place = platform.answerPlace(platform.say(platform.room, 'a report please', { mention: true }));
      await waitFor(platform, place, { text: 'Here is the report.' });
      const notice = await waitFor(platform, place, { text: /couldn't attach \W*report\.csv/ });
      expect(notice.text).toMatch(/get report\.csv/);
      await restart();
      const dm = platform.dm('alex');
      await ask(platform, dm, 'next', { text: 'Here is the report.' });
      const told = platform.answers(place).map((seen) => seen.text);
      expect(told.filter((text) => text.includes('Here is the report.'))).toHaveLength(1);
      expect(told.filter((text) => text.includes("couldn't attach"))).toHaveLength(1);
      expect(fs.readdirSync(path.join(home, 'spool/dead'))).toEqual([]);
      if (name === 'slack') return;
      // What the notice says works: the file comes where files may be sent.
      const after = platform.answers(dm).length;
      await platform.command(dm, 'get', 'report.csv');
      expect((await waitFor(platform, dm, { after, file: 'report.csv' })).files[0]?.size).toBe(3);
    });

    it('offers buttons: the right one acts, once, and what it means is not in it', async () => {
      const { platform, llm, read } = await open();
      llm.script([
        {
          text: 'Noted.\n\n<memory_suggestion>\nAdd to MEMORY.md under "Project Context":\n- Uses CSV\n</memory_suggestion>',
        },
      ]);
      const place = platform.dm('alex');
      platform.say(place, 'remember');
      const question = await waitFor(platform, place, { text: 'Uses CSV' });
      expect(question.buttons).toContain('Accept');
      const before = platform.answers(place).length;
      await platform.press(place, 'Accept');
      await waitFor(platform, place, { after: before, text: 'Uses CSV' });
      expect(read('workspace/MEMORY.md')).toContain('Uses CSV');
    });

    it('answers commands, and what is no command', async () => {
      const { platform } = await open({ offline: true });
      const place = platform.dm('alex');
      expect((await platform.command(place, 'help')).text).toMatch(/status[\s\S]*tasks/);
      await ask(platform, place, 'make a plan: one; two');
      expect((await platform.command(place, 'plan')).text).toMatch(/one[\s\S]*two/);
      expect((await platform.command(place, 'status')).text).toMatch(/0\/2/);
      await platform.command(place, 'new');
      expect((await platform.command(place, 'plan')).text).not.toContain('two');
    });

    it('stops a run at once, whatever is waiting, and no completion follows', async () => {
      const { platform, llm } = await open();
      const place = platform.dm('alex');
      llm.script(() => ({ text: 'too late', delayMs: 20_000 }));
      platform.say(place, 'take your time');
      await llm.waitFor(() => true);
      expect((await platform.command(place, 'stop')).text).toContain('Stopped');
      await quiet();
      expect(textsOf(platform)).not.toContain('too late');
    });
  });

  describe(`${name}: what goes wrong`, () => {
    it('acknowledges nothing that could not be stored, and takes it once it can', async () => {
      const { platform, breakDisk, llm } = await open();
      await ask(platform, platform.dm('alex'), 'first');
      const mend = breakDisk();
      platform.say(platform.dm('alex'), 'second');
      await expect.poll(mend.refused).toBeGreaterThan(0);
      expect(llm.requests()).toHaveLength(1);
      mend();
      await waitFor(platform, platform.dm('alex'), { count: 2 });
      await quiet();
      expect(llm.requests().map((request) => request.lastUser)).toEqual(['first', 'second']);
    });

    it('obeys a rate limit: later, once, in order', async () => {
      const { platform, llm } = await open();
      llm.script((request) => ({ text: `re ${request.lastUser}` }));
      platform.fault({ kind: 'rate-limit', times: 1, seconds: 1 });
      for (const text of ['one', 'two', 'three']) platform.say(platform.dm('alex'), text);
      await waitFor(platform, platform.dm('alex'), { text: 're three' });
      await quiet();
      expect(textsOf(platform).filter((text) => text.startsWith('re '))).toEqual(['re one', 're two', 're three']);
    });

    it('sends once more, not twice, when the platform fails', async () => {
      const { platform, llm } = await open();
      llm.script(() => ({ text: 'here it is' }));
      platform.fault({ kind: 'server-error', times: 2 });
      platform.say(platform.dm('alex'), 'go');
      await waitFor(platform, platform.dm('alex'), { text: 'here it is' });
      await quiet();
      expect(textsOf(platform).filter((text) => text === 'here it is')).toHaveLength(1);
    });

    it('does not repeat an answer whose receipt was lost, where the platform can tell', async () => {
      const { platform, llm } = await open();
      llm.script((request) => ({ text: `re ${request.lastUser}` }));
      for (const text of ['one', 'two', 'three']) {
        platform.fault({ kind: 'lost-answer', times: 1 });
        platform.say(platform.dm('alex'), text);
        await waitFor(platform, platform.dm('alex'), { text: `re ${text}` });
      }
      await ask(platform, platform.dm('alex'), 'four', { text: 're four' });
      const copies = textsOf(platform).filter((text) => text.startsWith('re '));
      // Telegram can neither take a key nor be asked: one repetition, then the gateway says that it does not know.
      if (name === 'telegram') expect(new Set(copies)).toEqual(new Set(['re one', 're two', 're three', 're four']));
      else expect(copies).toEqual(['re one', 're two', 're three', 're four']);
    });

    it('answers an event that is delivered again once, also after a restart', async () => {
      const { platform, llm, restart } = await open();
      const said = platform.say(platform.dm('alex'), 'only once');
      await waitFor(platform, platform.dm('alex'));
      if (name !== 'telegram') for (let n = 0; n < 3; n++) platform.redeliver(said, platform.dm('alex'));
      await restart();
      if (name !== 'telegram') platform.redeliver(said, platform.dm('alex'));
      await ask(platform, platform.dm('alex'), 'next');
      await quiet();
      expect(llm.requests().map((request) => request.lastUser)).toEqual(['only once', 'next']);
    });

    it('comes back after a broken connection and misses nothing', async () => {
      const { platform, llm } = await open();
      await ask(platform, platform.dm('alex'), 'before');
      platform.drop();
      platform.say(platform.dm('alex'), 'meanwhile');
      await waitFor(platform, platform.dm('alex'), { count: 2 });
      await ask(platform, platform.dm('alex'), 'after');
      await quiet();
      expect(llm.requests().map((request) => request.lastUser)).toEqual(['before', 'meanwhile', 'after']);
    });

    it('answers what was said while it was down, once, in order', async () => {
      const { platform, llm, stop, restart } = await open();
      await ask(platform, platform.dm('alex'), 'before');
      const said = platform.say(platform.room, 'a topic', { mention: true });
      const thread = platform.answerPlace(said);
      await waitFor(platform, thread);
      await stop();
      platform.say(platform.dm('alex'), 'one');
      platform.say(platform.dm('alex'), 'two');
      platform.say(thread, 'in the thread', { mention: !platform.hasThreads });
      await restart();
      await expect.poll(() => llm.requests().length).toBe(5);
      await quiet();
      const asked = llm.requests().map((request) => request.lastUser);
      expect(asked).toHaveLength(5);
      expect(asked.indexOf('one')).toBeLessThan(asked.indexOf('two'));
      expect(asked.some((text) => text.includes('in the thread'))).toBe(true);
    });

    it('delivers after an outage, in order', async () => {
      const { platform, llm, home } = await open();
      llm.script((request) => ({ text: `re ${request.lastUser}`, delayMs: 150 }));
      await ask(platform, platform.dm('alex'), 'zero');
      for (const text of ['one', 'two', 'three']) platform.say(platform.dm('alex'), text);
      await llm.waitFor((request) => request.lastUser === 'one');
      await platform.outage(true);
      // An answer could not be sent.
      await expect.poll(() => keysIn(home, 'out')).not.toEqual([]);
      await platform.outage(false);
      await waitFor(platform, platform.dm('alex'), { text: 're three' });
      const answers = textsOf(platform).filter((text) => text.startsWith('re '));
      expect(answers).toEqual(['re zero', 're one', 're two', 're three']);
    });
  });
}
