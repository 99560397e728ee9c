/**
 * Kills the gateway at random moments during all kinds of work: `npm run crash:works [-- KILLS [SEED]]`. On three
 * platforms people ask for actions that need their consent, for other agents, playbooks and files, one after the other
 * in each chat, while jobs report each minute. At the end, every request must have ended, an approved action may have
 * been done at most once, each file must be there as it was created, and each slot of a job must be reported once.
 * Telegram can't be asked which messages have arrived, so a copy there isn't a fault. Work that was interrupted twice
 * is retried, alone, three seconds after a start. On a slow machine a kill may come later than that and interrupt it a
 * third time. It is then given up as promised, and each such kill may account for one request.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LlmRequest, startLlm, type Turn } from '../test/emulators/llm.ts';
import { discordPlatform } from '../test/platforms/discord.ts';
import { type Person, type Place, type Platform, type Seen, waitFor } from '../test/platforms/platform.ts';
import { slackPlatform } from '../test/platforms/slack.ts';
import { telegramPlatform } from '../test/platforms/telegram.ts';
import { type BookingDesk, startBookingDesk } from './booking-desk.ts';
import { startProgram } from './processes.ts';

const KILLS = Number(process.argv[2] ?? 30);
let seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
const firstSeed = seed;
const PEOPLE: Person[] = ['alex', 'sam', 'kim'];
const KINDS = ['consent', 'agents', 'playbook', 'file'] as const;
type Kind = (typeof KINDS)[number];
/** A request without an end for this long counts as lost. */
const STUCK_MS = 90_000;
/** A person who sees a button without effect presses it again. */
const PRESS_MS = 700;
const MINUTE = 60_000;
/** The same wait as in `src/engine/local/spool.ts` for a message that was part of two crashes. */
const SUSPECT_DELAY_MS = 3_000;

/** A linear congruential generator, so that a run can be repeated with its seed, as far as timing allows. */
function random(below: number): number {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return Math.floor((seed / 2_147_483_648) * below);
}

const out = (line: string) => process.stdout.write(`${line}\n`);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'viber-crash-'));
const home = path.join(folder, 'home');
const quiet = { keepFiles: true, keepRequests: 10 };
const platforms: Platform[] = await Promise.all([
  telegramPlatform(quiet),
  discordPlatform(quiet),
  slackPlatform({ ...quiet, retryDelaysMs: [0, 1_000, 5_000] }),
]);
const desk = await startBookingDesk();
const llm = await startLlm({ keepRequests: 10 });
llm.script((request) => ({ ...answerTo(request), delayMs: 20 + random(120) }));

/** The model's script; it knows each request only by its number. */
function answerTo(request: LlmRequest): Turn {
  const { lastUser, system, toolResults, tools } = request;
  if (system.includes('You check whether one step')) return { text: 'OK' };
  const digest = /Report of (\S+)/.exec(lastUser)?.[1];
  if (digest) return { text: `Told by ${digest}.` };
  const step = /, step (\d) of/.exec(lastUser)?.[1];
  const n = /thing (\d+)/.exec(lastUser)?.[1] ?? '';
  if (step) return { text: `Step ${step} of thing ${n} is finished.` };
  if (/You are the viber "ann"/.test(system)) return { text: `ann has looked at thing ${n}` };
  const call = callFor(/thing \d+: (\w+)/.exec(lastUser)?.[1], n, tools);
  if (call && toolResults.length === 0) return { toolCalls: [call] };
  return { text: `Done with thing ${n}. ${toolResults.join(' ').slice(0, 300)}` };
}

function callFor(kind: string | undefined, n: string, tools: readonly string[]) {
  const book = tools.find((name) => name.includes('book')) ?? 'book';
  if (kind === 'consent') return { name: book, arguments: { thing: n } };
  if (kind === 'agents') return { name: 'ask_agent', arguments: { agent: 'ann', message: `look at thing ${n}` } };
  const file = { title: `out-${n}.txt`, type: 'text/plain', content: contentOf(n) };
  return kind === 'file' ? { name: 'create_artifact', arguments: file } : undefined;
}

const contentOf = (n: string | number) => `what was made of thing ${n}`;

interface Chat {
  platform: Platform;
  person: Person;
  place: Place;
}
const chats: Chat[] = platforms.flatMap((platform) =>
  PEOPLE.map((person) => ({ platform, person, place: platform.dm(person) })),
);

interface Thing {
  n: number;
  kind: Kind;
  chat: Chat;
  saidAt: number;
  outcome?: 'done' | 'told' | 'given up' | 'lost';
  end?: string;
}
const things: Thing[] = [];

function writeHome(): void {
  const config = {
    model: 'local/test-model',
    providers: { local: { baseURL: llm.url, apiKey: 'none-needed' } },
    channels: Object.fromEntries(
      platforms.map((each) => {
        const access = { chats: [each.room.chat] };
        return [each.name, { ...each.section, access, injection: 'followup', live: 'off' }];
      }),
    ),
    people: chats.map(({ platform, person }) => ({
      ...{ name: `${person} ${platform.name}`, role: 'owner', ids: [platform.identity(person)] },
    })),
    mcp: { desk: { url: desk.url } },
    limits: { messagesPerMinute: 100_000, runsPerPerson: 32, queue: 100_000, freeBytes: 0 },
    http: { port: 0 },
  };
  const files: Record<string, string> = {
    'config.yaml': JSON.stringify(config),
    'agents/ann.yaml': 'description: Looks at things.\n',
    'playbooks/check.md':
      '# Playbook: Check\n\n## Goal\nCheck thing <n>.\n\n## Steps\n1. [Ann] Look at thing <n>.\n2. [Ann] Look at thing <n> again.\n3. [Ann] Say how thing <n> is.\n',
  };
  for (const name of jobs())
    files[`jobs/${name.file}.yaml`] = JSON.stringify({
      ...{ name: name.file, schedule: '* * * * *', timezone: 'UTC', prompt: `Report of ${name.file}` },
      deliver: [`${name.platform.name}:${name.platform.room.chat}`],
    });
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(home, name)), { recursive: true, mode: 0o700 });
    fs.writeFileSync(path.join(home, name), text, { mode: 0o600 });
  }
}

function jobs(): { platform: Platform; file: string }[] {
  return platforms.flatMap((platform) => [1, 2, 3].map((n) => ({ platform, file: `${platform.name}-${n}` })));
}

const start = () => startProgram(['dist/main.js', 'start', '--home', home]);
let asking = true;
let count = 0;

/** One person, who makes one request after the other. */
async function live(chat: Chat, first: number): Promise<void> {
  for (let turn = first; asking; turn++) {
    const kind = KINDS[turn % KINDS.length] as Kind;
    const thing: Thing = { n: ++count, kind, chat, saidAt: Date.now() };
    things.push(thing);
    const after = chat.platform.answers(chat.place).length;
    const words = kind === 'playbook' ? `/play check n=${thing.n}` : `thing ${thing.n}: ${kind}`;
    const files = kind === 'file' ? { files: [{ name: `in-${thing.n}.txt`, text: contentOf(thing.n) }] } : {};
    chat.platform.say(chat.place, words, { by: chat.person, ...files });
    await ended(thing, after);
    // A playbook that was given up is reported in its chat, and another one begins only in a new task.
    if (kind === 'playbook' && thing.outcome === 'given up') chat.platform.say(chat.place, '/new', { by: chat.person });
    await sleep(random(300));
  }
}

/** Presses pending buttons until the request has ended. */
async function ended(thing: Thing, after: number): Promise<void> {
  const { platform, person, place } = thing.chat;
  const own = new RegExp(thing.kind === 'playbook' ? `Step 3 of thing ${thing.n} ` : `Done with thing ${thing.n}\\.`);
  for (let pressedAt = 0; Date.now() - thing.saidAt < STUCK_MS || asking; await sleep(30)) {
    const answers = platform.answers(place).slice(after);
    const done = answers.find(({ text }) => own.test(text));
    const told = answers.find(({ text }) =>
      /may or may not have happened|couldn't work on|interrupted before/.test(text),
    );
    const isGivenUp = told?.text.includes("couldn't work on") === true;
    if (done || told) return end(thing, done ? 'done' : isGivenUp ? 'given up' : 'told', (done ?? told)?.text);
    const label = buttonOf(answers);
    if (label === undefined || Date.now() - pressedAt < PRESS_MS) continue;
    pressedAt = Date.now();
    // Nobody is there to accept it, or it was decided a moment ago: press again while the button is there.
    await platform.press(place, label, person).catch((error: unknown) => error);
  }
  const said = platform.answers(place).slice(after);
  end(thing, 'lost', said.map(({ text }) => text.slice(0, 100)).join(' | '));
}

const buttonOf = (answers: readonly Seen[]) =>
  answers.flatMap(({ buttons }) => buttons).find((label) => /^(?:Yes|Do it|Go ahead|Allow)/.test(label));

function end(thing: Thing, outcome: NonNullable<Thing['outcome']>, text: string | undefined): void {
  thing.outcome = outcome;
  thing.end = text ?? 'nothing';
}

/** Nothing begins or ends near a slot, so that the number of slots is known. */
async function betweenSlots(): Promise<number> {
  const within = Date.now() % MINUTE;
  if (within < 5_000) await sleep(5_000 - within);
  else if (within > 50_000) await sleep(MINUTE + 5_000 - within);
  return Math.floor(Date.now() / MINUTE);
}

writeHome();
const first = start();
await first.ready;
for (const { platform, person, place } of chats) {
  platform.say(place, 'hello', { by: person });
  await waitFor(platform, place, { timeoutMs: 20_000 });
}
// The jobs were read a moment after the start; from here on, their slots count.
await sleep(2_000);
const firstSlot = await betweenSlots();
const told = new Map(jobs().map(({ platform, file }) => [file, reports(platform, file)]));
await first.kill('SIGKILL');
const people = chats.map((chat, index) => live(chat, index));
const began = Date.now();
let lateKills = 0;
for (let kill = 0; kill < KILLS; kill++) {
  const startedAt = Date.now();
  const gateway = start();
  if (random(4) === 0) await sleep(random(600));
  else {
    await Promise.race([gateway.ready, sleep(10_000)]);
    await sleep(random(2_000));
  }
  await gateway.kill('SIGKILL');
  if (Date.now() - startedAt > SUSPECT_DELAY_MS) lateKills++;
}
const killedMs = Date.now() - began;
asking = false;
for (const thing of things) if (!thing.outcome) thing.saidAt = Date.now();
const last = start();
await Promise.all(people);
const drained = Date.now() - began - killedMs;
const lastSlot = await betweenSlots();
// A copy that arrives late counts too.
await sleep(3_000);

function reports(platform: Platform, file: string): number {
  return platform.answers(platform.room).filter(({ text }) => text.includes(`Told by ${file}.`)).length;
}

let failed = false;
function must(holds: boolean, line: string): void {
  failed ||= !holds;
  out(`${holds ? '' : 'BROKEN '}${line}`);
}

out(
  `SIGKILL ${KILLS} times (seed ${firstSeed}) in ${Math.round(killedMs / 1000)} s, things asked for ${things.length}`,
);
for (const kind of KINDS) {
  const own = things.filter((thing) => thing.kind === kind);
  const having = (outcome: Thing['outcome']) => own.filter((thing) => thing.outcome === outcome);
  // People who approved an action that was interrupted may be told that its outcome is unknown; everything else
  // resumes.
  const mayTell = kind === 'consent';
  const counts = `done ${having('done').length}, told that it is not known ${having('told').length}, given up ${having('given up').length}, lost ${having('lost').length}`;
  must(
    having('lost').length === 0 && (mayTell || having('told').length === 0),
    `${kind.padEnd(8)} ${own.length}: ${counts}`,
  );
  for (const { n, chat, end } of own.filter(({ outcome }) => outcome === 'lost' || (outcome === 'told' && !mayTell)))
    out(`  ${chat.platform.name} ${chat.person} thing ${n}: ${end?.slice(0, 200)}`);
}
const givenUp = things.filter(({ outcome }) => outcome === 'given up');
must(
  givenUp.length <= lateKills,
  `given up ${givenUp.length} (allowed ${lateKills}: kills later than 3 s after a start)`,
);
for (const { n, chat, kind } of givenUp) out(`  ${chat.platform.name} ${chat.person} thing ${n} (${kind})`);
checkBookings(desk);
for (const platform of platforms) checkCopies(platform);
checkJobs();
out(`caught up ${drained} ms after the last start`);
await last.kill();
await Promise.all([...platforms.map((each) => each.close()), llm.close(), desk.close()]);
if (failed) out(`its home is kept: ${home}`);
else fs.rmSync(folder, { recursive: true, force: true });
process.exit(failed ? 1 : 0);

/** An approved action is done once if it was done, and never where nobody heard of it. */
function checkBookings({ booked }: BookingDesk): void {
  const consents = things.filter(({ kind }) => kind === 'consent');
  const twice = consents.filter(({ n }) => (booked.get(String(n)) ?? 0) > 1).length;
  const never = consents.filter(({ n, outcome }) => outcome === 'done' && !booked.has(String(n))).length;
  must(twice === 0 && never === 0, `agreed to and done twice ${twice}, said to be done and not done ${never}`);
}

/** Ends that arrived twice, and files that differ from what was created. */
function checkCopies(platform: Platform): void {
  const own = things.filter(({ chat, outcome }) => chat.platform === platform && outcome === 'done');
  let copies = 0;
  let wrong = 0;
  for (const { n, kind, chat } of own) {
    const answers = platform.answers(chat.place);
    const ends = kind === 'playbook' ? `Step 3 of thing ${n} ` : `Done with thing ${n}.`;
    copies += answers.filter(({ text }) => text.includes(ends)).length - 1;
    if (kind !== 'file') continue;
    const files = answers.flatMap((each) => each.files).filter(({ name }) => name === `out-${n}.txt`);
    if (files.length === 0 || files.some((file) => platform.bytes(file).toString() !== contentOf(n))) wrong++;
    copies += Math.max(0, files.length - 1);
  }
  // Each kill can interrupt at most one send in each chat.
  const allowed = platform.name === 'telegram' ? KILLS * PEOPLE.length : 0;
  const line = `answers or files that came twice ${copies} (allowed ${allowed}), files missing or not as made ${wrong}`;
  must(copies <= allowed && wrong === 0, `${platform.name.padEnd(8)} ${line}`);
}

function checkJobs(): void {
  const slots = lastSlot - firstSlot;
  let missing = 0;
  let twice = 0;
  let left = 0;
  for (const { platform, file } of jobs()) {
    const came = reports(platform, file) - (told.get(file) ?? 0);
    twice += platform.name === 'telegram' ? 0 : Math.max(0, came - slots);
    if (came >= slots) continue;
    // A job that is still working at its next slot skips that slot, and says so.
    const { lastSkip } = JSON.parse(fs.readFileSync(path.join(home, 'spool', 'jobs', `${file}.json`), 'utf8'));
    const isLeft = lastSkip?.reason === 'busy' && lastSkip.slot >= firstSlot * MINUTE;
    left += isLeft ? 1 : 0;
    missing += slots - came - (isLeft ? 1 : 0);
  }
  const counts = `reports missing ${missing}, twice ${twice}, left out since the one before was at work ${left}`;
  must(missing === 0 && twice === 0, `${jobs().length} jobs, ${slots} slots each: ${counts}`);
}
