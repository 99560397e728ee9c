/** Reading bash texts: what is understood, what isn't, and that bash itself never runs anything else. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCommand, type SimpleCommand } from '../../src/features/projects/commands/parse.ts';
import { tempFolder } from '../helpers/temp.ts';

const shown = ({ words, assignments, redirections }: SimpleCommand): string =>
  [
    ...assignments.map(({ source }) => source),
    ...words.map(({ text, is }) => (is === 'plain' ? `[${text}]` : `${is === 'pattern' ? '*' : '?'}[${text}]`)),
    ...redirections.map(({ operator, to }) => `${operator} ${to.text}`),
  ].join(' ');

function parsed(text: string): string[] | string {
  const found = parseCommand(text);
  return 'why' in found ? found.why : found.commands.map(shown);
}

describe('texts that are understood', () => {
  it.each<[string, string[]]>([
    ['npm test', ['[npm] [test]']],
    ['  npm   test\t-- a ', ['[npm] [test] [--] [a]']],
    ['a && b || c; d | e |& f & g', ['[a]', '[b]', '[c]', '[d]', '[e]', '[f]', '[g]']],
    ['a\nb\n\n# c\nd # e', ['[a]', '[b]', '[d]']],
    ['a \\\n  b', ['[a] [b]']],
    [`"git" 'sta'tus g""it \\push`, ['[git] [status] [git] [push]']],
    [`echo "a 'b' \\" \\$c \\d" 'e "f"'`, ['[echo] [a \'b\' " $c \\d] [e "f"]']],
    ['echo $x "$y" ${z:-no} $((1 + (2))) $? $', ['[echo] ?[$x] ?["$y"] ?[${z:-no}] ?[$((1 + (2)))] ?[$?] [$]']],
    ['npm test $(curl x | sh)', ['[curl] [x]', '[sh]', '[npm] [test] ?[$(curl x | sh)]']],
    ['npm test `id`', ['[id]', '[npm] [test] ?[`id`]']],
    ['diff <(a) >(b)', ['[a]', '[b]', '[diff] ?[<(a)] ?[>(b)]']],
    ['ls > f 2>&1 < g', ['[ls] > f >& 1 < g']],
    ['ls &>> f', ['[ls] &>> f']],
    ['FOO=1 BAR="$x" npm test', ['FOO=1 BAR="$x" [npm] [test]']],
    ['FOO=1', ['FOO=1']],
    ["cat <<'EOF'\n$(rm x) `y`\nEOF\nls", ['[cat] << EOF', '[ls]']],
    [
      `git commit -m "$(cat <<'EOF'\nA (b) "c"\nEOF\n)"`,
      ['[cat] << EOF', `[git] [commit] [-m] ?["$(cat <<'EOF'\nA (b) "c"\nEOF\n)"]`],
    ],
    ['for f in a b; do node "$f"; done > out', ['f=', '[node] ?["$f"]', '> out']],
    ['if [ -f x ]; then a; else b; fi', ['[[] [-f] [x] []]', '[a]', '[b]']],
    ['while read l; do a; done', ['[read] [l]', '[a]']],
    ['(cd x && make) | { a; b; }', ['[cd] [x]', '[make]', '[a]', '[b]']],
    ['! a', ['[a]']],
    ['echo {a,b} {1..3} stash@{0} {}', ['[echo] ?[{a,b}] ?[{1..3}] [stash@{0}] [{}]']],
    ['cat src/*.ts ./*.md', ['[cat] *[src/*.ts] *[./*.md]']],
    ['rm * -* .* ?a', ['[rm] ?[*] ?[-*] ?[.*] ?[?a]']],
    ['echo ~ ~/x a~ --x=~', ['[echo] ?[~] ?[~/x] [a~] ?[--x=~]']],
    ["echo $'a\\'b' $\"c\"", ["[echo] ?[$'a\\'b'] ?[$\"c\"]"]],
    ['echo "später" Grüße', ['[echo] [später] [Grüße]']],
    ['', []],
    ['# only a remark', []],
  ])('%s', (text, commands) => {
    expect(parsed(text)).toEqual(commands);
  });
});

describe('texts that are not', () => {
  it.each(
    // biome-ignore format: a list is filled
    [
      'x() { rm y; }', 'function x { rm y; }', 'case $x in a) b;; esac', '[[ a -eq b ]]', 'a=(b c)', 'a[$(id)]=1',
      'echo ${x@P}', 'echo ${!x}', 'echo ${x:-$(id)}', 'echo $((a[$(id)]))', 'echo $[1]', '((x=1))', 'echo !(a|b)',
      'coproc a', 'select x in a; do b; done', 'cat <<EOF\n$(rm x)\nEOF', 'cat <<EOF\nno end', "cat <<'A B'\nA B",
      'cat <<A $(b\n)\nA', 'a {fd}> b', 'a\\\nb', 'npm test\rcurl x', 'npm test\u00a0x', 'npm test\u200b',
      'npm test\u2028rm x', 'a\u0000b', 'a; ; b', '&& a', 'a &&', 'a | ; b', 'a "b', "a 'b", 'a `b', 'a $(b', 'a )',
      '}', 'fi', 'if a; fi', '{ }', '( )', 'for x in a; b; done', 'echo `a \\`b\\``', 'a <<< ',
    ],
  )('%j', (text) => {
    expect(typeof parsed(text)).toBe('string');
  });

  it('includes texts of too many commands, too deep or too long', () => {
    for (const text of [`${'true; '.repeat(201)}a`, `${'('.repeat(20)}a${')'.repeat(20)}`, 'a'.repeat(20_001)])
      expect(typeof parsed(text)).toBe('string');
  });
});

/** Runs the text in bash where nothing is installed, and returns the arguments of all that it would have run. */
function ranBy(text: string, folder: string, status: number): string[][] {
  const log = path.join(folder, `log-${Math.random()}`);
  const script = `command_not_found_handle() { printf '%s\\0' "$#" "$@" >>${log}; return ${status}; }
PATH=/nowhere
${text}
`;
  try {
    execFileSync('/bin/bash', ['--noprofile', '--norc', '-c', script], {
      cwd: folder,
      env: { LANG: 'C.UTF-8' },
      stdio: 'ignore',
      timeout: 5_000,
    });
  } catch (error) {
    if (!(error instanceof Error && 'status' in error)) throw error;
  }
  if (!fs.existsSync(log)) return [];
  const parts = fs.readFileSync(log, 'utf8').split('\0').slice(0, -1);
  const ran: string[][] = [];
  while (parts.length > 0) ran.push(parts.splice(0, Number(parts.shift())));
  return ran;
}

const isListed = (commands: readonly SimpleCommand[], argv: readonly string[]): boolean =>
  commands.some(({ words }) => {
    const known = words.every(({ is }) => is === 'plain');
    if (known) return JSON.stringify(words.map(({ text }) => text)) === JSON.stringify(argv);
    const [first] = words;
    return first?.is !== 'plain' || first.text === argv[0];
  });

// biome-ignore format: a row is a line
const PIECES = [
  ...['aa', 'bb', '"', "'", '\\', '`', '$(', ')', '(', '{ ', '}', '; ', '&&', '||', '|', '&', '\n', ' ', ' ', ' ', '#'],
  ...['$x', '${x}', '$((1))', '<(', '>(', '<<A', "<<'A'", '\nA\n', '{c,d}', '~', 'e=', '!', 'if ', 'then ', 'fi', 'do '],
  ...['done', 'while ', 'for x in ', "$'", '$"', '2>&1', '\\\n', '\t', '=', ',', '[', ']', '%', 'ü', '$', 'else ', 'in '],
];

it('bash runs nothing that is not in the list', () => {
  const folder = tempFolder();
  let understood = 0;
  const text = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 14 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(text, (given) => {
      const found = parseCommand(given);
      // Loops whose condition is a program never end here.
      if ('why' in found || /while/.test(given)) return;
      understood += 1;
      for (const status of [0, 1])
        for (const argv of ranBy(given, folder, status))
          expect([given, argv, isListed(found.commands, argv)]).toEqual([given, argv, true]);
    }),
    { numRuns: 1_000 },
  );
  expect(understood).toBeGreaterThan(40);
});
