/** The guides to adding a command and a setting are followed as they are written, on a copy of the source. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../../helpers/temp.ts';

const root = join(import.meta.dirname, '../../..');

/** A copy of the source in which the blocks of a guide can be put into place. */
function follow(guide: string) {
  const page = readFileSync(join(root, 'docs/dev', guide), 'utf8');
  const blocks = [...page.matchAll(/```(?:ts|yaml)\n([\s\S]*?)```/g)].map(([, text = '']) => text);
  const copy = mkdtempSync(join(tempFolder(), 'guide-'));
  for (const name of ['src', 'docs', 'test/settings.ts', 'package.json', 'config.example.yaml'])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  const touched: string[] = [];
  return {
    copy,
    blocks,
    touched,
    write(name: string, text: string) {
      writeFileSync(join(copy, name), text);
      touched.push(name);
    },
    change(name: string, edit: (text: string) => string) {
      const before = readFileSync(join(copy, name), 'utf8');
      const after = edit(before);
      expect(after, name).not.toBe(before);
      writeFileSync(join(copy, name), after);
      touched.push(name);
    },
    /** What a program on the changed source prints, as JSON. */
    ask(program: string): unknown {
      writeFileSync(join(copy, 'ask.ts'), program);
      const { stdout, stderr } = spawnSync(process.execPath, ['ask.ts'], { cwd: copy, encoding: 'utf8' });
      if (stdout === '') throw new Error(stderr);
      return JSON.parse(stdout);
    },
  };
}

it('add-a-command.md: three files, and the command is found, listed and run', () => {
  const { blocks, touched, write, change, ask } = follow('add-a-command.md');
  const [file = '', line = '', german = ''] = blocks;
  write('src/runtime/commands/conversation/die.ts', file);
  change('src/runtime/commands/table.ts', (all) =>
    all
      .replace(/\n(?=import )/, "\nimport { die } from './conversation/die.ts';\n")
      .replace(/(const REST: readonly Command\[\] = \[)/, `$1${line}`),
  );
  change('src/messages/menu.ts', (all) => all.replace(/(\n {2}de: \{\n)/, `$1${german}`));
  expect(touched).toHaveLength(3);
  const found = ask(`
    import { loadFeatures } from './src/features.ts';
    import { commandTable, findCommand, menuSpecs } from './src/runtime/commands/table.ts';
    const commands = commandTable(await loadFeatures());
    const die = findCommand(commands, 'DIE');
    const rolled = await Promise.all(Array.from({ length: 50 }, () => die.run({ args: '2' })));
    const shown = menuSpecs(commands, 'de').find(({ name }) => name === 'die').description;
    const takes = ['6', 'six'].map((typed) => new RegExp(die.argument.pattern).test(typed));
    process.stdout.write(JSON.stringify([shown, [...new Set(rolled.map(({ text }) => text))].sort(), takes]));
  `);
  expect(found).toEqual(['Einen Würfel werfen', ['1', '2'], [true, false]]);
});

it('add-a-setting.md: three files, and the setting has a default, a type, an error and its line', () => {
  const { copy, blocks, touched, change, ask } = follow('add-a-setting.md');
  const [line = '', example = '', use = ''] = blocks;
  change('src/config/sections/skills.ts', (all) => all.replace(/(export const search = section\(\{\n)/, `$1${line}`));
  change('config.example.yaml', (all) => all.replace(/(\nsearch:\n)/, `$1${example}`));
  change('src/features/web/search/web-search.ts', (all) =>
    all
      .replace(/ {4}if \(\+\+known\.searches > MAX_SEARCHES\)[^\n]*\n/, use)
      .replace(/import type \{ FeatureRun \}/, 'import { configOf, type FeatureRun }'),
  );
  expect(touched).toHaveLength(3);
  const found = ask(`
    import { writeFileSync } from 'node:fs';
    import { loadConfig } from './src/config.ts';
    import { webSearch } from './src/features/web/search/web-search.ts';
    const given = async (text) => {
      writeFileSync('config.yaml', text);
      const { config } = await loadConfig({ file: 'config.yaml', home: '.', env: {} });
      return config;
    };
    const refused = await given('search: { max: many }').catch(({ problems }) => problems);
    const config = await given('search: { max: 1, by: brave, apiKey: k }');
    const usual = (await given('log: { level: info }')).search.max;
    process.stdout.write(JSON.stringify([usual, config.search.max, refused]));
  `);
  expect(found).toEqual([
    20,
    1,
    [expect.objectContaining({ path: 'search.max', message: expect.stringContaining('expected') })],
  ]);
  const { status } = spawnSync(process.execPath, ['test/settings.ts'], { cwd: copy });
  const page = readFileSync(join(copy, 'docs/configuration.md'), 'utf8');
  expect([status, page.includes('- `search.max` (`20`): searches of the web in one run')]).toEqual([0, true]);
});
