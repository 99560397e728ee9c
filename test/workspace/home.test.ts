/** The home: where it is, what the first start creates, and what it never touches. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { WorkspaceError } from '../../src/errors.ts';
import { damageText, listenForDamage } from '../../src/lib/damage.ts';
import { isProtected, locateHome, openHome, PROTECTED } from '../../src/workspace/home.ts';
import { TEMPLATES } from '../../src/workspace/templates.ts';
import { tempFolder, tree } from '../helpers/temp.ts';

const mode = (file: string) => fs.statSync(file).mode & 0o777;

describe('locateHome', () => {
  it('takes --home, then OPENVIBER_HOME, then the folder that is there', () => {
    const HOME = tempFolder();
    const at = (name: string) => path.join(HOME, name);
    expect(locateHome({ override: '/x/y', env: { HOME, OPENVIBER_HOME: '/z' } })).toBe('/x/y');
    expect(locateHome({ env: { HOME, OPENVIBER_HOME: '/z' } })).toBe('/z');
    expect(locateHome({ env: { HOME, OPENVIBER_HOME: '~/v' } })).toBe(at('v'));
    expect(locateHome({ override: 'rel', env: { HOME } })).toBe(path.resolve('rel'));
    expect(locateHome({ env: { HOME, OPENVIBER_HOME: '' } })).toBe(at('.openviber'));
    fs.mkdirSync(at('.viber'));
    expect(locateHome({ env: { HOME } })).toBe(at('.viber'));
    fs.mkdirSync(at('.openviber'));
    expect(locateHome({ env: { HOME } })).toBe(at('.openviber'));
  });
});

describe('openHome', () => {
  it('creates the layout with private folders, links and templates', async () => {
    const root = path.join(tempFolder(), 'home');
    const home = await openHome(root);
    // biome-ignore format: a list is filled
    const folders = [
      'spool', 'access', 'cache', 'run', 'conversations', 'usage', 'jobs', 'skills', 'playbooks', 'artifacts',
    ];
    for (const name of [
      ...folders,
      'agents/default/sessions',
      'workspace/memory',
      'workspace/artifacts',
      'workspace/skills',
      'memory',
      '',
    ]) {
      expect(mode(path.join(root, name)), name).toBe(0o700);
    }
    expect(fs.readlinkSync(path.join(root, 'vibers/default'))).toBe('../workspace');
    expect(fs.readFileSync(path.join(root, 'vibers/default/MEMORY.md'), 'utf8')).toContain('## Learned Patterns');
    for (const name of Object.keys(TEMPLATES)) expect(mode(path.join(root, 'workspace', name))).toBe(0o600);
    expect(home.sessionPath('default', '20260102-abcde')).toBe(
      path.join(root, 'agents/default/sessions/20260102-abcde.jsonl'),
    );
    expect(home.viberDir('default')).toBe(path.join(root, 'workspace'));
    expect(home.viberDir('dev')).toBe(path.join(root, 'vibers/dev'));
  });

  it('has templates that are short', () => {
    expect(Object.values(TEMPLATES).join('').length).toBeLessThan(1500);
  });

  it('changes nothing at the second start, nor what a person wrote', async () => {
    const root = path.join(tempFolder(), 'home');
    await openHome(root);
    fs.writeFileSync(path.join(root, 'workspace/SOUL.md'), 'Mine.');
    const before = tree(root);
    await openHome(root);
    expect(tree(root)).toEqual(before);
  });

  it('puts no template in front of a file in lower case, here or in the home', async () => {
    const root = path.join(tempFolder(), 'home');
    fs.mkdirSync(path.join(root, 'workspace'), { recursive: true });
    fs.writeFileSync(path.join(root, 'workspace/soul.md'), 'Mine.');
    fs.writeFileSync(path.join(root, 'user.md'), 'Me.');
    await openHome(root);
    const names = fs.readdirSync(path.join(root, 'workspace'));
    expect(names).toContain('soul.md');
    expect(names).toContain('IDENTITY.md');
    expect(names.filter((name) => /^(SOUL|USER)\.md$/.test(name))).toEqual([]);
  });

  it('keeps an older home whose default viber is a real folder', async () => {
    const root = path.join(tempFolder(), 'home');
    fs.mkdirSync(path.join(root, 'vibers/default/memory'), { recursive: true });
    fs.writeFileSync(path.join(root, 'vibers/default/MEMORY.md'), 'old');
    const home = await openHome(root);
    expect(fs.readFileSync(path.join(home.viberDir('default'), 'MEMORY.md'), 'utf8')).toBe('old');
    expect(fs.lstatSync(path.join(root, 'vibers/default')).isDirectory()).toBe(true);
  });

  it('closes operational folders that were open to others', async () => {
    const root = path.join(tempFolder(), 'home');
    fs.mkdirSync(path.join(root, 'access'), { recursive: true });
    fs.chmodSync(path.join(root, 'access'), 0o755);
    await openHome(root);
    expect(mode(path.join(root, 'access'))).toBe(0o700);
  });

  it('gives folders on the way the rights back that their user has lost', async () => {
    const { root } = await openHome(path.join(tempFolder(), 'home'));
    const names = ['agents', 'agents/default', 'spool', 'skills'];
    for (const name of names.toReversed()) fs.chmodSync(path.join(root, name), 0o000);
    await openHome(root);
    expect(names.map((name) => mode(path.join(root, name)))).toEqual(names.map(() => 0o700));
  });

  it.each(['cache', 'cache/plan-steps', 'conversations/shown', 'conversations/tasks', 'run'])(
    'sets aside a link that leads to itself in the place of %s',
    async (name) => {
      const root = tempFolder();
      await openHome(root);
      const folder = path.join(root, name);
      fs.mkdirSync(path.dirname(folder), { recursive: true });
      fs.rmSync(folder, { recursive: true, force: true });
      fs.symlinkSync(path.basename(folder), folder);
      await openHome(root);
      expect(fs.statSync(folder).isDirectory()).toBe(true);
      expect(fs.lstatSync(`${folder}.bad`).isSymbolicLink()).toBe(true);
    },
  );

  it('refuses what another user keeps closed, moves nothing, and goes on where reading is enough', async () => {
    const { root } = await openHome(path.join(tempFolder(), 'home'));
    const told: string[] = [];
    listenForDamage(root, (damage) => told.push(damageText(damage, root)));
    // As root made them, for a gateway of another user.
    const inodes = new Map<number, number>();
    const belongsToRoot = (name: string, rights: number) => inodes.set(fs.statSync(path.join(root, name)).ino, rights);
    const READ = fs.constants.R_OK | fs.constants.X_OK;
    vi.spyOn(fs, 'accessSync').mockImplementation((file, needed = 0) => {
      const rights = inodes.get(fs.statSync(file).ino) ?? 7;
      if ((rights & needed) !== needed) throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
    });
    const { chmodSync } = fs;
    vi.spyOn(fs, 'chmodSync').mockImplementation((file, mode) => {
      if (inodes.has(fs.statSync(file).ino)) throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
      chmodSync(file, mode);
    });
    belongsToRoot('skills', READ);
    await openHome(root);
    const refused = (name: string) => expect.objectContaining({ code: 'EACCES', path: path.join(root, name) });
    belongsToRoot('usage', READ);
    await expect(openHome(root)).rejects.toEqual(refused('usage'));
    inodes.clear();
    belongsToRoot('agents', 0);
    await expect(openHome(root)).rejects.toEqual(refused('agents'));
    vi.restoreAllMocks();
    expect([fs.readdirSync(root).filter((name) => name.includes('.bad')), told]).toEqual([[], []]);
  });

  it('names a full disk', async () => {
    const root = path.join(tempFolder(), 'home');
    vi.spyOn(fs, 'symlinkSync').mockImplementationOnce(() => {
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    });
    await expect(openHome(root)).rejects.toThrow(`The disk of ${root} is full. Free some space, and try again.`);
  });

  it('names the home and the setting when it cannot be used', async () => {
    const file = path.join(tempFolder(), 'file');
    fs.writeFileSync(file, '');
    await expect(openHome(path.join(file, 'home'))).rejects.toThrow(/file\/home cannot be used.*OPENVIBER_HOME/);
    await expect(openHome(file)).rejects.toBeInstanceOf(WorkspaceError);
  });
});

describe('ids', () => {
  const BAD = [
    '',
    '..',
    '.',
    'a/b',
    '../x',
    'A',
    'ä',
    '-a',
    '_a',
    'a b',
    'a\0',
    'x'.repeat(65),
    'a.b',
    '~',
    'default/..',
    '__proto__',
  ];
  it.each(BAD)('%j is no id', async (id) => {
    const home = await openHome(path.join(tempFolder(), 'home'));
    for (const use of [home.viberDir, home.taskDir, (bad: string) => home.sessionPath('default', bad)]) {
      expect(() => use(id)).toThrow(WorkspaceError);
    }
  });
});

describe('isProtected', () => {
  it('covers what only typed operations may change', async () => {
    const home = await openHome(path.join(tempFolder(), 'home'));
    const check = (name: string) => isProtected(home, path.join(fs.realpathSync(home.root), name));
    for (const name of PROTECTED) expect(check(`${name}`), name).toBe(true);
    // biome-ignore format: a list is filled
    const yes = [
      'jobs/x.yaml', 'JOBS/x.yaml', 'Config.yaml', 'artifacts/20260101-aaaaa/task.json', 'artifacts/t/artifacts.jsonl',
      'workspace/skills/x/SKILL.md', 'workspace/Skills/x.skill.md', 'vibers/dev/skills',
      'vibers/default/skills/x.skill.md', 'workspace/code/.git/hooks/pre-commit', 'workspace/.GIT/config',
      'artifacts/t/.git',
    ];
    for (const name of [...yes, 'workspace/memory/suggestions/x.json', 'vibers/dev/memory/provenance.jsonl', '.']) {
      expect(check(name), name).toBe(true);
    }
    for (const name of [
      'workspace/notes.md',
      'artifacts/t/notes.md',
      'workspace/jobs/x.yaml',
      'workspace/skills.md',
      'workspace/code/skills/x.md',
      'workspace/.gitignore',
      'vibers/dev/notes/.github/x.yml',
      'workspace/memory/2026-01-01.md',
    ]) {
      expect(check(name), name).toBe(false);
    }
    expect(isProtected(home, '/etc/passwd')).toBe(true);
  });
});
