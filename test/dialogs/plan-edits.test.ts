/** The plan in the workspace, edited by hand: it is the plan of what its person talks about, and an edit goes where its text came from. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
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
  const world = await openPlatforms({ on: ['telegram'], offline: true, channel: { live: 'off' } });
  const { telegram } = world.platforms;
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
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** How editors save a file they have opened while it held `opened`; each puts `was` into other words. */
const EDITORS: [string, (file: string, opened: string, was: string, becomes: string) => void | Promise<void>][] = [
  ['in place, as nano does', (file, opened, was, becomes) => fs.writeFileSync(file, opened.replace(was, becomes))],
  [
    'truncating and writing a moment later, as VS Code does, without a last line end',
    async (file, opened, was, becomes) => {
      fs.truncateSync(file, 0);
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
      await sleep(50);
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
      expect([how, planOf(chat, first)]).toEqual([how, expect.stringContaining('SHORT report')]);
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
    const world = await openPlatforms({
      ...{ on: ['telegram'], offline: true, channel: { live: 'off' } },
      config: {
        people: [
          { name: 'alex', role: 'owner', ids: ['telegram:1001'] },
          { name: 'sam', role: 'owner', ids: ['telegram:1002'] },
        ],
      },
    });
    const { telegram } = world.platforms;
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
    expect(plans()).toEqual([expect.stringContaining('SHORT report'), before[1]]);
  });
});
