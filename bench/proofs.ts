/** All proofs at about a tenth of their size, one after the other, in some minutes: `npm run proofs [-- NAME...]`. Ends with 1 when one has failed. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');
const out = (line: string) => process.stdout.write(`${line}\n`);

/** The script of package.json, and what it is given here. */
const PROOFS: readonly { name: string; given: string[] }[] = [
  { name: 'supply', given: [] },
  { name: 'crash', given: ['30'] },
  { name: 'crash', given: ['15', '7', 'SIGTERM'] },
  { name: 'crash:programs', given: ['10'] },
  { name: 'clock', given: ['8'] },
  { name: 'interleavings', given: ['300'] },
  { name: 'words', given: ['200'] },
  { name: 'damage', given: ['(cut|zeroed)$', '2'] },
];
const LINES = 6;

const only = process.argv.slice(2);
const results: { what: string; seconds: number; isGood: boolean }[] = [];
for (const { name, given } of PROOFS) {
  if (only.length > 0 && !only.includes(name)) continue;
  const began = Date.now();
  const { status, stdout, stderr } = spawnSync('npm', ['run', '-s', name, '--', ...given], {
    ...{ cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  });
  const seconds = Math.round((Date.now() - began) / 1000);
  const isGood = status === 0;
  const what = [name, ...given].join(' ');
  results.push({ what, seconds, isGood });
  const last = (text: string, lines: number) => text.trimEnd().split('\n').slice(-lines);
  const said = isGood ? last(stdout, LINES) : [...last(stderr, 20), ...last(stdout, 30)];
  out(`${isGood ? 'holds ' : 'BROKEN'} ${what} (${seconds} s)`);
  for (const line of said) out(`    ${line.slice(0, 300)}`);
}
const total = results.reduce((sum, { seconds }) => sum + seconds, 0);
const broken = results.filter(({ isGood }) => !isGood);
out(`${results.length} proofs in ${total} s, broken: ${broken.map(({ what }) => what).join(', ') || 'none'}`);
process.exit(broken.length > 0 ? 1 : 0);
