/** Sessions: whole after crashes and damage, cheap to read however long they are. */

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Home } from '../../src/workspace/home.ts';
import { openTask } from '../../src/workspace/tasks/index.ts';
import type { SessionEntry } from '../../src/workspace/types.ts';
import { newHome } from './home-helper.ts';

afterEach(() => vi.restoreAllMocks());
const TASK = '20260101-aaaaa';
const at = '2026-01-01T00:00:00.000Z';

const message = (run: string, text: string): SessionEntry => ({
  ...{ type: 'message', id: `m-${run}`, run, at, text, files: [] },
  from: { channel: 'telegram', user: '1001', name: 'Alex' },
});
const step = (run: string, index: number, text: string): SessionEntry => ({
  ...{ type: 'step', run, at, index },
  messages: [{ role: 'assistant', content: [{ type: 'text', text }] }],
});
const result = (run: string, text: string): SessionEntry => ({
  ...{ type: 'result', run, at, state: 'completed', text, summary: text.slice(0, 20), artifactRefs: [] },
});
const turn = (run: string, size = 10): SessionEntry[] => [
  message(run, 'q'.repeat(size)),
  step(run, 0, 'ünï→🎉'),
  result(run, 'a'.repeat(size)),
];

const file = (home: Home, task = TASK) => home.sessionPath('default', task);
const read = (home: Home, options = {}) => openTask(home, TASK, 'default').session.tail(options);
const append = (home: Home, ...entries: SessionEntry[]) => openTask(home, TASK, 'default').session.append(entries);
/** As after a restart: another name for the same bytes, so that nothing is in memory. */
function reborn(home: Home, bytes: Uint8Array, task = TASK): void {
  fs.mkdirSync(path.dirname(file(home, task)), { recursive: true });
  fs.rmSync(file(home, task), { force: true });
  fs.writeFileSync(file(home, task), bytes);
}

describe('appending and reading', () => {
  it('writes a header, then each entry as one line, in one write', async () => {
    const home = await newHome();
    const writes = vi.spyOn(fs, 'writeSync');
    await openTask(home, TASK, 'default').session.append(turn('r1'), { sync: true });
    expect(writes).toHaveBeenCalledTimes(1);
    const lines = fs
      .readFileSync(file(home), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ type: 'session', version: 1, taskId: TASK, viber: 'default' });
    expect(lines.slice(1)).toEqual(turn('r1'));
    expect(await read(home)).toEqual(turn('r1'));
    expect(fs.statSync(file(home)).mode & 0o777).toBe(0o600);
  });

  it('goes on in a new file where the folder is removed, or something else comes into its place, while it is in memory', async () => {
    for (const take of [
      (home: Home) => fs.rmSync(home.agents, { recursive: true }),
      (home: Home) => fs.renameSync(path.dirname(file(home)), `${path.dirname(file(home))}-old`),
      (home: Home) => {
        fs.rmSync(file(home));
        fs.mkdirSync(file(home));
      },
      (home: Home) => {
        fs.rmSync(file(home));
        execFileSync('mkfifo', [file(home)]);
      },
    ]) {
      const home = await newHome();
      await append(home, ...turn('r1'));
      // The run of this message goes on, and has the file open.
      await append(home, message('r2', 'old'));
      take(home);
      await append(home, message('r2', 'new'));
      expect(await read(home)).toEqual([message('r2', 'new')]);
      expect(JSON.parse(fs.readFileSync(file(home), 'utf8').split('\n')[0] ?? '')).toMatchObject({ type: 'session' });
    }
  });

  it('is opened once by a run, and closed with its result, however many runs go on', async () => {
    const home = await newHome();
    const [opened, closed] = [vi.spyOn(fs, 'openSync'), vi.spyOn(fs, 'closeSync')];
    await append(home, message('r1', 'first'));
    const before = opened.mock.calls.length;
    await append(home, message('r2', 'second'));
    await openTask(home, TASK, 'default').session.append([step('r2', 0, 'looks')], { sync: true });
    await append(home, result('r2', 'done'));
    expect(opened.mock.calls.length - before).toBe(1);
    const others = Array.from({ length: 40 }, (_, n) => openTask(home, `20260101-${n + 10}aaa`, 'default').session);
    for (const entry of [message('r1', 'begins'), step('r1', 0, 'goes on'), result('r1', 'ends')])
      for (const session of others) await session.append([entry]);
    expect(others.map((session) => session.tail().length)).toEqual(others.map(() => 3));
    expect(closed.mock.calls.length).toBe(opened.mock.calls.length);
  });

  it('has no entries for an unknown task, and makes no file for nothing', async () => {
    const home = await newHome();
    await append(home);
    expect([await read(home), openTask(home, TASK, 'default').session.run('r1'), fs.existsSync(file(home))]).toEqual([
      [],
      [],
      false,
    ]);
  });

  it('from memory and from the disk it is the same', async () => {
    const home = await newHome();
    for (let i = 0; i < 300; i++) await append(home, ...turn(`r${i}`, 50 + (i % 7) * 100));
    const options = [
      {},
      { maxEntries: 5 },
      { maxBytes: 1000 },
      { maxBytes: 20_000, maxEntries: 12 },
      { maxBytes: 1 },
      { maxEntries: 0 },
      { maxEntries: 200 },
      { maxBytes: 10_000_000 },
    ];
    const warm = [];
    for (const option of options) warm.push(await read(home, option));
    const bytes = fs.readFileSync(file(home));
    for (const [index, option] of options.entries()) {
      reborn(home, bytes);
      expect(await read(home, option), JSON.stringify(option)).toEqual(warm[index]);
    }
    expect(warm.map((entries) => entries.length).slice(1, 7)).toEqual([5, expect.any(Number), 12, 1, 0, 200]);
    expect(warm[7]).toHaveLength(900);
    expect(warm[0]?.at(-1)).toEqual(result('r299', 'a'.repeat(50 + (299 % 7) * 100)));
  });

  it('gives one line even when it is longer than what was asked for', async () => {
    const home = await newHome();
    await append(home, ...turn('r1'), result('r2', 'x'.repeat(300_000)));
    reborn(home, fs.readFileSync(file(home)));
    expect((await read(home)).map((entry) => entry.type)).toEqual(['result']);
    expect(await read(home, { maxBytes: 400_000 })).toHaveLength(4);
  });

  it('sees what another program added or changed', async () => {
    const home = await newHome();
    await append(home, ...turn('r1'));
    await read(home);
    fs.appendFileSync(file(home), `${JSON.stringify(message('r2', 'from outside'))}\n`);
    expect(await read(home)).toEqual([...turn('r1'), message('r2', 'from outside')]);
    fs.appendFileSync(file(home), `${JSON.stringify(step('r2', 0, 'again'))}\n`);
    await append(home, result('r2', 'ok'));
    expect((await read(home)).slice(-3)).toEqual([
      message('r2', 'from outside'),
      step('r2', 0, 'again'),
      result('r2', 'ok'),
    ]);
    fs.writeFileSync(file(home), `${JSON.stringify(message('r3', 'rewritten'))}\n`);
    expect(await read(home)).toEqual([message('r3', 'rewritten')]);
  });

  it('keeps every entry of appends made at once', async () => {
    const home = await newHome();
    const runs = Array.from({ length: 50 }, (_, i) => `r${i}`);
    await Promise.all(
      runs.map((run) => openTask(home, TASK, 'default').session.append([message(run, run)], { sync: true })),
    );
    expect(await read(home)).toEqual(runs.map((run) => message(run, run)));
    reborn(home, fs.readFileSync(file(home)));
    expect(await read(home)).toHaveLength(50);
    expect(fs.readFileSync(file(home), 'utf8').match(/"type":"session"/g)).toHaveLength(1);
  });

  it('gives the file its old length back when the disk is full, and goes on later', async () => {
    const home = await newHome();
    await append(home, ...turn('r1'));
    const before = fs.readFileSync(file(home));
    const real = fs.writeSync.bind(fs);
    let left = 20;
    const full = vi.spyOn(fs, 'writeSync').mockImplementation(((
      fd: number,
      data: Uint8Array,
      from: number,
      length: number,
    ) => {
      if (left === 0) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      const count = real(fd, data, from, Math.min(left, length), null);
      left -= count;
      return count;
    }) as typeof fs.writeSync);
    await expect(append(home, ...turn('r2'))).rejects.toMatchObject({ code: 'ENOSPC' });
    full.mockRestore();
    expect(fs.readFileSync(file(home))).toEqual(before);
    await append(home, ...turn('r3'));
    expect(await read(home)).toEqual([...turn('r1'), ...turn('r3')]);
  });
});

describe('cost', () => {
  /** Bytes read of a new session with so many turns. */
  async function bytesRead(home: Home, turns: number, use: (home: Home, task: string) => unknown): Promise<number> {
    const task = `20260101-t${turns}`;
    for (let i = 0; i < turns; i += 500) {
      const entries = Array.from({ length: Math.min(500, turns - i) }, (_, j) => turn(`r${i + j}`, 2000)).flat();
      await openTask(home, task, 'default').session.append(entries);
    }
    reborn(home, fs.readFileSync(file(home, task)), task);
    const reads = vi.spyOn(fs, 'readSync');
    await use(home, task);
    const bytes = reads.mock.results.reduce((sum, { value }) => sum + Number(value), 0);
    reads.mockRestore();
    return bytes;
  }

  it('reading the end of 5,000 turns reads no more bytes than of 50', async () => {
    const home = await newHome();
    for (const options of [{ maxBytes: 64 * 1024 }, { maxEntries: 20 }, { maxEntries: 60, maxBytes: 100_000 }]) {
      const use = (h: Home, task: string) => openTask(h, task, 'default').session.tail(options);
      const few = await bytesRead(home, 50, use);
      const many = await bytesRead(home, 5000, use);
      expect(few).toBeGreaterThan(10_000);
      expect(many, JSON.stringify(options)).toBeLessThanOrEqual(few);
      for (const turns of [50, 5000]) fs.rmSync(file(home, `20260101-t${turns}`));
    }
  });

  it('a run at the end of 5,000 turns is found without reading them', async () => {
    const home = await newHome();
    expect(await bytesRead(home, 5000, (h, task) => openTask(h, task, 'default').session.run('r4999'))).toBeLessThan(
      150_000,
    );
  });

  it('turn after turn nothing is read again', async () => {
    const home = await newHome();
    for (let i = 0; i < 20; i++) await append(home, ...turn(`r${i}`, 2000));
    await read(home);
    const reads = vi.spyOn(fs, 'readSync');
    const parses = vi.spyOn(JSON, 'parse');
    for (let i = 20; i < 40; i++) {
      await append(home, message(`r${i}`, 'q'));
      expect((await read(home, { maxEntries: 10 })).at(-1)).toEqual(message(`r${i}`, 'q'));
      await append(home, result(`r${i}`, 'a'));
    }
    // One byte an append: whether the last line was closed.
    expect(reads.mock.results.reduce((sum, { value }) => sum + Number(value), 0)).toBeLessThanOrEqual(40);
    expect(parses).not.toHaveBeenCalled();
  });

  it('memory stays bounded', async () => {
    const home = await newHome();
    await append(home, ...turn('r0'));
    for (let i = 1; i < 400; i++) await append(home, result(`r${i}`, 'x'.repeat(4000)));
    const reads = vi.spyOn(fs, 'readSync');
    await read(home, { maxBytes: 1_500_000 });
    expect(reads).toHaveBeenCalled();
    await read(home);
    reads.mockClear();
    await read(home);
    expect(reads).not.toHaveBeenCalled();
  });
});

describe('findRun', () => {
  it('gives all entries of a run and no others', async () => {
    const home = await newHome();
    const long = [
      message('long', 'go'),
      ...Array.from({ length: 40 }, (_, i) => step('long', i, 'x'.repeat(5000))),
      result('long', 'done'),
    ];
    await append(
      home,
      ...turn('r1'),
      { type: 'compaction', at, text: 'so far', through: 'r1' },
      ...long,
      message('r3', 'next'),
    );
    reborn(home, fs.readFileSync(file(home)));
    expect(openTask(home, TASK, 'default').session.run('long')).toEqual(long);
    expect(openTask(home, TASK, 'default').session.run('r3')).toEqual([message('r3', 'next')]);
    expect(openTask(home, TASK, 'default').session.run('r1')).toEqual(turn('r1'));
    expect(openTask(home, TASK, 'default').session.run('none')).toEqual([]);
  });
});

describe('damage', () => {
  const entries = ['r1', 'r2', 'r3', 'r4'].flatMap((run) => turn(run, 40));
  async function original(home: Home): Promise<Buffer> {
    await append(home, ...entries);
    return fs.readFileSync(file(home));
  }
  /** How many of the entries are missing; a damaged one that still parses counts as missing too. */
  const lost = (found: SessionEntry[]) => {
    const texts = new Set(found.map((entry) => JSON.stringify(entry)));
    return entries.filter((entry) => !texts.has(JSON.stringify(entry))).length;
  };

  it('cut anywhere: it goes on, loses the torn record at most, and keeps its bytes', async () => {
    const home = await newHome();
    const bytes = await original(home);
    const lineStarts = [...bytes.keys()].filter((i) => i === 0 || bytes[i - 1] === 10);
    for (let cut = 1; cut < bytes.length; cut += 16) {
      const task = `20260101-c${cut}`;
      const whole = lineStarts.filter((start) => start > 0 && start <= cut).length;
      reborn(home, bytes.subarray(0, cut), task);
      const named: string[] = [];
      const found = openTask(home, task, 'default').session.tail({ onCorrupt: (name) => named.push(name) });
      expect(found.length, `cut ${cut}`).toBeGreaterThanOrEqual(Math.max(0, whole - 1));
      await openTask(home, task, 'default').session.append([message('new', 'after')], {
        onCorrupt: (name) => named.push(name),
      });
      reborn(home, fs.readFileSync(file(home, task)), task);
      const after = openTask(home, task, 'default').session.tail({ onCorrupt: () => expect.unreachable(`cut ${cut}`) });
      expect(after.at(-1)).toEqual(message('new', 'after'));
      expect(after.slice(0, -1)).toEqual(found);
      const text = fs.readFileSync(file(home, task), 'utf8');
      const bad = `${file(home, task)}.bad`;
      if (fs.existsSync(bad)) {
        expect(named).toContain(file(home, task));
        expect(fs.readFileSync(bad)).toEqual(
          Buffer.concat([bytes.subarray(lineStarts.findLast((start) => start < cut) ?? 0, cut), Buffer.from('\n')]),
        );
      } else expect(text.startsWith(bytes.subarray(0, cut).toString())).toBe(true);
      expect(JSON.parse(text.split('\n')[0] ?? '')).toMatchObject({ type: 'session' });
    }
  });

  it.each([0x01, 0x20, 0x80, 0xff])(
    'a byte changed by %i anywhere: one record is lost at most, and the file is named',
    async (mask) => {
      const home = await newHome();
      const bytes = await original(home);
      const newlines = [...bytes.keys()].filter((i) => bytes[i] === 10);
      for (const position of [...Array.from({ length: Math.ceil(bytes.length / 16) }, (_, i) => i * 16), ...newlines]) {
        const task = `20260101-f${position}`;
        const flipped = Buffer.from(bytes);
        flipped[position] = (flipped[position] ?? 0) ^ mask;
        reborn(home, flipped, task);
        const named: string[] = [];
        const found = openTask(home, task, 'default').session.tail({ onCorrupt: (name) => named.push(name) });
        expect(lost(found), `byte ${position}`).toBeLessThanOrEqual(1);
        // A damaged line break costs nothing, but for the header's and the last one.
        if (newlines.slice(1, -1).includes(position)) expect(lost(found), `line break ${position}`).toBe(0);
        const isHeader = position <= (newlines[0] ?? 0);
        if (found.length < entries.length && !isHeader) expect(named.length, `byte ${position}`).toBeGreaterThan(0);
        await openTask(home, task, 'default').session.append([message('new', 'after')]);
        expect(openTask(home, task, 'default').session.tail().at(-1)).toEqual(message('new', 'after'));
      }
    },
  );

  it('a hole over a line break: the record behind it is rescued', async () => {
    const home = await newHome();
    const bytes = await original(home);
    const newline = bytes.indexOf(10, bytes.indexOf(10, bytes.indexOf(10) + 1) + 1);
    reborn(home, Buffer.concat([bytes.subarray(0, newline - 20), bytes.subarray(newline + 1)]));
    expect(lost(await read(home))).toBe(1);
  });

  it('a last line that lacks only its line break is kept', async () => {
    const home = await newHome();
    const bytes = await original(home);
    reborn(home, bytes.subarray(0, -1));
    await append(home, message('new', 'after'));
    expect(await read(home)).toEqual([...entries, message('new', 'after')]);
    expect(fs.existsSync(`${file(home)}.bad`)).toBe(false);
  });

  it('zeros of a power cut, binary noise and foreign JSON are passed over', async () => {
    const home = await newHome();
    const bytes = await original(home);
    const noise = Buffer.from(
      '\n\n[1]\n{"type":"message"}\n{"type":"__proto__"}\nnull\n"x"\n{"type":"step","run":1}\n',
    );
    reborn(home, Buffer.concat([bytes, noise, Buffer.alloc(4096)]));
    const lines: string[] = [];
    expect(await read(home, { onCorrupt: (_: string, line: string) => lines.push(line) })).toEqual(entries);
    expect(lines).toHaveLength(7);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(120);
    await append(home, message('new', 'after'));
    expect((await read(home)).at(-1)).toEqual(message('new', 'after'));
  });
});
