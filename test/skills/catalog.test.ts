/** The three levels of skills, and which are in use while their files change. */

import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { copySkills } from '../../rolldown.config.ts';
import { silentLog } from '../../src/log.ts';
import { messagesIn } from '../../src/messages/messages.ts';
import { bundledSkills, Skills } from '../../src/skills/catalog.ts';
import { eventually } from '../helpers/eventually.ts';
import { ownTime } from '../helpers/own-time.ts';
import { FIXTURES, folder, skillText, write } from './helpers.ts';

/** The editor takes its time. */
const editing = () => sleep(15);

interface Place {
  root: string;
  user: string;
  own: string;
  skills: Skills;
}

interface OpenOptions {
  bundled?: string;
  watch?: boolean;
  watchAfterMs?: number;
  reserved?: string[];
}

async function open(options: OpenOptions = {}): Promise<Place> {
  const root = folder();
  const user = path.join(root, 'skills');
  mkdirSync(user);
  const viber = (id: string) => path.join(root, 'vibers', id, 'skills');
  const { bundled, watch = false, watchAfterMs = 0, reserved = [] } = options;
  const skills = new Skills({
    ...{ bundled, user, viber, reserved, log: silentLog(), watch, watchAfterMs, settleMs: 120 },
  });
  onTestFinished(() => skills.close());
  await skills.start();
  await skills.open('default');
  return { root, user, own: viber('default'), skills };
}

const text = (name: string, body: string) => skillText('parameters: {}', `echo ${body}`, name);
const script = (place: Place, name = 'sample') => place.skills.find('default', name)?.script?.text;
const reasons = (place: Place) =>
  place.skills
    .problems('default')
    .map(({ file, reason }) => `${path.basename(file)}: ${messagesIn('en').said(reason)}`);

describe('levels', () => {
  test('the bundled ones are there', async () => {
    const { skills } = await open({ bundled: bundledSkills() });
    expect(skills.of('default').map(({ name }) => name)).toContain('git-commit');
    expect(skills.problems('default')).toEqual([]);
  });

  test('the build copies them beside the program, without our code', () => {
    const dir = folder();
    copySkills.writeBundle({ dir });
    const copied = readdirSync(path.join(dir, 'skills'), { recursive: true, encoding: 'utf8' });
    expect(copied).toContain(path.join('git', 'commit.skill.md'));
    expect(copied.filter((name) => name.endsWith('.ts'))).toEqual([]);
  });

  test('as the build has read them they are the same, as long as the files are', async () => {
    const dir = folder();
    copySkills.writeBundle({ dir });
    const built = path.join(dir, 'skills');
    const prepared = path.join(built, 'prepared.json');
    const content = readFileSync(prepared, 'utf8');
    const read = async (bundled: string, reserved: string[] = []) => {
      const { skills } = await open({ bundled, reserved });
      const at = (file: string | undefined) => file && path.relative(bundled, file);
      const all = skills.of('default').map((skill) => ({ ...skill, file: at(skill.file), folder: at(skill.folder) }));
      return { all, problems: skills.problems('default').map(({ reason }) => messagesIn('en').said(reason)) };
    };
    const usual = await read(bundledSkills());
    expect(await read(built)).toEqual(usual);
    expect(await read(built, ['chart'])).toEqual(await read(bundledSkills(), ['chart']));
    // What was prepared is what is used, and only then.
    writeFileSync(prepared, content.replaceAll('Draw a bar', 'Paint a bar'));
    expect((await read(built)).all[0]?.description).toMatch(/^Paint a bar/);
    write(path.join(built, 'more.skill.md'), text('more', '1'));
    expect((await read(built)).all.map(({ name }) => name)).toContain('more');
    rmSync(path.join(built, 'more.skill.md'));
    const commit = path.join(built, 'git', 'commit.skill.md');
    writeFileSync(commit, readFileSync(commit, 'utf8').replace('git add .', 'git add -A'));
    expect((await read(built)).all.find(({ name }) => name === 'git-commit')?.script?.text).toMatch(/^git add -A/);
    for (const bad of ['', content.slice(0, -9), 'null', '[]']) {
      writeFileSync(prepared, bad);
      expect((await read(built)).all).toHaveLength(usual.all.length);
    }
  });

  test('a name of the viber hides that of the home, which hides the bundled one', async () => {
    const bundled = folder();
    for (const name of ['a', 'b', 'c']) write(path.join(bundled, `${name}.skill.md`), text(name, 'bundled'));
    const place = await open({ bundled });
    write(path.join(place.user, 'b', 'SKILL.md'), text('b', 'user'));
    write(path.join(place.user, 'deep', 'er', 'other.skill.md'), text('c', 'user'));
    write(path.join(place.own, 'c', 'SKILL.md'), text('c', 'viber'));
    await place.skills.refresh();
    const { skills } = place;
    const all = (viber: string) =>
      skills.of(viber).map(({ name, level, script }) => `${name} ${level} ${script?.text.trim()}`);
    expect(all('default')).toEqual(['a bundled echo bundled', 'b user echo user', 'c viber echo viber']);
    await skills.open('other');
    expect(all('other')).toEqual(['a bundled echo bundled', 'b user echo user', 'c user echo user']);
    expect(skills.problems('default')).toEqual([]);
    rmSync(path.join(place.own, 'c'), { recursive: true });
    await skills.refresh();
    expect(all('default')[2]).toBe('c user echo user');
  });

  test('published bundles load from a folder', async () => {
    const { skills } = await open({ bundled: FIXTURES });
    expect(skills.of('default').map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      'deploy tool',
      'github instructions',
      'pdf-forms instructions',
      'todoist-cli instructions',
    ]);
  });

  test('of two with one name the first by path is taken, the other is named', async () => {
    const place = await open();
    write(path.join(place.user, 'b.skill.md'), text('same', 'b'));
    write(path.join(place.user, 'a.skill.md'), text('same', 'a'));
    await place.skills.refresh();
    expect(script(place, 'same')).toBe('echo a\n');
    expect(reasons(place)).toEqual([
      `b.skill.md: name: "same" is already used by ${path.join(place.user, 'a.skill.md')}`,
    ]);
  });

  test('a skill file inside another bundle is one of its files', async () => {
    const place = await open();
    write(path.join(place.user, 'outer', 'SKILL.md'), text('outer', '1'));
    write(path.join(place.user, 'outer', 'examples', 'SKILL.md'), text('inner', '2'));
    write(path.join(place.user, 'outer', 'x.skill.md'), text('inner', '3'));
    await place.skills.refresh();
    expect(place.skills.of('default').map(({ name }) => name)).toEqual(['outer']);
  });

  test('links that lead out, pipes, folders with the name of a skill, other files: nothing', async () => {
    const place = await open();
    const outside = write(path.join(place.root, 'outside', 'SKILL.md'), text('outside', '1'));
    symlinkSync(outside, path.join(place.user, 'link.skill.md'));
    symlinkSync(path.dirname(outside), path.join(place.user, 'linked'));
    mkdirSync(path.join(place.user, 'x.skill.md'));
    write(path.join(place.user, 'README.md'), text('readme', '1'));
    write(path.join(place.user, '.hidden', 'SKILL.md'), text('hidden', '1'));
    write(path.join(place.user, 'node_modules', 'x', 'SKILL.md'), text('module', '1'));
    write(path.join(place.user, 'a', 'b', 'c', 'd', 'SKILL.md'), text('too-deep', '1'));
    await place.skills.refresh();
    expect(place.skills.of('default')).toEqual([]);
  });

  test('a bad one does not keep the others out; names of our tools are refused', async () => {
    const place = await open({ reserved: ['notify'] });
    write(path.join(place.user, 'good.skill.md'), text('good', '1'));
    write(path.join(place.user, 'notify.skill.md'), text('notify', '1'));
    write(path.join(place.user, 'js.skill.md'), '---js\nglobalThis.pwned = 1\n---\necho');
    write(path.join(place.user, 'huge.skill.md'), 'x'.repeat(300 * 1024));
    write(path.join(place.user, 'empty.skill.md'), '');
    await place.skills.refresh();
    expect(place.skills.of('default').map(({ name }) => name)).toEqual(['good']);
    expect(reasons(place)).toEqual([
      'empty.skill.md: the file doesn\'t begin with a front matter (a line of "---")',
      'huge.skill.md: larger than 256 KB',
      'js.skill.md: the front matter is in "js"; only YAML is read, nothing was run',
      'notify.skill.md: name: "notify" is the name of a built-in tool; choose another',
    ]);
    expect(Reflect.has(globalThis, 'pwned')).toBe(false);
  });

  test('while a file is bad its last good version stays, with the reason; when it is gone the skill is', async () => {
    const place = await open();
    const file = write(path.join(place.user, 'sample.skill.md'), text('sample', 'one'));
    await place.skills.refresh();
    write(file, text('sample', 'two').replace('---\necho', 'echo'));
    await place.skills.refresh();
    expect(script(place)).toBe('echo one\n');
    expect(reasons(place)[0]).toMatch(/no end.*; the last good version stays in use$/);
    write(file, text('sample', 'three'));
    await place.skills.refresh();
    expect([script(place), reasons(place)]).toEqual(['echo three\n', []]);
    write(file, '');
    await place.skills.refresh();
    expect(script(place)).toBe('echo three\n');
    rmSync(file);
    await place.skills.refresh();
    expect([script(place), reasons(place)]).toEqual([undefined, []]);
  });

  test('a thousand files take little time; more than five thousand are too many', async () => {
    const place = await open();
    for (let index = 0; index < 1000; index++) {
      write(path.join(place.user, `s${index}`, 'SKILL.md'), text(`s${index}`, 'x'));
    }
    const started = ownTime();
    await place.skills.refresh();
    expect(ownTime() - started).toBeLessThan(8000);
    expect(place.skills.of('default')).toHaveLength(1000);
    for (let index = 1000; index < 5100; index++)
      write(path.join(place.user, `s${index}.skill.md`), text(`s${index}`, 'x'));
    await place.skills.refresh();
    expect(place.skills.of('default')).toHaveLength(5000);
  });
});

describe('editing while we run', () => {
  /** Everything that was ever in use, checked at every turn of the event loop. */
  function observe(place: Place): { seen: Set<string>; until(wanted: string): Promise<void> } {
    const seen = new Set<string>();
    const look = () => {
      for (const { digest, script } of place.skills.of('default'))
        seen.add(`${digest.slice(0, 8)} ${script?.text ?? ''}`);
    };
    const timer = setInterval(look, 1);
    onTestFinished(() => clearInterval(timer));
    return {
      seen,
      async until(wanted) {
        await eventually(() => script(place) === wanted);
        look();
      },
    };
  }

  const long = (word: string) =>
    skillText('parameters: {}', Array.from({ length: 12 }, (_, line) => `echo ${word} ${line}`).join('\n'));
  const bodyOf = (word: string) => `${Array.from({ length: 12 }, (_, line) => `echo ${word} ${line}`).join('\n')}\n`;

  test('a file written byte by byte is used as a whole, or not at all', async () => {
    const place = await open({ watch: true });
    const watcher = observe(place);
    const file = path.join(place.user, 'sample.skill.md');
    const handle = openSync(file, 'w');
    for (const byte of Buffer.from(long('one'))) {
      writeSync(handle, Buffer.of(byte));
      // The writer takes its time.
      await sleep(1);
    }
    closeSync(handle);
    await watcher.until(bodyOf('one'));
    expect([...watcher.seen].map((entry) => entry.slice(9))).toEqual([bodyOf('one')]);

    // Written over in place, shorter for a while.
    const again = openSync(file, 'w');
    for (const byte of Buffer.from(long('two'))) {
      writeSync(again, Buffer.of(byte));
      // The writer takes its time.
      await sleep(1);
    }
    closeSync(again);
    await watcher.until(bodyOf('two'));
    expect([...watcher.seen].map((entry) => entry.slice(9))).toEqual([bodyOf('one'), bodyOf('two')]);
  });

  test('the ways of editors: rename over it, swap files, a backup and a new file, delete and write', async () => {
    const place = await open({ watch: true });
    const file = write(path.join(place.user, 'sample.skill.md'), long('v0'));
    await place.skills.refresh();
    const watcher = observe(place);
    await watcher.until(bodyOf('v0'));
    const half = (word: string) => long(word).slice(0, -40);
    const styles: ((word: string) => Promise<void> | void)[] = [
      (word) => renameSync(write(`${file}.tmp`, long(word)), file),
      async (word) => {
        write(path.join(place.user, '.sample.skill.md.swp'), half(word));
        write(path.join(place.user, '4913'), '');
        rmSync(path.join(place.user, '4913'));
        renameSync(file, `${file}~`);
        write(file, half(word));
        // The editor takes its time.
        await sleep(10);
        appendFileSync(file, long(word).slice(-40));
        rmSync(`${file}~`);
      },
      async (word) => {
        rmSync(file);
        await editing();
        write(file, '');
        await editing();
        write(file, half(word));
        await editing();
        write(file, long(word));
      },
      (word) => {
        write(path.join(place.user, '___jb_tmp___'), half(word));
        renameSync(path.join(place.user, '___jb_tmp___'), file);
        renameSync(write(`${file}.___jb_tmp___`, long(word)), file);
      },
    ];
    for (const [index, style] of styles.entries()) {
      await style(`v${index + 1}`);
      await watcher.until(bodyOf(`v${index + 1}`));
    }
    const wanted = ['v0', 'v1', 'v2', 'v3', 'v4'].map(bodyOf);
    expect([...watcher.seen].map((entry) => entry.slice(9))).toEqual(wanted);
    expect(place.skills.problems('default')).toEqual([]);
  });

  test('what changes before the watching begins is seen when it does, and it can be closed until then', async () => {
    const place = await open({ watch: true, watchAfterMs: 200 });
    write(path.join(place.user, 'early.skill.md'), text('early', 'here'));
    await eventually(() => script(place, 'early') === 'echo here\n');
    const other = await open({ watch: true, watchAfterMs: 3_600_000 });
    await other.skills.close();
  });

  test('a folder of skills that appears later, and one of a viber', async () => {
    const place = await open({ watch: true });
    mkdirSync(place.own, { recursive: true });
    write(path.join(place.own, 'late', 'SKILL.md'), text('late', 'here'));
    await eventually(() => script(place, 'late') === 'echo here\n');
    rmSync(path.join(place.own, 'late'), { recursive: true });
    await eventually(() => script(place, 'late') === undefined);
  });
});
