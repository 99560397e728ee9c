/** Lines of MEMORY.md taken out and put back, and two who write it at once: what a person wrote is never lost. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bulletsOf, matching, withoutBullet } from '../../src/features/memory/store/bullets.ts';
import { forgetBullet, undoLast } from '../../src/features/memory/store/changes.ts';
import { appendDailyLogs } from '../../src/features/memory/store/daily.ts';
import { addToMemory, readMemory } from '../../src/features/memory/store/memory.ts';
import { readRecords } from '../../src/features/memory/store/record.ts';
import { insertLines } from '../../src/features/memory/store/sections.ts';
import type { Home } from '../../src/workspace/home.ts';
import { newHome } from './home-helper.ts';

const TEXT = `# Memory

## User Preferences
- likes tea
- likes green tea
  but not in the evening

## Project Context
- uses pnpm
`;
const ALEX = { by: 'person:alex', name: 'Alex' };
const file = (home: Home, viber = 'default') => path.join(home.viberDir(viber), 'MEMORY.md');
const read = (home: Home) => fs.readFileSync(file(home), 'utf8');
/** A hand edit that is over. */
function write(home: Home, text: string): void {
  fs.writeFileSync(file(home), text);
  fs.utimesSync(file(home), 1, 1);
}
async function withText(text = TEXT): Promise<Home> {
  const home = await newHome();
  write(home, text);
  return home;
}
const add = (home: Home, text: string) => addToMemory(home, 'default', { text, provenance: 'person:alex in task t' });
function idOf(home: Home, words: string): string {
  const [found] = matching(bulletsOf(read(home)), words);
  if (!found) throw new Error(`nothing has ${words}`);
  return found.id;
}
const undo = (home: Home) => undoLast(home, 'default', ALEX);
const forget = (home: Home, words: string) => forgetBullet(home, 'default', idOf(home, words), ALEX);

describe('bullets', () => {
  it('are found with what is indented under them, not in code, comments or headings', () => {
    const text = `${TEXT}\n\`\`\`\n- code\n\`\`\`\n<!--\n- hidden\n-->\n1. numbered\n* starred\n-not one\n`;
    expect(bulletsOf(text).map(({ number, section, lines }) => [number, section, lines])).toEqual([
      [1, 'User Preferences', '- likes tea'],
      [2, 'User Preferences', '- likes green tea\n  but not in the evening'],
      [3, 'Project Context', '- uses pnpm'],
      [4, 'Project Context', '1. numbered'],
      [5, 'Project Context', '* starred'],
    ]);
  });

  it('are found however their accents are written, and so are headings', () => {
    const text = '## Me\u0301tier\n- cafe\u0301 noir\n';
    expect(matching(bulletsOf(text), 'Caf\u00e9')).toHaveLength(1);
    expect(insertLines(text, 'm\u00e9tier', ['- new'])).toBe(`${text}- new\n`);
  });

  it('taken out leave every other line as it was', () => {
    const line = fc.constantFrom('- a', '- b', '  c', '# x', '## y', '', 'text', '- a b\r', '```', '* d', '\t- e');
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), fc.nat(), (lines, pick) => {
        const text = lines.join('\n');
        const bullets = bulletsOf(text);
        const bullet = bullets[pick % Math.max(1, bullets.length)];
        if (!bullet) return;
        expect(
          text
            .slice(bullet.from, bullet.to)
            .replace(/\r?\n$/, '')
            .replaceAll('\r\n', '\n'),
        ).toBe(bullet.lines);
        expect(withoutBullet(text, bullet)).toBe(text.slice(0, bullet.from) + text.slice(bullet.to));
      }),
      { numRuns: 500 },
    );
  });
});

describe('forgetting', () => {
  it('removes that line alone and keeps the record', async () => {
    const home = await withText();
    await forget(home, 'green evening');
    expect(read(home)).toBe(TEXT.replace('- likes green tea\n  but not in the evening\n', ''));
    expect(readRecords(home, 'default')).toMatchObject([
      { op: 'forget', section: 'User Preferences', lines: ['- likes green tea\n  but not in the evening'], ...ALEX },
    ]);
  });

  it('does nothing when the line was changed meanwhile', async () => {
    const home = await withText();
    const id = idOf(home, 'pnpm');
    write(home, TEXT.replace('uses pnpm', 'uses pnpm 9'));
    expect(await forgetBullet(home, 'default', id, ALEX)).toBeUndefined();
    expect(read(home)).toContain('uses pnpm 9');
    expect(readRecords(home, 'default')).toEqual([]);
  });
});

describe('undo', () => {
  it('takes back additions and removals, the last first, each once, to the letter', async () => {
    const home = await withText();
    await add(home, '- one\n- two');
    const between = read(home);
    await forget(home, 'likes tea');
    expect(await undo(home)).toMatchObject({ done: 'restored' });
    expect(read(home)).toBe(between);
    expect(await undo(home)).toEqual({ done: 'removed', lines: ['- one', '- two'] });
    expect(bulletsOf(read(home)).map(({ text }) => text)).toEqual(bulletsOf(TEXT).map(({ text }) => text));
    expect(await undo(home)).toEqual({ done: 'nothing', lines: [] });
  });

  it('leaves lines that a person has changed since, and says so', async () => {
    const home = await withText();
    await add(home, 'reads mail at nine');
    write(home, read(home).replace('at nine', 'at ten'));
    expect(await undo(home)).toMatchObject({ done: 'changed', lines: ['- reads mail at nine'] });
    expect(read(home)).toContain('- reads mail at ten\n');
  });

  it('takes back all of an addition or nothing', async () => {
    const home = await withText();
    await add(home, '- one\n- two');
    write(home, read(home).replace('- one', '- one and a half'));
    const before = read(home);
    expect(await undo(home)).toMatchObject({ done: 'changed' });
    expect(read(home)).toBe(before);
  });

  it('does not put back twice what a person has put back, nor into a section that is gone', async () => {
    const home = await withText();
    await forget(home, 'pnpm');
    const gone = read(home);
    write(home, TEXT);
    expect(await undo(home)).toMatchObject({ done: 'there' });
    expect(read(home)).toBe(TEXT);
    // It was taken back by hand.
    expect(await undo(home)).toMatchObject({ done: 'nothing' });
    await forget(home, 'pnpm');
    write(home, gone.replace('## Project Context\n', ''));
    expect(await undo(home)).toMatchObject({ done: 'changed' });
    write(home, gone.replace('## Project Context\n', '## Project Context\nnotes\n- uses node\n'));
    expect(await undo(home)).toMatchObject({ done: 'restored' });
    expect(read(home)).toMatch(/## Project Context\n(?:.*\n)*- uses pnpm/);
  });

  it('knows its own viber only', async () => {
    const home = await withText();
    await addToMemory(home, 'dev', { text: 'dev only', provenance: 'x' });
    expect(await undo(home)).toMatchObject({ done: 'nothing' });
    expect(await readMemory(home, 'dev')).toContain('dev only');
    expect(fs.existsSync(path.join(home.viberDir('default'), 'memory/provenance.jsonl'))).toBe(false);
  });

  it('passes over damaged lines of the record', async () => {
    const home = await withText();
    await add(home, 'likes cake');
    const record = path.join(home.viberDir('default'), 'memory/provenance.jsonl');
    fs.appendFileSync(record, '{"op":"forget","id":1}\n{"at":"x","section":"Y","bullets":["older"]}\n{"torn');
    expect(await undo(home)).toMatchObject({ done: 'removed', lines: ['- likes cake'] });
    expect(readRecords(home, 'default').at(-1)).toMatchObject({ op: 'undo' });
  });
});

async function started(how: string, home: Home, name: string, count: number): Promise<ChildProcess> {
  const args = [path.join(import.meta.dirname, 'memory-writer.ts'), how, home.root, name, String(count)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout as NodeJS.EventEmitter, 'data');
  return child;
}

const linesOf = (text: string, name: string): string[] =>
  text.split('\n').filter((line) => line.startsWith(`- ${name} `));

describe('two who write at once', () => {
  it('two processes add, and both have all of it, and the record too', async () => {
    const home = await withText();
    const child = await started('add', home, 'theirs', 25);
    const exited = once(child, 'exit');
    for (let i = 0; i < 25; i++) await add(home, `ours ${i}`);
    await exited;
    expect(linesOf(read(home), 'theirs')).toHaveLength(25);
    expect(linesOf(read(home), 'ours')).toHaveLength(25);
    expect(readRecords(home, 'default')).toHaveLength(50);
    expect(read(home)).toContain(TEXT.trimEnd());
  });

  it('what is appended by hand while lines are added is there, and so are the lines', async () => {
    const home = await withText();
    const child = await started('append', home, 'hand', 200);
    let isOver = false;
    child.once('exit', () => {
      isOver = true;
    });
    let added = 0;
    for (; !isOver; added++) await add(home, `ours ${added}`);
    expect(linesOf(read(home), 'hand')).toHaveLength(200);
    expect(linesOf(read(home), 'ours')).toHaveLength(added);
    expect(added).toBeGreaterThan(0);
  });

  it('an editor that has the file open while it is replaced keeps what it writes', async () => {
    const home = await withText();
    const editor = fs.openSync(file(home), 'r+');
    const adding = add(home, 'reads mail at nine');
    // Its inode is the old one by now or will be soon: the editor does not look.
    await expect.poll(() => read(home), { interval: 1 }).toContain('at nine');
    fs.writeSync(editor, Buffer.from(TEXT.replace('likes tea', 'likes tee')), 0, TEXT.length, 0);
    fs.closeSync(editor);
    await adding;
    expect(read(home)).toContain('- likes tee\n');
    expect(read(home)).toContain('- reads mail at nine\n');
  });

  it('a file that is half-written is left to settle', async () => {
    const home = await withText();
    const editor = fs.openSync(file(home), 'w');
    fs.writeSync(editor, TEXT.slice(0, 20));
    const adding = add(home, 'reads mail at nine');
    fs.writeSync(editor, TEXT.slice(20));
    fs.closeSync(editor);
    await adding;
    for (const line of TEXT.split('\n')) expect(read(home).split('\n')).toContain(line);
    expect(read(home)).toContain('- reads mail at nine\n');
  });

  it('so is a log that is half-written, at whatever byte', async () => {
    const home = await newHome();
    const log = path.join(home.viberDir('default'), 'memory/2026-01-01.md');
    fs.mkdirSync(path.dirname(log), { recursive: true });
    for (let at = 0; at <= TEXT.length; at += 20) {
      const editor = fs.openSync(log, 'w');
      fs.writeSync(editor, TEXT.slice(0, at));
      const adding = appendDailyLogs(home, 'default', '2026-01-01', [{ summary: `done at ${at}` }]);
      fs.writeSync(editor, TEXT.slice(at));
      fs.closeSync(editor);
      await adding;
      const lines = fs.readFileSync(log, 'utf8').split('\n');
      for (const line of [...TEXT.split('\n'), `- done at ${at}`]) expect(lines).toContain(line);
    }
  });
});
