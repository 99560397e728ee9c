/** The plan in the workspace, edited by hand: it is the plan of what its person talks about, and an edit goes where its text came from. */

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openChat } from '../kit/kit.ts';
import { quiet } from '../kit/quiet.ts';
import { ask, type Place, type Platform, waitFor } from '../platforms/platform.ts';
import { openPlatforms, type PlatformWorld } from '../platforms/world.ts';

interface Chat {
  world: PlatformWorld;
  telegram: Platform;
  dm: Place;
  /** `workspace/task.md` */
  file: string;
}

async function open(): Promise<Chat> {
  const { world, platform: telegram } = await openChat({ offline: true, channel: { live: 'off' } }, 'telegram');
  return { world, telegram, dm: telegram.dm('alex'), file: path.join(world.home, 'workspace', 'task.md') };
}

/** A task with a plan. Gives its id. */
async function plan({ world, telegram, dm }: Chat, steps: string): Promise<string> {
  const before = world.tasks();
  if (before.length > 0) await telegram.command(dm, 'new');
  await ask(telegram, dm, `make a plan: ${steps}`);
  await ask(telegram, dm, 'thanks');
  return world.tasks().find((id) => !before.includes(id)) ?? '';
}

const planOf = ({ world }: Chat, task: string) => world.read(`artifacts/${task}/task.md`);

/** How editors save a file they have opened while it held `opened`; each puts `was` into other words. */
const EDITORS: [string, (file: string, opened: string, was: string, becomes: string) => void | Promise<void>][] = [
  ['in place, as nano does', (file, opened, was, becomes) => fs.writeFileSync(file, opened.replace(was, becomes))],
  [
    'truncating and writing a moment later, as VS Code does, without a last line end',
    async (file, opened, was, becomes) => {
      fs.truncateSync(file, 0);
      // An editor writes a moment after it has truncated.
      await sleep(120);
      fs.writeFileSync(file, opened.replace(was, becomes).trimEnd());
    },
  ],
  [
    'by a rename to a backup and a new file, as vim does with backupcopy=no',
    (file, opened, was, becomes) => {
      fs.renameSync(file, `${file}~`);
      fs.writeFileSync(file, opened.replace(was, becomes));
      fs.rmSync(`${file}~`);
    },
  ],
  [
    'by a rename of a new file over it',
    (file, opened, was, becomes) => {
      fs.writeFileSync(`${file}.tmp`, opened.replace(was, becomes));
      fs.renameSync(`${file}.tmp`, file);
    },
  ],
];

const has = (program: string): boolean => {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    return true;
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  }
};

describe('workspace/task.md', () => {
  it('follows its owner from task to task with every message, and nobody else', async () => {
    const chat = await open();
    const { world, telegram, dm, file } = chat;
    const first = await plan(chat, 'collect numbers; write the report');
    const second = await plan(chat, 'paint the fence; buy paint');
    const shows = () => path.basename(path.dirname(fs.readlinkSync(file)));
    const log = () => path.basename(fs.readlinkSync(path.join(world.home, 'workspace', 'session-log')), '.jsonl');
    expect([shows(), log()]).toEqual([second, second]);
    await telegram.command(dm, 'open', first);
    await ask(telegram, dm, 'hello again');
    expect([shows(), log()]).toEqual([first, first]);
    await ask(telegram, telegram.dm('sam'), 'make a plan: my own things', { by: 'sam' });
    await ask(telegram, telegram.dm('sam'), 'thanks', { by: 'sam' });
    expect([shows(), log()]).toEqual([first, first]);
    const said = await ask(telegram, telegram.room, 'hello there', { mention: true });
    expect(said.text).not.toBe('');
    expect([first, second]).not.toContain(shows());
    await ask(telegram, dm, 'back here');
    expect([shows(), log()]).toEqual([first, first]);
  });

  describe.each(EDITORS)('saved %s', (_how, save) => {
    it('goes to the task whose text was opened, when another is shown by then; what it replaces is kept and told', async () => {
      const chat = await open();
      const { world, telegram, dm, file } = chat;
      const first = await plan(chat, 'collect numbers; write the report; send it to Kim');
      const opened = fs.readFileSync(file, 'utf8');
      await ask(telegram, dm, 'done 1');
      const before = planOf(chat, first);
      const second = await plan(chat, 'paint the fence; buy paint; clean the brushes');
      const untouched = planOf(chat, second);
      const after = telegram.answers(dm).length;
      const saving = save(file, opened, 'write the report', 'write a SHORT report');
      // Looked at in the midst of it.
      telegram.say(dm, '/plan');
      await waitFor(telegram, dm, { after, text: 'paint the fence' });
      await saving;
      telegram.say(dm, '/plan');
      await waitFor(telegram, dm, { after, text: 'paint the fence', count: 2 });
      const told = await waitFor(telegram, dm, { after, text: 'You edited the plan of' });
      expect(told.text).toContain('make a plan: collect numbers');
      expect(planOf(chat, first)).toContain('write a SHORT report');
      expect(planOf(chat, second)).toBe(untouched);
      const [, kept = ''] = /kept as (\S+\.md)/.exec(told.text) ?? [];
      expect(kept).not.toBe('');
      const index = world.read(`artifacts/${first}/artifacts.jsonl`);
      const { ref } = JSON.parse(index.split('\n').find((line) => line.includes(kept)) ?? '{}');
      expect(world.read(ref)).toBe(before);
      expect(fs.lstatSync(file).isSymbolicLink()).toBe(true);
      expect(fs.readlinkSync(file)).toContain(second);
    });

    it('is the plan of the task it shows, also after a restart', async () => {
      const chat = await open();
      const { world, telegram, dm, file } = chat;
      await plan(chat, 'collect numbers; write the report');
      const second = await plan(chat, 'paint the fence; buy paint');
      await world.restart();
      await save(file, fs.readFileSync(file, 'utf8'), 'buy paint', 'buy RED paint');
      await quiet();
      expect((await telegram.command(dm, 'plan')).text).toContain('buy RED paint');
      expect(planOf(chat, second)).toContain('buy RED paint');
    });
  });

  it.runIf(has('vim'))('edited with vim as it comes goes to the task whose text was opened', async () => {
    const chat = await open();
    const { telegram, dm, file } = chat;
    for (const how of ['yes', 'no', 'auto']) {
      const first = await plan(chat, `collect ${how} numbers; write the ${how} report`);
      const opened = fs.readFileSync(file, 'utf8');
      const second = await plan(chat, `paint the ${how} fence; buy ${how} paint`);
      const untouched = planOf(chat, second);
      // Vim has the old text in its buffer when it writes.
      const buffer = path.join(chat.world.home, 'buffer.md');
      fs.writeFileSync(buffer, opened);
      const commands = [
        '-c',
        `set backupcopy=${how} noswapfile backup backupdir=.`,
        '-c',
        '%s/report/SHORT report/',
        '-c',
        `w! ${file}`,
        '-c',
        'qa!',
      ];
      execFileSync('vim', ['-u', 'NONE', '-N', '-es', ...commands, buffer], { stdio: 'ignore' });
      await telegram.command(dm, 'plan');
      // The answer that came first may be the one that tells of the edit before.
      await expect.poll(() => [how, planOf(chat, first)]).toEqual([how, expect.stringContaining('SHORT report')]);
      expect(planOf(chat, second)).toBe(untouched);
    }
  });

  it.each([
    ['sed', ['-i', 's/buy paint/buy RED paint/']],
    ['perl', ['-pi', '-e', 's/buy paint/buy RED paint/']],
  ] as const)('changed by %s stays the plan of its task', async (program, args) => {
    if (!has(program)) return;
    const chat = await open();
    const { telegram, dm, file } = chat;
    await plan(chat, 'collect numbers; write the report');
    const second = await plan(chat, 'paint the fence; buy paint');
    execFileSync(program, [...args, file]);
    expect((await telegram.command(dm, 'plan')).text).toContain('buy RED paint');
    expect(planOf(chat, second)).toContain('buy RED paint');
  });

  it('made from nothing that was shown changes no plan where several people have theirs', async () => {
    const { world, platform: telegram } = await openChat(
      {
        offline: true,
        channel: { live: 'off' },
        config: {
          people: [
            { name: 'alex', role: 'owner', ids: ['telegram:1001'] },
            { name: 'sam', role: 'owner', ids: ['telegram:1002'] },
          ],
        },
      },
      'telegram',
    );
    const file = path.join(world.home, 'workspace', 'task.md');
    await ask(telegram, telegram.dm('alex'), 'make a plan: collect numbers; write the report');
    await ask(telegram, telegram.dm('alex'), 'thanks');
    const opened = fs.readFileSync(file, 'utf8');
    await ask(telegram, telegram.dm('sam'), 'make a plan: paint the fence; buy paint', { by: 'sam' });
    await ask(telegram, telegram.dm('sam'), 'thanks', { by: 'sam' });
    const [alexs = '', sams = ''] = world.tasks();
    const plans = () => [alexs, sams].map((task) => world.read(`artifacts/${task}/task.md`));
    const before = plans();
    fs.writeFileSync(`${file}.tmp`, '## Plan\n- [ ] something else\n');
    fs.renameSync(`${file}.tmp`, file);
    await telegram.command(telegram.dm('sam'), 'plan', '', 'sam');
    expect(plans()).toEqual(before);
    const aside = fs.readdirSync(path.dirname(file)).filter((name) => /^task-.*\.md$/.test(name));
    expect(aside.map((name) => world.read(`workspace/${name}`))).toEqual(['## Plan\n- [ ] something else\n']);
    // What Alex had opened goes to Alex.
    fs.writeFileSync(file, opened.replace('report', 'SHORT report'));
    await telegram.command(telegram.dm('sam'), 'plan', '', 'sam');
    await expect.poll(plans).toEqual([expect.stringContaining('SHORT report'), before[1]]);
  });
});

describe('a plan that changes while it is open in an editor', () => {
  it('keeps a tick from the chat when a save brings back the text of before, with the change that was made', async () => {
    const chat = await open();
    const { telegram, dm, file } = chat;
    const task = await plan(chat, 'collect numbers; write the report');
    const opened = fs.readFileSync(file, 'utf8');
    await telegram.command(dm, 'plan', 'done 1');
    const after = telegram.answers(dm).length;
    fs.writeFileSync(file, opened.replace('- [ ] write the report', '- [ ] write a SHORT report'));
    telegram.say(dm, '/plan');
    expect((await waitFor(telegram, dm, { after, text: 'an older version' })).text).toContain('I merged your change');
    expect(planOf(chat, task)).toMatch(/- \[x\] collect numbers\n- \[ \] write a SHORT report/);
  });

  it('says so when a save takes a tick back, and keeps what stood there', async () => {
    const chat = await open();
    const { telegram, dm, file } = chat;
    const task = await plan(chat, 'collect numbers; write the report');
    const opened = fs.readFileSync(file, 'utf8');
    await telegram.command(dm, 'plan', 'done 1');
    const ticked = planOf(chat, task);
    const after = telegram.answers(dm).length;
    fs.writeFileSync(file, opened);
    telegram.say(dm, '/plan');
    const told = await waitFor(telegram, dm, { after, text: 'You edited the plan of' });
    const [, kept = ''] = /kept as (\S+\.md)/.exec(told.text) ?? [];
    const index = chat.world.read(`artifacts/${task}/artifacts.jsonl`);
    const { ref } = JSON.parse(index.split('\n').find((line) => line.includes(kept)) ?? '{}');
    expect(chat.world.read(ref)).toBe(ticked);
  });

  it('holds what is said from three places at once', async () => {
    const world = await openPlatforms({ offline: true, channel: { live: 'off' } });
    const { telegram, discord, slack } = world.platforms;
    await ask(telegram, telegram.dm('alex'), 'make a plan: one; two; three; four');
    const [task = ''] = world.tasks();
    const places = [telegram, discord, slack].map((platform) => ({ platform, dm: platform.dm('alex') }));
    for (const verb of ['done', 'open']) {
      await Promise.all(places.map(({ platform, dm }, n) => platform.command(dm, 'plan', `${verb} ${n + 1}`)));
      const marks = world.read(`artifacts/${task}/task.md`).match(/^- \[.\]/gm);
      expect(marks).toEqual([
        ...(verb === 'done' ? ['- [x]', '- [x]', '- [x]'] : ['- [ ]', '- [ ]', '- [ ]']),
        '- [ ]',
      ]);
    }
  });

  it('has its link back with its next change when somebody deletes it', async () => {
    const chat = await open();
    const { telegram, dm, file, world } = chat;
    const task = await plan(chat, 'collect numbers; write the report');
    for (const links of [[file], [file, path.join(path.dirname(file), 'session-log')]]) {
      for (const link of links) fs.rmSync(link);
      await telegram.command(dm, 'plan', 'done 1');
      expect(fs.readFileSync(file, 'utf8')).toBe(world.read(`artifacts/${task}/task.md`));
    }
  });

  it('writes nothing on of a file that is no text, and keeps that beside it', async () => {
    const chat = await open();
    const { telegram, dm, file, world } = chat;
    const task = await plan(chat, 'collect numbers; write the report');
    const picture = Buffer.from('89504e470d0a1a0a0000000d49484452000000ff00feff', 'hex');
    fs.writeFileSync(file, picture);
    await telegram.command(dm, 'plan', 'add call Kim');
    const text = world.read(`artifacts/${task}/task.md`);
    expect(text).toContain('call Kim');
    expect(text).not.toMatch(/PNG|IHDR|\uFFFD|\0/);
    const folder = path.join(world.home, 'artifacts', task);
    const kept = fs.readdirSync(folder).filter((name) => name.startsWith('task.md.bad'));
    expect(kept.map((name) => fs.readFileSync(path.join(folder, name)).equals(picture))).toEqual([true]);
  });
});
