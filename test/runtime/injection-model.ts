/**
 * What must hold of people who talk to tasks at work, whatever came between: read from what is on the disk and on the platform
 * in the end, and from the order in which things happened.
 */

import fs from 'node:fs';
import { authoriseAction } from '../../src/access/authorise.ts';
import { principalText } from '../../src/access/principal.ts';
import { conversationKey, type OutboundMessage } from '../../src/channels/channel.ts';
import { type Arrival, isBefore } from '../../src/engine/arrival.ts';
import { inspectSpool } from '../../src/engine/local/inspect.ts';
import type { SpoolFile } from '../../src/engine/local/recovery.ts';
import { STEERED } from '../../src/runtime/context/past-run.ts';
import { arrivalOf, type Entry, taskLane, traceOf } from '../../src/runtime/contract/entry.ts';
import type { Home } from '../../src/workspace/home.ts';
import { openTask } from '../../src/workspace/tasks/index.ts';
import type { SessionEntry } from '../../src/workspace/types.ts';

/** In the order of time; what happened after a crash to the gateway that was left behind is not among it. */
export type Happened =
  | { what: 'accepted'; event: string }
  | { what: 'start'; run: string; task: string; heard: string }
  | { what: 'abort' | 'end'; run: string }
  /** Somebody's stop found the lane at work; `underWay` is its session at that moment. It is for what came `before`, or for all. */
  | { what: 'stop'; lane: string; underWay: SessionEntry[]; before: Arrival | undefined }
  /** A stop was taken in, or carried out: until then nothing that comes later steers. */
  | { what: 'hold' | 'free'; lane: string; id: string }
  /** What the platform has was sent again, and not because nobody knew. */
  | { what: 'repeat'; key: string }
  | { what: 'crash' | 'restart' };

export interface Report {
  home: Home;
  happened: readonly Happened[];
  sent: ReadonlyMap<string, { id: string; text: string }>;
}

type Line<T extends SessionEntry['type']> = Extract<SessionEntry, { type: T }>;
type Item = SpoolFile<Entry> & { isDead: boolean };

/** A turn as the session tells it. */
interface Turn {
  run: string;
  task: string;
  items: Item[];
  text: string;
  result: Line<'result'> | undefined;
  /** Which of the session's results that is: a crash may let a later turn end first. */
  ended: number;
  /** With the messages of turns that were steered into it. */
  covers: Item[];
  /** The turn that ended this one's story. */
  final: Turn | undefined;
}

export const word = (event: string): string => `<${event}>`;

/** A session without its header; [] where there is none. */
export function lines(home: Home, task: string): SessionEntry[] {
  const file = home.sessionPath('default', task);
  if (!fs.existsSync(file)) return [];
  const text = fs.readFileSync(file, 'utf8');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line): SessionEntry => JSON.parse(line))
    .filter((entry) => entry.type !== 'session');
}

/** Every rule that was broken, in words. */
export function broken({ home, happened, sent }: Report): string[] {
  const problems: string[] = [];
  const must = (holds: boolean, what: string) => void (holds || problems.push(what));
  const { items, outs } = readSpool(home);
  const byId = new Map(items.map((item) => [item.id, item]));
  const messages = items.filter((item) => !item.message.command);
  const commands = items.filter((item) => item.message.command);
  const name = (item: Item) => `${item.message.message.id} (${traceOf(item.id)})`;
  const tasks = [...new Set(items.map((item) => item.message.taskId))];

  // The lanes are free.
  for (const { state, key } of inspectSpool(home.spool))
    must(state === 'done' || state === 'dead', `${state} is not empty: ${key}`);
  for (const event of happened.flatMap((one) => (one.what === 'accepted' ? [one.event] : []))) {
    must(items.filter((item) => item.message.message.id === event).length === 1, `${event} is not in the spool once`);
  }

  // In the transcript once, with its words; people apart.
  const turns = tasks.flatMap((task) => turnsOf(home, task, byId, must));
  const turnOf = new Map(turns.flatMap((turn) => turn.items.map((item) => [item.id, turn] as const)));
  for (const item of messages) {
    const times = turns.filter((turn) => turn.items.includes(item)).length;
    must(times === 1 || (item.isDead && times === 0), `${name(item)} is in the transcript ${times} times`);
    must(!item.isDead || item.attempts >= 3, `${name(item)} was given up after ${item.attempts} crashes`);
    const { diedAt = '' } = item;
    const hadResult = item.isDead && (turnOf.get(item.id)?.final?.result?.at ?? diedAt) < diedAt;
    must(!hadResult || item.attempts >= 5, `${name(item)} was given up though its run had its result`);
    must(!item.isDead || outs.has(`${item.id}-dead`), `nobody was told that ${name(item)} was given up`);
    must(item.isDead || turnOf.get(item.id)?.final !== undefined, `${name(item)} has no end`);
  }
  for (const turn of turns) {
    for (const item of turn.items) {
      must(turn.text.includes(item.message.message.text), `the words of ${name(item)} are not in its turn`);
      must(item.message.taskId === turn.task, `${name(item)} is in the session of another task`);
    }
    const people = new Set(turn.items.map((item) => principalText(item.message.principal)));
    must(people.size <= 1, `${[...people].join(' and ')} are in one turn`);
  }

  // One answer to each conversation of a turn, none of a stopped one.
  const expected = new Map<string, Turn>();
  for (const turn of turns) {
    if (turn.result === undefined || turn.result.error === STEERED || turn.result.state === 'stopped') continue;
    const living = turn.covers.filter((item) => !item.isDead);
    const newest = new Map(living.map((item) => [conversationKey(item.message.message.address), item]));
    for (const item of newest.values()) expected.set(item.id, turn);
  }
  for (const [id, turn] of expected) {
    // A trace is for errors that an owner must look into; the others are told in the words that the session holds.
    const told = turn.result?.state === 'completed' ? `re ${turn.run}` : (turn.result?.text ?? '');
    must(
      told !== '' && outs.get(id)?.text.includes(told) === true,
      `${traceOf(id)} should be told of ${turn.run}: ${outs.get(id)?.text}`,
    );
  }
  for (const item of commands) must(item.isDead || outs.has(item.id), `the command ${name(item)} has no answer`);
  for (const [id, { text }] of outs) {
    const item = byId.get(id);
    must(
      !item || expected.has(id) || commands.includes(item) || item.isDead,
      `${traceOf(id)} is one answer too many: ${text}`,
    );
    must(sent.has(`${id}:0`), `${traceOf(id)} never reached the platform`);
  }
  for (const one of happened) must(one.what !== 'repeat', `sent twice: ${JSON.stringify(one)}`);
  must(sent.size === outs.size, `${sent.size} messages on the platform, ${outs.size} in the outbox`);

  for (const task of tasks) {
    const record = openTask(home, task).record();
    const own = turns.filter((turn) => turn.task === task);
    const answered = own.filter(({ result }) => result !== undefined && result.error !== STEERED);
    const last = answered.sort((a, b) => a.ended - b.ended).at(-1)?.result;
    // What was given up since then has failed, unless what is left of the last run was noted after it.
    const died = items.filter((item) => item.isDead && item.message.taskId === task);
    const hasFailed = died.some(({ diedAt = '' }) => last === undefined || diedAt >= last.at);
    const states = [...(last ? [last.state] : []), ...(hasFailed ? ['error'] : [])];
    if (record && states.length > 0)
      must(states.includes(record.state), `${task} is ${record.state} after a run that ${last?.state}`);
    const ofTask = items.filter((item) => item.message.taskId === task);
    for (const [index, { id, seq, message, isDead }] of ofTask.entries()) {
      // What was given up before its task had a record began that, even where a later message has made the record.
      const hasBegun = !record || (isDead && index === 0);
      const people = hasBegun ? [principalText(message.principal)] : record.people;
      const may = message.message.isDirect || authoriseAction(message.principal, 'steer', people);
      must(may || message.mode === undefined, `${traceOf(id)} may not steer and has the mode ${message.mode} (${seq})`);
      const stops = message.command?.name === 'stop' && !may;
      must(!stops || !outs.get(id)?.text.startsWith('Stopped'), `${traceOf(id)} stopped a task of others`);
    }
    // Each person's followups are taken up as they came.
    const followups = own
      .flatMap((turn) => turn.items)
      .filter((item) => item.message.mode === undefined && item.attempts === 0);
    for (const person of new Set(followups.map((item) => principalText(item.message.principal)))) {
      const order = followups
        .filter((item) => principalText(item.message.principal) === person)
        .map((item) => item.seq);
      must(
        order.every((seq, i) => i === 0 || seq > (order[i - 1] ?? 0)),
        `followups of ${person} are out of order in ${task}`,
      );
    }
  }
  inTime(happened, { items, turns, turnOf, must, name });
  return problems;
}

interface Found {
  items: readonly Item[];
  turns: readonly Turn[];
  turnOf: ReadonlyMap<string, Turn>;
  must: (holds: boolean, what: string) => void;
  name: (item: Item) => string;
}

/** What must hold at the moment something happens. */
function inTime(happened: readonly Happened[], { items, turns, turnOf, must, name }: Found): void {
  const turnNamed = new Map(turns.map((turn) => [turn.run, turn]));
  const byEvent = new Map(items.map((item) => [item.message.message.id, item]));
  const at = (what: Happened['what'], run: string, from = 0) =>
    happened.findIndex((one, i) => i >= from && one.what === what && 'run' in one && one.run === run);
  const isCut = (from: number, to: number) =>
    happened.slice(from, to < 0 ? undefined : to).some((one) => one.what === 'crash');
  const restarts = happened.some((one) => one.what === 'restart');
  /** Runs of the agent that are under way at a moment. */
  const underWay = (task: string, moment: number) => {
    const open = new Map<string, { isAborted: boolean }>();
    for (const one of happened.slice(0, moment)) {
      if (one.what === 'crash' || one.what === 'restart') open.clear();
      else if (one.what === 'start' && one.task === task) open.set(one.run, { isAborted: false });
      else if (one.what === 'end') open.delete(one.run);
      else if (one.what === 'abort' && open.has(one.run)) open.set(one.run, { isAborted: true });
    }
    return open;
  };
  for (const [moment, one] of happened.entries()) {
    if (one.what === 'start') {
      const turn = turnNamed.get(one.run);
      for (const { result } of turns.filter((each) => each !== turn && each.final === turn)) {
        must(one.heard.includes(result?.text ?? ''), `the run ${one.run} does not know what was cut off before`);
      }
      for (const item of turn?.covers ?? []) {
        if (item.isDead) continue;
        must(one.heard.includes(item.message.message.text), `the run ${one.run} did not hear ${name(item)}`);
      }
    }
    if (one.what === 'stop') {
      const task = one.lane.slice(taskLane('').length);
      const { before } = one;
      const isMeant = (item: Item) => before === undefined || isBefore(arrivalOf(item), before);
      const done = new Set(one.underWay.flatMap((line) => (line.type === 'result' ? [line.run] : [])));
      // A crash before anything else begins may leave nobody who remembers it.
      const next = happened.findIndex((later, i) => i > moment && later.what === 'start' && later.task === task);
      for (const run of underWay(task, moment).keys()) {
        if (done.has(run) || isCut(moment, next)) continue;
        // Until the stop was stored something later may have begun, or gone on from what it was meant for: that is answered.
        if (!turnNamed.get(run)?.covers.every(isMeant)) continue;
        const end = turnNamed.get(run)?.final?.result?.state;
        must(end === 'stopped', `${run} was stopped and is ${end}`);
      }
    }
    const item = one.what === 'accepted' ? byEvent.get(one.event) : undefined;
    const turn = item && turnOf.get(item.id);
    if (!item || !turn || item.message.command || item.attempts > 1) continue;
    const { mode, taskId } = item.message;
    const held = new Set<string>();
    for (const before of happened.slice(0, moment)) {
      if (before.what === 'hold' && before.lane === taskLane(taskId)) held.add(before.id);
      if (before.what === 'free') held.delete(before.id);
      if (before.what === 'crash' || before.what === 'restart') held.clear();
    }
    if (mode === 'steer' && held.size === 0) {
      // It is handed out before its sender knows that it is stored: a later turn under way goes on from its own.
      for (const [run, { isAborted }] of underWay(taskId, moment)) {
        const at = turns.findIndex((one) => one.run === run);
        const { final } = turns[at] ?? {};
        const told = turns.slice(0, at + 1).filter((each) => each.run === run || (final && each.final === final));
        const mayEnd = mayAnswerFor(
          item,
          told.flatMap((each) => each.items),
        );
        must(isAborted || at >= turns.indexOf(turn) || !mayEnd, `${name(item)} did not end the run ${run}`);
      }
      // Nothing that waits goes first.
      const taken = at('start', turn.run, moment);
      // But for what was part of a crash, and waits until no other such message is worked on.
      for (const other of taken < 0 || item.attempts > 0 ? [] : happened.slice(moment, taken)) {
        if (other.what !== 'start' || other.task !== taskId || other.run === turn.run) continue;
        const heads = turnNamed.get(other.run)?.items ?? [];
        must(
          heads.some((head) => head.message.mode === 'steer'),
          `${other.run} went before ${name(item)}`,
        );
      }
    }
    if (mode === 'collect') {
      const [run] = [...underWay(taskId, moment).keys()];
      if (run === undefined || run === turn.run || isCut(0, -1) || restarts) continue;
      const end = at('end', run, moment);
      const buffer = happened
        .slice(moment, end)
        .flatMap((later) => (later.what === 'accepted' ? [byEvent.get(later.event)] : []));
      for (const next of buffer) {
        const isTheirs = next && principalText(next.message.principal) === principalText(item.message.principal);
        if (!isTheirs || next.message.taskId !== taskId || next.message.mode !== 'collect' || next.message.command)
          continue;
        must(turnOf.get(next.id) === turn, `${name(item)} and ${name(next)} should be one turn`);
      }
    }
  }
}

function turnsOf(home: Home, task: string, byId: ReadonlyMap<string, Item>, must: Found['must']): Turn[] {
  const turns = new Map<string, Turn>();
  const calls = new Set<string>();
  const all = lines(home, task);
  /** The lines of a run before its result. */
  const own = (run: string) => all.filter((line) => 'run' in line && line.run === run && line.type !== 'result');
  for (const line of all) {
    if (line.type === 'session' || line.type === 'compaction') continue;
    const { run } = line;
    const turn = turns.get(run) ?? {
      ...{ run, task, items: [], text: '', covers: [], ended: -1 },
      result: undefined,
      final: undefined,
    };
    turns.set(run, turn);
    if (line.type === 'message') {
      const ids = [line.id, ...(line.also ?? [])];
      turn.items.push(...ids.flatMap((id) => byId.get(id) ?? []));
      turn.text += line.text;
    }
    if (line.type === 'step') {
      must(turn.result === undefined, `the run ${run} goes on after its end`);
      const key = `${run} ${line.index}`;
      must(!calls.has(key), `the step ${key} was done twice`);
      calls.add(key);
    }
    if (line.type !== 'result') continue;
    must(turn.result === undefined, `the run ${run} has two results`);
    if (line.state === 'stopped') {
      const [last] = own(run).slice(-1);
      const isTold = line.text.includes('may or may not have happened');
      must((last?.type === 'call') === isTold, `${run} was cut off in ${last?.type} and tells: ${line.text}`);
    }
    turn.result = line;
    turn.ended = all.indexOf(line);
  }
  // In the order in which they were begun, which crashes keep.
  let carried: Turn[] = [];
  for (const turn of turns.values()) {
    if (turn.result === undefined) continue;
    carried.push(turn);
    turn.covers = carried.flatMap((each) => each.items);
    if (turn.result.error === STEERED) continue;
    for (const each of carried) each.final = turn;
    carried = [];
  }
  return [...turns.values()];
}

function readSpool(home: Home): { items: Item[]; outs: Map<string, OutboundMessage> } {
  const items: Item[] = [];
  const outs = new Map<string, OutboundMessage>();
  for (const { state, value } of inspectSpool(home.spool)) {
    // What this gateway wrote: an answer has a key, a message an id.
    const stored = value as { key?: string; message: OutboundMessage } & Item;
    if (stored.key !== undefined) outs.set(stored.key, stored.message);
    else items.push({ ...stored, isDead: state === 'dead' });
  }
  return { items: items.sort((a, b) => a.seq - b.seq), outs };
}

/** A guest's run is not shown what others have said in private, so that it answers for none of it. */
function mayAnswerFor({ message: { principal } }: Item, covered: readonly Item[]): boolean {
  if (principal.role !== 'guest') return true;
  const isSame = (other: Item) => principalText(other.message.principal) === principalText(principal);
  return covered.every((other) => !other.message.message.isDirect || isSame(other));
}
