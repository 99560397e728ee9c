/** Bootstrap files: which one wins, what of it a model sees, and that edits are noticed. */

import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { readMemory } from '../../src/features/memory/store/memory.ts';
import { damageText, listenForDamage } from '../../src/lib/damage.ts';
import { readBootstrap } from '../../src/workspace/bootstrap.ts';
import type { Home } from '../../src/workspace/home.ts';
import { ownTime } from '../helpers/own-time.ts';
import { newHome } from './home-helper.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const failing = (code: string) => Object.assign(new Error(code), { code });

function write(home: Home, name: string, text: string): void {
  const file = path.join(home.root, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}
const show = async (home: Home, viber: string) =>
  (await readBootstrap(home, viber)).map(({ tag, text }) => `${tag}: ${text}`);

/** A home without the templates' texts. */
async function bareHome(): Promise<Home> {
  const home = await newHome();
  for (const name of ['IDENTITY', 'SOUL', 'USER', 'AGENTS', 'TOOLS'])
    fs.rmSync(path.join(home.viberDir('default'), `${name}.md`));
  return home;
}

it('untouched templates cost two short lines', async () => {
  const texts = await show(await newHome(), 'default');
  expect(texts.map((text) => text.split(':')[0])).toEqual(['identity', 'soul']);
  expect(texts.join('').length).toBeLessThan(250);
  expect(texts.join('')).not.toContain('<!--');
});

it('are there while an editor saves them, and in UTF-16', async () => {
  const home = await bareHome();
  write(home, 'SOUL.md', 'Be kind.');
  expect(await show(home, 'default')).toEqual(['soul: Be kind.']);
  fs.truncateSync(path.join(home.root, 'SOUL.md'), 0);
  setTimeout(
    () => fs.writeFileSync(path.join(home.root, 'SOUL.md'), Buffer.from('\uFEFFBe brief, größer.\r\n', 'utf16le')),
    40,
  );
  expect(await show(home, 'default')).toEqual(['soul: Be brief, größer.']);
  fs.truncateSync(path.join(home.root, 'SOUL.md'), 0);
  await expect.poll(() => show(home, 'default')).toEqual([]);
});

it('are looked up in the viber and in the home, in any case, in one order, and never in another viber', async () => {
  const home = await bareHome();
  write(home, 'tools.md', 'home tools');
  write(home, 'workspace/Agents.MD', 'workspace agents');
  write(home, 'USER.md', 'home user');
  write(home, 'workspace/user.md', 'workspace user');
  write(home, 'vibers/dev/soul.md', 'dev soul');
  write(home, 'workspace/IDENTITY.md', 'workspace identity');
  expect(await show(home, 'dev')).toEqual(['soul: dev soul', 'user: home user', 'tools: home tools']);
  expect(await show(home, 'default')).toEqual([
    'identity: workspace identity',
    'user: workspace user',
    'agents: workspace agents',
    'tools: home tools',
  ]);
});

it('take upper case first, and pass over files that say nothing', async () => {
  const home = await bareHome();
  write(home, 'workspace/soul.md', 'lower');
  write(home, 'workspace/SOUL.md', 'upper');
  write(home, 'workspace/USER.md', '<!-- about you -->\n# User\n\n## Name\n');
  write(home, 'USER.md', 'home user');
  fs.mkdirSync(path.join(home.root, 'workspace/TOOLS.md'));
  fs.symlinkSync('nowhere', path.join(home.root, 'workspace/AGENTS.md'));
  expect(await show(home, 'default')).toEqual(['soul: upper', 'user: home user']);
});

it('count as missing where they cannot be read, each is told of once, and the others are there', async () => {
  const home = await bareHome();
  const told: string[] = [];
  listenForDamage(home.root, (damage) => told.push(damageText(damage, home.root).split('. Lost')[0] ?? ''));
  for (const name of ['SOUL', 'USER', 'AGENTS']) write(home, `workspace/${name}.md`, name);
  write(home, 'SOUL.md', 'of the home');
  fs.symlinkSync('TOOLS.md', path.join(home.root, 'workspace/TOOLS.md'));
  fs.symlinkSync('MEMORY.md', path.join(home.root, 'MEMORY.md.x'));
  fs.rmSync(path.join(home.root, 'workspace/MEMORY.md'));
  fs.renameSync(path.join(home.root, 'MEMORY.md.x'), path.join(home.root, 'workspace/MEMORY.md'));
  // As for a user that is not root.
  const { openSync } = fs;
  const codes = new Map([
    ['SOUL.md', 'EACCES'],
    ['USER.md', 'EPERM'],
  ]);
  vi.spyOn(fs, 'openSync').mockImplementation((...given) => {
    const code = String(given[0]).includes('workspace') ? codes.get(path.basename(String(given[0]))) : undefined;
    if (code !== undefined) throw failing(code);
    return openSync(...given);
  });
  const shown = ['soul: of the home', 'agents: AGENTS'];
  expect([await show(home, 'default'), await show(home, 'default')]).toEqual([shown, shown]);
  expect(await readMemory(home, 'default')).toBeUndefined();
  vi.restoreAllMocks();
  expect(told).toEqual([
    'The file workspace/SOUL.md cannot be read by this user',
    'The file workspace/USER.md cannot be read by this user',
    'The file workspace/TOOLS.md is a link that leads to itself',
    'The file workspace/MEMORY.md is a link that leads to itself',
  ]);
  // Somebody has given it back.
  expect(await show(home, 'default')).toEqual(['soul: SOUL', 'user: USER', 'agents: AGENTS']);
});

it('are those of the home where the folder cannot be read, and an error that may pass is thrown', async () => {
  const home = await bareHome();
  write(home, 'SOUL.md', 'of the home');
  write(home, 'workspace/SOUL.md', 'soul');
  const { readdirSync } = fs;
  const listed = vi.spyOn(fs, 'readdirSync').mockImplementation(((dir: string) => {
    if (path.basename(dir) === 'workspace') throw failing('EACCES');
    return readdirSync(dir);
  }) as typeof fs.readdirSync);
  expect(await show(home, 'default')).toEqual(['soul: of the home']);
  listed.mockRestore();
  vi.spyOn(fs, 'openSync').mockImplementation(() => {
    throw failing('EMFILE');
  });
  await expect(show(home, 'default')).rejects.toMatchObject({ code: 'EMFILE' });
});

it('lose their comments, but not those in code, nor an unclosed one', async () => {
  const home = await bareHome();
  const code = '```html\n<!-- kept -->\n```';
  write(
    home,
    'workspace/SOUL.md',
    `<!-- gone\nover lines -->\nBe <!-- gone -->kind.\n\n${code}\n<!-- gone -->\nEnd <!-- open`,
  );
  expect(await show(home, 'default')).toEqual([`soul: Be kind.\n\n${code}\nEnd <!-- open`]);
});

it('are cut with a note, however long or nasty', async () => {
  const home = await bareHome();
  write(home, 'workspace/SOUL.md', 'ü'.repeat(5_000_000));
  write(home, 'workspace/USER.md', '<!--'.repeat(1_000_000));
  const started = ownTime();
  const [soul, user] = await readBootstrap(home, 'default');
  expect(ownTime() - started).toBeLessThan(3000);
  expect(soul?.text).toMatch(/^ü{20000}\n\[cut: only the first 20000 characters are used\]$/);
  expect(user?.text.length).toBeLessThan(20_100);
});

it('are read again after an edit, a deletion and a new file, and only then', async () => {
  const home = await bareHome();
  write(home, 'workspace/SOUL.md', 'one');
  expect(await show(home, 'default')).toEqual(['soul: one']);
  write(home, 'workspace/SOUL.md', 'two');
  expect(await show(home, 'default')).toEqual(['soul: two']);
  write(home, 'workspace/USER.md', 'me');
  expect(await show(home, 'default')).toEqual(['soul: two', 'user: me']);
  fs.rmSync(path.join(home.root, 'workspace/SOUL.md'));
  expect(await show(home, 'default')).toEqual(['user: me']);
  // A file that was just written may change once more; these are older by then.
  await sleep(80);
  await readBootstrap(home, 'default');
  const opened = vi.spyOn(fs, 'openSync');
  expect(await show(home, 'default')).toEqual(['user: me']);
  expect(opened).not.toHaveBeenCalled();
  opened.mockRestore();
});
