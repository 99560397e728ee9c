/** The sweep removes old daily logs and nothing else, of every viber there is. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { sweepAll, sweepMemory } from '../../src/features/memory/store/retention.ts';
import type { Home } from '../../src/workspace/home.ts';
import { tempFolder } from '../helpers/temp.ts';
import { newHome } from './home-helper.ts';

const NOW = new Date(2026, 10, 21, 3, 0);
const KEEP = { dailyLogsDays: 90 };
const raise = (_viber: string, error: unknown): never => {
  throw error;
};

function put(home: Home, viber: string, names: readonly string[]): string {
  const dir = path.join(home.viberDir(viber), 'memory');
  fs.mkdirSync(dir, { recursive: true });
  for (const name of names) fs.writeFileSync(path.join(dir, name), name);
  return dir;
}

describe('sweepMemory', () => {
  it('keeps the last days and what is not a log', async () => {
    const home = await newHome();
    const old = ['2026-08-22.md', '2025-12-31.md', '1999-01-01.md'];
    const kept = ['2026-08-23.md', '2026-11-21.md', '2026-12-31.md', '2026-02-30.md', '2020-1-1.md', '2020-01-01.MD'];
    const others = ['notes.md', '2020-01-01.secret.md', 'x2020-01-01.md', '2020-01-01.md.bak', 'provenance.jsonl'];
    const dir = put(home, 'default', [...old, ...kept, ...others]);
    fs.mkdirSync(path.join(dir, '2001-01-01.md'));
    expect((await sweepMemory(home, 'default', KEEP, NOW)).sort()).toEqual(old.sort());
    expect(fs.readdirSync(dir).sort()).toEqual([...kept, ...others, '2001-01-01.md'].sort());
    expect(await sweepMemory(home, 'default', KEEP, NOW)).toEqual([]);
  });

  it('leaves links and what they lead to', async () => {
    const home = await newHome();
    const outside = tempFolder();
    fs.writeFileSync(path.join(outside, '2001-01-01.md'), 'mine');
    const dir = put(home, 'default', []);
    fs.symlinkSync(path.join(outside, '2001-01-01.md'), path.join(dir, '2001-01-01.md'));
    fs.mkdirSync(home.viberDir('dev'), { recursive: true });
    fs.symlinkSync(outside, path.join(home.viberDir('dev'), 'memory'));
    fs.symlinkSync(outside, path.join(home.root, 'vibers/linked'));
    fs.mkdirSync(path.join(outside, 'memory'));
    fs.writeFileSync(path.join(outside, 'memory/2001-01-01.md'), 'mine');
    expect(await sweepAll(home, KEEP, NOW, raise)).toBe(0);
    expect(fs.readFileSync(path.join(outside, '2001-01-01.md'), 'utf8')).toBe('mine');
    expect(fs.existsSync(path.join(outside, 'memory/2001-01-01.md'))).toBe(true);
    expect(fs.readdirSync(dir)).toContain('2001-01-01.md');
  });
});

describe('sweepAll', () => {
  it('sweeps every viber once and passes over what is none', async () => {
    const home = await newHome();
    for (const viber of ['default', 'dev', 'researcher']) put(home, viber, ['2001-01-01.md', '2026-11-20.md']);
    fs.mkdirSync(path.join(home.root, 'vibers/Not An Id/memory'), { recursive: true });
    fs.writeFileSync(path.join(home.root, 'vibers/Not An Id/memory/2001-01-01.md'), 'x');
    fs.mkdirSync(path.join(home.root, 'vibers/empty'));
    expect(await sweepAll(home, KEEP, NOW, raise)).toBe(3);
    expect(await sweepAll(home, { dailyLogsDays: 1 }, NOW, raise)).toBe(0);
    expect(await sweepAll(home, { dailyLogsDays: 1 }, new Date(2026, 10, 22), raise)).toBe(3);
  });
});
