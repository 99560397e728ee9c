/** The scripts of `viber completion`, in the shells themselves where they are installed. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandOptions } from '../../src/cli/arguments.ts';
import { run } from '../../src/cli/completion/completion.ts';
import { VERSION } from '../../src/cli/help.ts';
import { CLI_COMMANDS, COMMON_OPTIONS } from '../../src/cli/table.ts';
import { messagesIn } from '../../src/messages/messages.ts';
import { printed } from '../helpers/cli.ts';
import { tempFolder } from '../helpers/temp.ts';

const table = { commands: CLI_COMMANDS, common: { ...COMMON_OPTIONS, version: VERSION[1] }, optionsOf: commandOptions };

async function scriptOf(shell: string, language = 'en'): Promise<string> {
  const { code, text } = await printed(run, '', { args: [shell], messages: messagesIn(language) }, { table });
  expect(code).toBe(0);
  return text;
}

const has = (shell: string) => spawnSync(shell, ['--version']).status === 0;

describe.each(['bash', 'zsh', 'fish'])('for %s', (shell) => {
  test('every command, verb and option is in it, in both languages', async () => {
    for (const language of ['en', 'de']) {
      const script = await scriptOf(shell, language);
      for (const [name, command] of Object.entries(CLI_COMMANDS)) {
        const words = [name, ...Object.keys(command.verbs ?? {}), ...Object.keys(commandOptions(command))];
        expect(words.filter((word) => !script.includes(word))).toEqual([]);
      }
    }
  });

  test.skipIf(!has(shell))('the shell reads it', async () => {
    const file = path.join(tempFolder(), 'script');
    for (const language of ['en', 'de']) {
      fs.writeFileSync(file, await scriptOf(shell, language));
      const { status, stderr } = spawnSync(shell, [shell === 'fish' ? '--no-execute' : '-n', file], {
        encoding: 'utf8',
      });
      expect([status, stderr]).toEqual([0, '']);
    }
  });
});

/** What is completed, the last word being the one that is typed. */
const CASES: [string, string[]][] = [
  ['viber sta', ['start', 'status']],
  ['viber pair ap', ['approve']],
  ['viber pair approve X --j', ['--json']],
  ['viber jobs add --a', ['--at']],
  ['viber jobs list --a', []],
  ['viber --home /tmp jobs ad', ['add']],
  ['viber logs --level w', ['warn']],
  ['viber completion ', ['bash', 'fish', 'zsh']],
  ['viber queue --', ['--config', '--help', '--home', '--json']],
];

describe('in bash', () => {
  const offered = (script: string, words: string[], cwd?: string) => {
    const quoted = words.map((word) => `'${word}'`).join(' ');
    const asked = `${script}\nCOMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _viber; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', asked], { encoding: 'utf8', cwd });
    expect(stderr).toBe('');
    return stdout.split('\n').filter(Boolean);
  };

  test.each(CASES)('%j', async (line, expected) => {
    const found = offered(await scriptOf('bash'), line.split(' '));
    const wanted = line.endsWith(' ') ? found.filter((word) => !word.startsWith('--')) : found;
    expect(wanted.sort()).toEqual(expected);
  });

  test('folders where a folder is meant, and bash itself where a file is', async () => {
    const script = await scriptOf('bash');
    const cwd = tempFolder();
    fs.mkdirSync(path.join(cwd, 'with blank'));
    fs.mkdirSync(path.join(cwd, 'home'));
    fs.writeFileSync(path.join(cwd, 'help.txt'), '');
    expect(offered(script, ['viber', 'start', '--home', 'h'], cwd)).toEqual(['home']);
    expect(offered(script, ['viber', 'start', '--home', '=', 'h'], cwd)).toEqual(['home']);
    expect(offered(script, ['viber', 'backup', 'h'], cwd)).toEqual([]);
    expect(script).toContain('complete -o bashdefault -o default -F _viber viber');
  });

  test('a word that was typed runs nothing', async () => {
    const cwd = tempFolder();
    offered(await scriptOf('bash'), ['viber', '$(touch made)', '`touch made`'], cwd);
    expect(fs.readdirSync(cwd)).toEqual([]);
  });
});

describe.skipIf(!has('fish'))('in fish', () => {
  test.each(CASES)('%j', async (line, expected) => {
    const home = tempFolder();
    const file = path.join(home, 'viber.fish');
    fs.writeFileSync(file, await scriptOf('fish'));
    const { stdout } = spawnSync('fish', ['--no-config', '-c', `source ${file}; complete -C '${line}'`], {
      encoding: 'utf8',
      env: { ...process.env, HOME: home },
    });
    const found = stdout
      .split('\n')
      .filter(Boolean)
      .map((each) => each.split('\t')[0] ?? '');
    // It also offers -h of programs and files in general, which are no words of ours.
    expect(found.filter((word) => (line.endsWith(' ') ? !word.startsWith('-') : true)).sort()).toEqual(expected);
  });
});

describe.skipIf(!has('zsh'))('in zsh', () => {
  test.each(CASES)('%j', async (line, expected) => {
    const home = tempFolder();
    const file = path.join(home, 'viber.zsh');
    fs.writeFileSync(file, await scriptOf('zsh'));
    // What the script offers is caught before zsh draws it.
    const asked = [
      'compdef() { : }',
      `source ${file}`,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is zsh
      '_describe() { [[ $1 == -o ]] && shift; local -a found; found=("${(@P)2}"); print -l -- "${(@)found%%:*}" }',
      '_files() { : }',
      'compadd() { shift; print -l -- "$@" }',
      `words=(${line
        .split(' ')
        .map((word) => `'${word}'`)
        .join(' ')}); CURRENT=$#words; _viber`,
    ].join('\n');
    const { stdout, stderr } = spawnSync('zsh', ['-f', '-c', asked], {
      encoding: 'utf8',
      env: { ...process.env, HOME: home },
    });
    expect(stderr).toBe('');
    const typed = line.split(' ').at(-1) ?? '';
    const found = stdout.split('\n').filter((word) => word !== '' && word.startsWith(typed));
    expect(found.sort()).toEqual(expected);
  });
});
