/** Skill files made to do harm: loading one runs nothing, takes no time to speak of, and opens nothing outside its folder. */
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { listFiles, readSkillFile } from '../../src/skills/bundle-files.ts';
import { isReserved, toInputSchema } from '../../src/skills/parameters.ts';
import { ownTime } from '../helpers/own-time.ts';
import { FIXTURES, folder, skillOf, skillText, write } from './helpers.ts';

describe('front matter in other languages', () => {
  const canary = path.join(folderName(), 'canary');
  const attack = `require('node:fs').writeFileSync(${JSON.stringify(canary)}, 'x')`;
  // biome-ignore format: a list is filled
  const languages = [
    'js', 'javascript', 'JS', 'JavaScript', ' js', 'js ', '\tjs', 'coffee', 'coffeescript', 'cson', 'json', 'json5',
  ];
  const others = ['toml', 'ts', 'constructor', '__proto__', 'toString', 'yaml js', 'yaml;js', 'eval', '.js', 'ejs'];

  test.each([...languages, ...others])('---%s is refused and nothing runs', (language) => {
    const bodies = [
      `{ name: 'x', description: ${attack} }`,
      `module.exports = ${attack}`,
      `(() => { globalThis.pwned = 1; ${attack} })()`,
    ];
    for (const end of ['\n', '\r\n']) {
      for (const body of bodies) {
        expect(() => skillOf(`---${language}${end}${body}${end}---${end}echo`)).toThrow(/only YAML is read/);
        expect(() => skillOf(`\ufeff---${language}${end}${body}${end}---${end}echo`)).toThrow(/only YAML is read/);
      }
    }
    expect(existsSync(canary)).toBe(false);
    expect(Reflect.has(globalThis, 'pwned')).toBe(false);
  });

  test.each([
    '!!js/function "function(){}"',
    '!!js/eval "1"',
    '!!python/object/apply:os.system ["id"]',
    '!<tag:yaml.org,2002:js/undefined> x',
  ])('a tag of YAML is only a name: %s', (value) => {
    const skill = skillOf(skillText(`thing: ${value}`, 'Say hello.'));
    expect(['string', 'object'].includes(typeof skill.metadata.thing)).toBe(true);
    expect(Reflect.has(globalThis, 'pwned')).toBe(false);
  });
});

describe('front matter that is too much', () => {
  test.each(
    // biome-ignore format: a row is a line
    [
      ['aliases in aliases', `a0: &a0 [x, x]\n${Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}, *a${i}, *a${i}]`).join('\n')}`],
      ['an alias inside its anchor', 'a: &a [*a]'],
      ['many keys', Array.from({ length: 100_000 }, (_, i) => `k${i}: 1`).join('\n')],
      ['as many keys as fit, one of them twice', `${Array.from({ length: 2000 }, (_, i) => `${i.toString(36)}:`).join('\n')}\n0:`],
      ['deep lists', `a: ${'['.repeat(7000)}${']'.repeat(7000)}`],
      ['deep maps', `a: ${'{a: '.repeat(3000)}1${'}'.repeat(3000)}`],
      ['keys within keys', '? '.repeat(300)],
      ['a megabyte of text', `a: ${'x'.repeat(1024 * 1024)}`],
    ],
  )('%s', (_what, front) => {
    const started = ownTime();
    expect(() => skillOf(skillText(front))).toThrow();
    expect(ownTime() - started).toBeLessThan(3000);
  });

  test('a body as large as a disk is refused before it is looked at', () => {
    expect(() => skillOf(skillText('', 'x'.repeat(1024 * 1024)))).toThrow(/longer than 256 KB/);
  });

  test('fences without end take no time', () => {
    const started = ownTime();
    skillOf(skillText('parameters: {}', `${'```sh\n~~~\n'.repeat(20_000)}`));
    expect(ownTime() - started).toBeLessThan(3000);
  });

  test.each([
    '__proto__: { polluted: 1 }',
    'metadata: { __proto__: { requires: { bins: [x] } } }',
    'metadata: { constructor: { prototype: { polluted: 1 } } }',
    'metadata: \'{"__proto__": {"polluted": 1}, "openclaw": {"__proto__": {"requires": {"bins": ["x"]}}}}\'',
  ])('keys of the prototype change nothing: %s', (front) => {
    try {
      const skill = skillOf(skillText(front, 'Hi.'));
      expect(skill.requires.bins).toEqual([]);
      for (const key of ['constructor', 'toString', '__proto__']) {
        const input: unknown = JSON.parse(`{"${key}": "x"}`);
        expect(toInputSchema(skill).safeParse(input).success).toBe(false);
      }
    } catch (error) {
      expect(error).toMatchObject({ name: 'UserError', message: expect.stringContaining('__proto__') });
    }
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    expect(Reflect.get({}, 'requires')).toBeUndefined();
  });
});

describe('names of parameters', () => {
  const reserved =
    'PATH HOME IFS ENV BASH_ENV SHELLOPTS BASHOPTS PS4 PROMPT_COMMAND CDPATH TMPDIR LANG LC_ALL TZ SHELL EDITOR VISUAL PAGER ' +
    'GIT_SSH_COMMAND GIT_DIR GIT_EXTERNAL_DIFF GIT_CONFIG_COUNT LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES NODE_OPTIONS ' +
    'NODE_PATH PYTHONPATH PYTHONSTARTUP PERL5OPT PERL5LIB RUBYOPT RUBYLIB SSH_AUTH_SOCK SSH_ASKPASS http_proxy HTTPS_PROXY ' +
    'no_proxy ALL_PROXY SSL_CERT_FILE CURL_HOME OPENVIBER_HOME OPENVIBER_SCRIPT SKILL_DIR GLIBC_TUNABLES _ OPTIND UID RANDOM ' +
    'SECONDS LINES TMOUT JAVA_TOOL_OPTIONS MAKEFLAGS LESSOPEN npm_config_prefix XDG_CONFIG_HOME BASH_FUNC_x path Path home ' +
    'ld_preload Git_Dir node_options bash_env __proto__ constructor toString valueOf hasOwnProperty';

  test.each(reserved.split(' '))('%s is refused', (name) => {
    expect(isReserved(name)).toBe(true);
    expect(() => skillOf(skillText(`parameters:\n  "${name}": { type: string }`))).toThrow(/reserved|is no name/);
  });

  test.each(
    'message url query title lines columns seconds city number file count github_user rubric digit env_name'.split(' '),
  )('%s is a good name', (name) => {
    if (name === 'rubric') expect(isReserved(name)).toBe(false);
    expect(skillOf(skillText(`parameters:\n  ${name}: { type: string }`)).parameters[0]?.name).toBe(name);
  });
});

describe('files of a bundle', () => {
  const bundle = () => {
    const file = path.join(FIXTURES, 'pdf-forms', 'SKILL.md');
    return skillOf(readFileSync(file, 'utf8'), { file });
  };

  test('are listed and read', async () => {
    expect(await listFiles(bundle())).toEqual([
      { name: 'assets/logo.png', size: 10 },
      { name: 'references/FIELDS.md', size: 35 },
      { name: 'scripts/fill.py', size: 39 },
    ]);
    expect(await readSkillFile(bundle(), 'references/FIELDS.md', 1000)).toContain('check box');
  });

  test.each(
    '../github/SKILL.md|references/../../github/SKILL.md|/etc/passwd|references/|./SKILL.md|.hidden|references//FIELDS.md|..|a\0b|references\\FIELDS.md'.split(
      '|',
    ),
  )('%j is refused', async (name) => {
    await expect(readSkillFile(bundle(), name, 1000)).rejects.toThrow(/only files beside its SKILL.md/);
  });

  test('what is no text, too large, missing or a folder is refused', async () => {
    await expect(readSkillFile(bundle(), 'assets/logo.png', 1000)).rejects.toThrow('it is not text');
    await expect(readSkillFile(bundle(), 'scripts/fill.py', 10)).rejects.toThrow('larger than 10 bytes');
    await expect(readSkillFile(bundle(), 'scripts/none.py', 10)).rejects.toThrow('it is not there');
    await expect(readSkillFile(bundle(), 'scripts', 10)).rejects.toThrow('not a regular file');
  });

  test('links are neither listed nor followed', async () => {
    const root = folder();
    const secret = write(path.join(root, 'secret.txt'), 'secret');
    const file = write(path.join(root, 'b', 'SKILL.md'), skillText(''));
    symlinkSync(secret, path.join(root, 'b', 'link.txt'));
    symlinkSync(root, path.join(root, 'b', 'up'));
    mkdirSync(path.join(root, 'b', 'deep'));
    symlinkSync('../SKILL.md', path.join(root, 'b', 'deep', 'inside.md'));
    const skill = skillOf(skillText(''), { file });
    expect(await listFiles(skill)).toEqual([]);
    for (const name of ['link.txt', 'up/secret.txt', 'deep/inside.md']) {
      await expect(readSkillFile(skill, name, 1000)).rejects.toThrow('not a regular file');
    }
  });

  test('a skill without a folder of its own has none', async () => {
    const skill = skillOf(skillText(''), { file: path.join(FIXTURES, 'x.skill.md') });
    expect(await listFiles(skill)).toEqual([]);
    await expect(readSkillFile(skill, 'github/SKILL.md', 1000)).rejects.toThrow(/only files/);
  });
});

function folderName(): string {
  return path.join(import.meta.dirname, 'no-such-folder');
}
