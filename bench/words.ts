/**
 * Sends texts of every kind through the real channels to the strict emulators: `npm run words [-- RANDOM [CLONES
 * [SEED]]]`. Random Markdown designed to break renderers, the documents of all installed libraries, answers from chats
 * (`test/fixtures/answers`), and the documents in `bench/words-documents.txt` for which CLONES has clones of their
 * repositories (as `owner+name/repo`). No call may be refused, and every word must be seen.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { parseDocument } from '../src/channels/markdown/parse.ts';
import { expectSame, hostile, missingWords } from '../test/channels/markdown/hostile.ts';
import { openShowers, type Shower } from './words-channels.ts';
import { htmlOf, htmlWords } from './words-read.ts';

const RANDOM = Number(process.argv[2] ?? 2_000);
const CLONES = process.argv[3] ?? '';
const SEED = Number(process.argv[4] ?? Date.now() % 1_000_000);
/** Documents of installed libraries. */
const LIBRARIES = Math.max(100, RANDOM / 10);
const BATCH = 200;
/** More than a model may answer at once. */
const LONGEST = 30_000;
const root = path.join(import.meta.dirname, '..');
const out = (line: string) => process.stdout.write(`${line}\n`);

interface Document {
  name: string;
  text: string;
}

function* random(): Generator<Document> {
  for (let done = 0; done < RANDOM; done += BATCH) {
    const texts = fc.sample(hostile, { numRuns: Math.min(BATCH, RANDOM - done), seed: SEED + done });
    for (const [index, text] of texts.entries()) yield { name: `random ${done + index}`, text };
  }
}

function* real(): Generator<Document> {
  const answers = path.join(root, 'test/fixtures/answers');
  for (const name of fs.readdirSync(answers)) yield { name, text: fs.readFileSync(path.join(answers, name), 'utf8') };
  const libraries = fs.globSync('node_modules/**/*.{md,markdown}', { cwd: root }).sort();
  const step = Math.max(1, Math.floor(libraries.length / LIBRARIES));
  for (const name of libraries.filter((_name, index) => index % step === 0))
    yield { name, text: fs.readFileSync(path.join(root, name), 'utf8') };
  if (CLONES === '') return;
  const listed = fs.readFileSync(path.join(root, 'bench/words-documents.txt'), 'utf8').split('\n');
  for (const line of listed) {
    const [repository = '', commit = '', file = ''] = line.split(' ');
    if (file === '') continue;
    const clone = path.join(CLONES, repository.replace('/', '+'), 'repo');
    const text = execFileSync('git', ['-C', clone, 'show', `${commit}:${file}`], { encoding: 'utf8', maxBuffer: 1e8 });
    yield { name: `${repository} ${file}`, text };
  }
}

interface Tally {
  sent: number;
  messages: number;
  failed: string[];
}

async function check(shower: Shower, { name, text }: Document, isRandom: boolean, tally: Tally): Promise<void> {
  tally.sent++;
  const before = shower.refused();
  try {
    const came = await shower.send(text);
    tally.messages += came.length;
    if (shower.refused() > before) throw new Error('refused');
    const shown = (await Promise.all(came.map(shower.shown))).join('\n');
    const { rich, blocks } = await parseDocument(text);
    const hasTable = JSON.stringify(blocks).includes('"type":"table"');
    const seen = shower.name === 'slack' ? withoutEntities : (words: string) => words;
    if (/[\p{L}\p{N}]/u.test(rich.text)) expectSame(seen(shown), seen(rich.text), { hasTable, hasLinks: true });
    // A second Markdown parser, which shares nothing with ours.
    const lost = isRandom ? [] : missingWords(shown, withoutEntities(htmlWords(htmlOf(text))));
    if (lost.length > 0) throw new Error(`lost: ${lost.slice(0, 10).join(' ')}`);
  } catch (error) {
    tally.failed.push(`${name}: ${String(error).slice(0, 400)}`);
  }
}

/** Slack shows entities as written, in other forms; within HTML that is shown as text, other entities are decoded. */
function withoutEntities(text: string): string {
  return text.replace(/&(?:amp;)*(?:#?\w+;)/g, '');
}

const began = Date.now();
const showers = await openShowers();
const tallies = new Map(showers.map(({ name }) => [name, { sent: 0, messages: 0, failed: [] as string[] }]));
const counts = { random: 0, real: 0 };
for (const kind of ['random', 'real'] as const) {
  for (const document of kind === 'random' ? random() : real()) {
    const text = document.text.slice(0, LONGEST).toWellFormed();
    if (text.trim() === '') continue;
    counts[kind]++;
    const isRandom = kind === 'random';
    await Promise.all(
      showers.map((each) => check(each, { ...document, text }, isRandom, tallies.get(each.name) as Tally)),
    );
  }
}
out(
  `${counts.random} random documents (seed ${SEED}) and ${counts.real} real ones in ${Math.round((Date.now() - began) / 1000)} s`,
);
let failed = 0;
for (const shower of showers) {
  const { messages, failed: bad } = tallies.get(shower.name) as Tally;
  failed += bad.length + shower.refused();
  out(
    `${shower.name.padEnd(16)} ${messages} messages, calls refused ${shower.refused()}, documents with words lost ${bad.length}`,
  );
  for (const line of bad.slice(0, 15)) out(`  ${line}`);
}
await Promise.all(showers.map((each) => each.close()));
process.exit(failed > 0 ? 1 : 0);
