/** `viber project`: which folders the viber may work in, in the configuration and for the doctor. */
import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { checkRoots } from '../../src/features/projects/check.ts';
import { run } from '../../src/features/projects/cli/run.ts';
import { openProjectCache } from '../../src/features/projects/commands/cache.ts';
import { messagesIn } from '../../src/messages/messages.ts';
import { openHome } from '../../src/workspace/home.ts';
import { printed } from '../helpers/cli.ts';
import { tempFolder } from '../helpers/temp.ts';

let home: string;
let code: string;
beforeEach(async () => {
  home = tempFolder();
  await openHome(home);
  fs.writeFileSync(path.join(home, 'config.yaml'), '# mine\nlanguage: en # for all\n');
  code = fs.realpathSync(tempFolder());
  fs.mkdirSync(path.join(code, 'web/shop/.git'), { recursive: true });
  fs.mkdirSync(path.join(code, 'tools'));
  fs.writeFileSync(path.join(code, 'tools/go.mod'), 'module tools\n');
});

async function viber(
  args: string[],
  json = false,
  values: Record<string, string> = {},
  ...switches: string[]
): Promise<string> {
  const { code: ended, text } = await printed(run, home, { args, json, values, switches: new Set(switches) });
  expect(ended).toBe(0);
  return text;
}

const config = () => fs.readFileSync(path.join(home, 'config.yaml'), 'utf8');

test('allows a folder once, keeps what people wrote, and forbids it again', async () => {
  expect(await viber(['list'])).toContain('No folder with projects is allowed yet');
  const said = await viber(['allow', code]);
  expect(said).toContain(`${code} is allowed. It holds 2 projects.\n  tools\n  web/shop\n`);
  expect(said).toContain('config.yaml. A gateway that runs now uses it after a restart.');
  expect(config()).toContain('# mine\nlanguage: en # for all\n');
  expect(config()).toContain(code);
  const link = path.join(tempFolder(), 'link');
  fs.symlinkSync(code, link);
  expect(await viber(['allow', link])).not.toContain('restart');
  expect(await viber(['list'])).toBe(`${code}\n  tools\n  web/shop`);
  expect(JSON.parse(await viber(['list'], true))).toMatchObject([{ root: code, projects: [{ name: 'tools' }, {}] }]);
  expect(await viber(['forbid', code])).toContain(`${code} isn't allowed any more.`);
  expect(config()).not.toContain(code);
  await expect(viber(['forbid', code])).rejects.toThrow("isn't one of the allowed folders");
});

test.each([
  ['that is not there', () => path.join(code, 'nowhere'), 'there is no such folder'],
  ['that is a file', () => path.join(code, 'tools/go.mod'), "it isn't a folder"],
  ['that holds the home', () => path.dirname(home), 'the files of the gateway are in it'],
  ['in the home', () => path.join(home, 'jobs'), 'it is one of the folders of the gateway'],
  ['of the system', () => '/usr/share', 'it is in a folder of the system'],
])('refuses a folder %s', async (_what, folder, why) => {
  await expect(viber(['allow', folder()])).rejects.toThrow(why);
  expect(config()).toBe('# mine\nlanguage: en # for all\n');
});

test('the doctor says what each folder holds, and which is gone', async () => {
  await viber(['allow', code]);
  const findings = async () => {
    const { config: all } = await loadConfig({ file: undefined, home, env: {} });
    const at = { config: all, home, reserved: [], natives: [], env: {}, names: async () => ({}) };
    const found = await checkRoots(at as unknown as Parameters<typeof checkRoots>[0]);
    return found.map(({ state, detail }) => [state, messagesIn('en').said(detail)]);
  };
  const kept = path.join(home, 'worktrees/t-1-ab');
  fs.mkdirSync(kept, { recursive: true });
  const about = { task: 't-1', project: path.join(code, 'shop'), branch: 'viber/t-1' };
  fs.writeFileSync(path.join(kept, 'about.json'), JSON.stringify(about));
  const [found, commands, left] = await findings();
  expect(left).toEqual(['note', expect.stringMatching(/^Worktrees of deleted tasks, .*worktrees.*shop/)]);
  expect(found).toEqual(['ok', `${code} holds 2 projects; commands there reach no network`]);
  expect(commands?.[1]).toMatch(/find .*git/);
  fs.rmSync(code, { recursive: true });
  expect((await findings())[0]).toEqual(['wrong', `${code}: there is no such folder`]);
});

test('says what commands reach, and keeps each comment when that changes', async () => {
  const second = fs.realpathSync(tempFolder());
  const list = `# mine\nprojects:\n  roots:\n    # work\n    - ${code} # the code\n    - ${second} # others\n  people: [] # nobody\n`;
  fs.writeFileSync(path.join(home, 'config.yaml'), list);
  expect(await viber(['allow', code], false, { network: 'registries' })).toContain(
    'Commands there reach package registries.\nThe setting is in',
  );
  const after = config();
  for (const comment of ['# mine', '# work', 'the code', `- ${second} # others`, 'people: [] # nobody'])
    expect(after).toContain(comment);
  expect(after).toMatch(/folder: .*\n\s+network: registries/);
  expect(await viber(['allow', code], false, { network: 'registries' })).not.toContain('restart');
  expect(await viber(['allow', code])).toContain('reach package registries');
  expect(await viber(['allow', code], false, { network: 'all' })).toContain('reach the public internet');
  expect(config()).toBe(after.replace('network: registries', 'network: all'));
  expect(JSON.parse(await viber(['list'], true))).toMatchObject([{ network: 'all' }, { network: 'none' }]);
  const third = fs.realpathSync(tempFolder());
  await viber(['allow', third], false, { network: 'none' });
  expect(config()).toContain(`- ${third}\n`);
  await viber(['forbid', second]);
  expect(config()).not.toContain(second);
  expect(config()).toContain('the code');
  await expect(viber(['allow', second], false, { network: 'some' })).rejects.toThrow(
    '--network is none, registries or all',
  );
  const { config: loaded } = await loadConfig({ file: undefined, home, env: {} });
  expect(loaded.projects.roots).toEqual([{ folder: code, network: 'all' }, third]);
});

test('gives tasks worktrees, and takes that back', async () => {
  const told = 'Each task there works in a git worktree of its own.';
  expect(await viber(['allow', code], false, {}, 'worktree')).toContain(told);
  expect(config()).toMatch(/folder: .*\n\s+worktree: true/);
  expect(JSON.parse(await viber(['list'], true))).toMatchObject([{ network: 'none', worktree: true }]);
  expect(await viber(['allow', code], false, {}, 'worktree')).not.toContain('restart');
  expect(await viber(['allow', code], false, { network: 'registries' })).toContain(told);
  const { config: loaded } = await loadConfig({ file: undefined, home, env: {} });
  expect(loaded.projects.roots).toEqual([{ folder: code, network: 'registries', worktree: true }]);
  expect(await viber(['allow', code], false, {}, 'no-worktree')).not.toContain(told);
  expect(JSON.parse(await viber(['list'], true))).toMatchObject([{ network: 'registries', worktree: false }]);
  expect(config()).not.toContain('worktree');
});

test('forbidding a folder removes what its projects kept', async () => {
  await viber(['allow', code]);
  const at = await openHome(home);
  const project = path.join(code, 'tools');
  const { folder } = await openProjectCache(at, project, 'person:alex');
  fs.writeFileSync(path.join(folder, 'a'), 'a');
  await viber(['forbid', code]);
  expect(fs.existsSync(folder)).toBe(false);
});
