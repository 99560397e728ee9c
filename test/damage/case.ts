/** One cell of the table: a home with one damaged file is started, people write, and what they and the operator get is judged. */

import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '../../src/errors.ts';
import { quiet } from '../kit/quiet.ts';
import type { DamageKind } from './damages.ts';
import { ALEX, type DamageWorld, SAM } from './world.ts';

export interface FileKind {
  name: string;
  /** Relative to the home. */
  file: string;
  /** `words`: people's own text. `derived`: made anew from others. `folder`: it should be one. */
  is: 'json' | 'lines' | 'words' | 'derived' | 'folder';
  /** The damage that makes it one that holds nothing. */
  isEmpty?: '[]' | '{}';
  /** Of what waits in the home, what this file holds. */
  holds?: readonly string[];
  /** Damages that leave something that says what it is to say. */
  except?: readonly string[];
  /** It is refused at the start by name. */
  mayRefuse?: true;
}

export type Verdict = 'ok' | 'said' | 'refused' | 'SILENCE' | 'LOSS' | 'DEAD';

export interface CaseResult {
  verdict: Verdict;
  detail: string;
}

/** Guards against hanging alone: how long a start takes is for the machine to say, and only a bad cell waits as long. */
const HANG_MS = 120_000;
const COMMANDS = ['/tasks', '/link', '/memory', '/jobs', '/status', '/artifacts', '/skills', '/board', '/open falcon'];
let serial = 0;

const within = async (work: Promise<void>): Promise<string | undefined> => {
  // Against hanging only.
  const late = sleep(HANG_MS, 'nothing within the time', { ref: false });
  return Promise.race([
    work.then(
      () => undefined,
      (error: unknown) => errorMessage(error) || 'failed',
    ),
    late,
  ]);
};

/** Those of the texts that the owner's or the other person's chat shows by then. */
async function heard(world: DamageWorld, person: number, from: number, wanted: string[]): Promise<string[]> {
  const until = Date.now() + HANG_MS;
  for (;;) {
    const texts = world.telegram.chat(person).messages.filter(({ id, from: who }) => who === 'bot' && id > from);
    const missing = wanted.filter((each) => !texts.some(({ text }) => new RegExp(each).test(text)));
    if (missing.length === 0 || Date.now() > until) return missing;
    // It looks now and then.
    await sleep(15);
  }
}

const newest = (world: DamageWorld, person: number) => world.telegram.chat(person).messages.at(-1)?.id ?? 0;

export async function runCase(world: DamageWorld, kind: FileKind, damage: DamageKind): Promise<CaseResult> {
  const target = path.join(world.home, kind.file);
  damage.apply(target);
  // Nobody is editing it.
  if (fs.lstatSync(target).isFile()) fs.utimesSync(target, new Date(1e12), new Date(1e12));
  const isNoMatter = damage.name === 'no rights' && process.getuid?.() === 0;
  const before = { alex: newest(world, ALEX), sam: newest(world, SAM) };
  const failed = await within(world.start());
  const name = path.basename(kind.file).replace(/^\d{4}-\d\d-\d\d$/, kind.file);
  if (failed !== undefined) {
    await within(world.stop());
    return {
      verdict: kind.mayRefuse && (failed.includes(name) || /^(model|providers)[.:]/.test(failed)) ? 'refused' : 'DEAD',
      detail: failed,
    };
  }
  const n = ++serial;
  world.telegram.say(ALEX, `hello ${n}`);
  world.telegram.say(SAM, `sam ${n}`);
  const left = ['new', 'cur', 'out'].filter((state) => !kind.holds?.includes(state)).map((state) => `left in ${state}`);
  const isYaml = kind.file.endsWith('.yaml');
  const [alex, sam] = await Promise.all([
    heard(world, ALEX, before.alex, [isYaml ? `hello ${n}$|${name}` : `hello ${n}$`, ...(isYaml ? [] : left)]),
    heard(world, SAM, before.sam, [isYaml ? `sam ${n}$|${name}` : `sam ${n}$|I've lost the list|I don't know you yet`]),
  ]);
  let mute = '';
  for (const command of COMMANDS) {
    const failure = await within(world.ask(ALEX, command, '', HANG_MS).then(() => undefined));
    if (failure !== undefined) mute = command;
  }
  const find = () => {
    const lines = world.logs.filter(({ level }) => Number(level) >= 40).map((line) => JSON.stringify(line));
    return [...lines, ...world.said()].find((line) => line.includes(name));
  };
  await quiet();
  // What is told of may have been set aside.
  const isNothing = isNoMatter || (find() === undefined && isHarmless(kind, damage, target));
  // People's own texts are looked through a moment after the start; it looks now and then.
  for (const until = Date.now() + HANG_MS; !isNothing && find() === undefined && Date.now() < until; ) await sleep(50);
  const words = find();
  const faults = world.logs.filter(({ level }) => Number(level) >= 50).map(({ msg }) => String(msg));
  const stopped = await within(world.stop());
  const detail = words ?? faults.join('; ');
  if (alex.length + sam.length > 0 || mute !== '')
    return {
      verdict: 'LOSS',
      detail: `missing ${[...alex, ...sam, mute].join(', ')} | ${faults.join('; ')} | ${detail}`,
    };
  if (stopped !== undefined) return { verdict: 'DEAD', detail: `stop: ${stopped}` };
  if (words !== undefined) return { verdict: 'said', detail };
  return { verdict: isNothing ? 'ok' : 'SILENCE', detail };
}

/** Nothing can be found wrong with it, or nothing is lost by it. */
function isHarmless(kind: FileKind, damage: DamageKind, target: string): boolean {
  if (kind.is === 'derived') return true;
  // It is given its rights back.
  if (kind.is === 'folder' && damage.name === 'no rights') return true;
  if (kind.is === 'words') return damage.isWords === true;
  // Nobody can tell an empty list or map from one to which nothing was added yet.
  if (kind.isEmpty === damage.name) return true;
  // In a word, or in the blanks that fill up a record.
  const isSmall = damage.name === 'flipped' || damage.name === 'cut';
  if (kind.is === 'json' && isSmall) return parses(fs.readFileSync(target, 'utf8'));
  if (kind.is === 'lines' && isSmall) return fs.readFileSync(target, 'utf8').trim().split('\n').every(parses);
  return false;
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
