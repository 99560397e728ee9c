/** The path guard against everything a model, a chat or an archive may name. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/errors.ts';
import { guardPath } from '../../src/lib/files.ts';
import { tempFolder } from '../helpers/temp.ts';

/** A root with links and special files in it, and secrets outside. */
function playground(): { root: string; outside: string } {
  const base = fs.realpathSync(tempFolder());
  const [root, outside] = [path.join(base, 'root'), path.join(base, 'outside')];
  fs.mkdirSync(path.join(root, 'sub/inner'), { recursive: true });
  fs.mkdirSync(path.join(base, 'root-evil'));
  fs.mkdirSync(outside);
  fs.writeFileSync(path.join(outside, 'secret'), 'secret');
  fs.writeFileSync(path.join(base, 'root-evil/secret'), 'secret');
  fs.writeFileSync(path.join(root, 'file.txt'), 'text');
  const links: Record<string, string> = {
    'out-dir': '../outside',
    'out-file': '../outside/secret',
    'out-abs': '/etc',
    'out-passwd': '/etc/passwd',
    'out-twin': '../root-evil',
    'dangling-out': '../outside/not-yet',
    'dangling-in': 'not-yet',
    loop: 'loop',
    'loop-a': 'loop-b',
    'loop-b': 'loop-a',
    'in-link': 'sub/inner',
    'in-file': 'file.txt',
    'hop-1': 'hop-2',
    'hop-2': '../outside',
    up: '..',
    'sub/up': '../..',
    'sub/inner/back': '../../../outside/secret',
    root: '/',
    proc: '/proc/self/root',
    here: '.',
  };
  for (const [name, target] of Object.entries(links)) fs.symlinkSync(target, path.join(root, name));
  execFileSync('mkfifo', [path.join(root, 'pipe')]);
  return { root, outside };
}

const HOSTILE = [
  '',
  ' ',
  '..',
  '../outside/secret',
  '../root-evil/secret',
  'sub/../../outside/secret',
  'sub/..',
  './../outside',
  'sub/./../..',
  '....//../outside',
  '.../..',
  'a/b/c/../../../../outside/secret',
  '/etc/passwd',
  '//etc/passwd',
  '/proc/self/environ',
  '\\etc\\passwd',
  '..\\outside\\secret',
  'sub\\..\\..\\outside',
  'sub/..\\..\\outside',
  '\\\\server\\share\\x',
  'C:\\Windows\\win.ini',
  'C:/Windows/win.ini',
  'c:secret',
  '~/.ssh/id_rsa',
  '~root/.profile',
  'sub/~/x',
  'file.txt\0.png',
  '\0',
  'sub/\0/../../outside',
  'a\nb',
  'a\rb',
  'a\tb',
  'a\u001b[2Jb',
  'a\u007fb',
  'a\u0085b',
  'invoice\u202efdp.exe',
  'a\u2066b',
  'a\u200fb',
  'zero\u200bwidth',
  '\ufefffile.txt',
  '\ud800',
  'con',
  'CON',
  'nul.txt',
  'sub/AUX/x',
  'com1',
  'LPT9.log',
  'prn .txt',
  'name.',
  'name ',
  'sub./x',
  '.. /outside',
  '. ./x',
  `${'a'.repeat(256)}`,
  `${'ä'.repeat(128)}`,
  `${'a/'.repeat(600)}x`,
  `${'a/'.repeat(40)}x`,
  'x'.repeat(100_000),
  'out-dir',
  'out-dir/secret',
  'out-dir/new-file',
  'out-file',
  'out-abs/passwd',
  'out-passwd',
  'out-twin/secret',
  'dangling-out',
  'dangling-in',
  'loop',
  'loop-a/x',
  'hop-1/secret',
  'up/outside/secret',
  'sub/up/outside/secret',
  'sub/inner/back',
  'in-link/back',
  'root/etc/passwd',
  'proc/etc/passwd',
  'pipe',
  'pipe/x',
  'file.txt/x',
  'in-file/x',
];

describe('guardPath', () => {
  it(`refuses ${HOSTILE.length} hostile paths with a sentence that may be shown`, async () => {
    const place = playground();
    for (const hostile of HOSTILE) {
      const result = await guardPath(place.root, hostile).catch((error: unknown) => error);
      expect(result, JSON.stringify(hostile.slice(0, 60))).toBeInstanceOf(UserError);
      if (!(result instanceof UserError)) continue;
      expect(result.message).toMatch(/^The path ".*" cannot be used: .+\.$/su);
      expect(result.message.length).toBeLessThan(200);
      expect(result.message).not.toMatch(/[\p{Cc}\u202e\u2066]/u);
      expect(result.message).not.toContain(path.dirname(place.root));
    }
  });

  const FINE: [string, string][] = [
    ['file.txt', 'file.txt'],
    ['./file.txt', 'file.txt'],
    ['sub//inner/', 'sub/inner'],
    ['.', ''],
    ['new.md', 'new.md'],
    ['new/deeper/file.md', 'new/deeper/file.md'],
    ['.hidden', '.hidden'],
    ['...', ''],
    ['in-link/new.txt', 'sub/inner/new.txt'],
    ['in-file', 'file.txt'],
    ['here/here/file.txt', 'file.txt'],
    ['%2e%2e/outside', '%2e%2e/outside'],
    ['a b — ü 日本.txt', 'a b — ü 日本.txt'],
    ['console.log', 'console.log'],
    ['10:30 notes.md', '10:30 notes.md'],
    ['$(id);`id`|x', '$(id);`id`|x'],
    ['-rf', '-rf'],
    ['👩‍👩‍👧.png', '👩‍👩‍👧.png'],
  ];
  it('gives the real path of what is inside, existing or not', async () => {
    const place = playground();
    for (const [given, expected] of FINE.filter(([name]) => name !== '...')) {
      expect(await guardPath(place.root, given)).toBe(path.join(place.root, expected));
    }
    await expect(guardPath(place.root, '...')).rejects.toThrow('ends with a dot');
  });

  it('looks at the real root when the root is a link, or does not exist yet', async () => {
    const place = playground();
    const door = path.join(path.dirname(place.root), 'door');
    fs.symlinkSync('root', door);
    expect(await guardPath(door, 'in-link/x')).toBe(path.join(place.root, 'sub/inner/x'));
    await expect(guardPath(door, 'out-file')).rejects.toThrow('leads outside');
    expect(await guardPath(path.join(place.root, 'later'), 'a/b')).toBe(path.join(place.root, 'later/a/b'));
  });

  it('whatever the path, the result is inside the root', async () => {
    const place = playground();
    const part = fc.constantFrom(
      '..',
      '.',
      '',
      'sub',
      'up',
      'here',
      'in-link',
      'out-dir',
      'root',
      'x',
      '~',
      '\\',
      ' ',
      'hop-1',
      'back',
      '%2e',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { maxLength: 8 }),
        fc.constantFrom('/', '//', '\\', '/./'),
        async (parts, separator) => {
          const result = await guardPath(place.root, parts.join(separator)).catch((error: unknown) => error);
          if (result instanceof UserError) return;
          expect(typeof result === 'string' && (result === place.root || result.startsWith(`${place.root}/`))).toBe(
            true,
          );
          expect(fs.existsSync(String(result)) ? fs.realpathSync(String(result)) : result).toBe(result);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
