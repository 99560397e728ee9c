/** The search of earlier conversations: against a plain scan, through damage, and never more than a person may see. */
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Principal } from '../../../src/access/principal.ts';
import type { Address } from '../../../src/channels/channel.ts';
import { wordsOfLine } from '../../../src/features/memory/history/index-db.ts';
import { countFound, readQuery, snippetOf } from '../../../src/features/memory/history/query.ts';
import { type HistoryRules, HistorySearch } from '../../../src/features/memory/history/search.ts';
import { mayHear } from '../../../src/runtime/contract/hearing.ts';
import { isListedFor, mayOpen, maySee, type Viewpoint } from '../../../src/runtime/conversations/visibility.ts';
import type { Home } from '../../../src/workspace/home.ts';
import { openTask } from '../../../src/workspace/tasks/index.ts';
import { saveTask } from '../../../src/workspace/tasks/record.ts';
import type { SessionEntry, TaskRecord } from '../../../src/workspace/types.ts';
import { ownTime } from '../../helpers/own-time.ts';
import { newHome } from '../../workspace/home-helper.ts';

const ALL: HistoryRules = { maySee: () => true, mayHear: () => true };
const EACH_TASK = 4;
const MANY = 1_000;

const idOf = (n: number): string => `20260101-${String(n).padStart(5, 'a')}`;
const atOf = (n: number): string => new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString();

interface Said {
  run: string;
  text: string;
  user?: string;
  isGroup?: boolean;
  isJob?: boolean;
}
let clock = 0;
const said = ({ run, text, user = 'telegram:1', isGroup, isJob }: Said): SessionEntry => ({
  ...{ type: 'message', id: `m${++clock}`, run, at: atOf(clock), text, files: [] },
  from: { channel: 'telegram', user, name: user },
  ...(isGroup && { isGroup }),
  ...(isJob && { isJob }),
});
const answered = (run: string, text: string): SessionEntry => ({
  ...{ type: 'result', run, at: atOf(++clock), state: 'completed', text, summary: '', artifactRefs: [] },
});
const tool = (run: string, text: string): SessionEntry => ({
  ...{ type: 'step', run, at: atOf(++clock), index: 0 },
  messages: [{ role: 'assistant', content: [{ type: 'text', text }] }],
});

const task = (n: number, more: Partial<TaskRecord> = {}): TaskRecord => ({
  ...{ id: idOf(n), viber: 'default', goal: 'g', title: `Task ${n}`, state: 'completed', runs: 1 },
  ...{ people: ['telegram:1'], conversations: [], createdAt: atOf(0), updatedAt: atOf(0) },
  ...more,
});

async function openWorld() {
  const home = await newHome();
  const open = () => {
    const search = new HistorySearch(home, 'default');
    onTestFinished(() => search.close());
    return search;
  };
  const add = async (n: number, entries: SessionEntry[], more: Partial<TaskRecord> = {}) => {
    if (!openTask(home, idOf(n)).record()) await saveTask(home, task(n, more));
    await openTask(home, idOf(n), 'default').session.append(entries);
  };
  return { home, open, add, search: open(), file: path.join(home.cache, 'history/default.sqlite') };
}

/** All lines of all sessions that fit, by reading them. */
function scan(home: Home, query: string): string[] {
  const sought = readQuery(query);
  const names = fs.readdirSync(path.join(home.agents, 'default/sessions')).filter((name) => name.endsWith('.jsonl'));
  const lines = names.flatMap((name) => {
    const id = name.replace('.jsonl', '');
    if (!openTask(home, id).record()) return [];
    const found = openTask(home, id, 'default').session.tail({ maxBytes: 100_000_000 });
    return found.flatMap((entry) => {
      const text = wordsOfLine(entry);
      return text === undefined ? [] : [{ key: `${id} ${'at' in entry ? entry.at : ''}`, n: countFound(sought, text) }];
    });
  });
  const whole = lines.filter(({ n }) => n === sought.length && n > 0);
  return (whole.length > 0 ? whole : lines.filter(({ n }) => n > 0)).map(({ key }) => key).sort();
}

const keysOf = (hits: Awaited<ReturnType<HistorySearch['find']>>['hits']): string[] =>
  hits.map(({ task: { id }, entry }) => `${id} ${entry.at}`).sort();

describe('a query', () => {
  it.each([
    ['invoice', 'The invoices are paid', 1],
    ['paid invoice', 'The invoices are paid', 2],
    ['"invoice"', 'The invoices are paid', 0],
    ['"are paid"', 'The invoices are paid', 1],
    ['"paid are"', 'The invoices are paid', 0],
    ['are', 'around', 0],
    ['über', 'Uber fährt', 1],
    ['烤鸭', '我们吃了北京烤鸭，很好', 1],
    ['鸭', '北京烤鸭', 1],
    ['京烤', '北京烤鸭', 1],
    ['鸭烤', '北京烤鸭', 0],
    ['ラーメン', '昨日ラーメンを食べた', 1],
    ['v1.2.3', 'released v1.2.3 today', 1],
    ['AND OR NOT ( * "', 'and or not', 3],
    ['lines_fts MATCH', 'nothing', 0],
  ])('%j finds so many of its words in %j', (query, text, n) => {
    expect(countFound(readQuery(query), text)).toBe(n);
  });

  it('shows the words with what is around them, on one line and without what nobody sees', () => {
    const text = `${'before '.repeat(100)}the\nneedle\u202e here ${'after '.repeat(100)}`;
    const shown = snippetOf(text, readQuery('needle'));
    expect(shown).toMatch(/^… .*the needle here .* …$/);
    expect(shown.length).toBeLessThan(500);
  });
});

describe('the index', () => {
  it('finds what people said and the answers, not what tools told, the best and the newest first', async () => {
    const { add, search } = await openWorld();
    await add(1, [
      said({ run: 'a', text: 'Where is the walrus now, Al?' }),
      tool('a', 'walrus tool'),
      answered('a', 'It sleeps.'),
    ]);
    await add(2, [said({ run: 'b', text: 'hi' }), answered('b', 'The walrus is at the zoo.')]);
    const { hits, isPartial } = await search.find('walrus', ALL, 10);
    expect(isPartial).toBe(false);
    expect(hits.map(({ task: { title }, entry, text }) => [title, entry.type, text])).toEqual([
      ['Task 2', 'result', 'The walrus is at the zoo.'],
      ['Task 1', 'message', 'Where is the walrus now, Al?'],
    ]);
  });

  it('has the newest words of a task that is being written to, and no deleted task', async () => {
    const { home, add, search } = await openWorld();
    for (let n = 1; n <= 150; n++) await add(n, [said({ run: `r${n}`, text: `word${n} common` })]);
    expect((await search.find('word1', ALL, 50)).hits.length).toBeGreaterThan(0);
    // One of the oldest goes on.
    await add(1, [said({ run: 'new', text: 'quokka' })]);
    expect(keysOf((await search.find('quokka', ALL, 5)).hits)).toHaveLength(1);
    await openTask(home, idOf(1)).remove();
    expect((await search.find('quokka', ALL, 5)).hits).toEqual([]);
    await search.refresh();
    expect((await search.find('quokka', ALL, 5)).hits).toEqual([]);
  });

  it('says what a plain scan says, whatever is written, rewritten, deleted or damaged in between', async () => {
    const words = ['alpha', 'beta', 'gamma', 'delta', '北京', '烤鸭', 'épée', 'a-b'];
    const sentence = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 }).map((all) => all.join(' '));
    const command = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({ kind: fc.constant('add' as const), n: fc.integer({ min: 1, max: 4 }), text: sentence }),
      },
      fc.record({
        kind: fc.constantFrom('delete' as const, 'rewrite' as const, 'cut' as const, 'torn' as const),
        n: fc.integer({ min: 1, max: 4 }),
        text: sentence,
      }),
      fc.record({
        kind: fc.constantFrom('damage' as const, 'lose' as const, 'reopen' as const),
        n: fc.constant(0),
        text: fc.constant(''),
      }),
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constant('find' as const),
          n: fc.constant(0),
          text: fc.oneof(
            sentence,
            sentence.map((text) => `"${text}"`),
          ),
        }),
      },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 25 }), async (commands) => {
        const world = await openWorld();
        const { home, add, file } = world;
        let { search } = world;
        for (const { kind, n, text } of commands) {
          const session = home.sessionPath('default', idOf(n || 1));
          if (kind === 'add') await add(n, [said({ run: `r${clock}`, text }), answered(`r${clock - 1}`, `re ${text}`)]);
          else if (kind === 'delete') await openTask(home, idOf(n)).remove();
          else if (kind === 'rewrite' && fs.existsSync(session))
            fs.writeFileSync(session, fs.readFileSync(session, 'utf8').replaceAll('alpha', 'omega'));
          else if (kind === 'cut' && fs.existsSync(session))
            fs.writeFileSync(session, fs.readFileSync(session, 'utf8').split('\n').slice(0, 2).join('\n').concat('\n'));
          else if (kind === 'torn' && fs.existsSync(session))
            fs.appendFileSync(session, '{"type":"message","id":"x","ru');
          else if (kind === 'damage' && fs.existsSync(file))
            fs.writeFileSync(file, 'this is no database'.repeat(1_000));
          else if (kind === 'lose') fs.rmSync(file, { force: true });
          else if (kind === 'reopen') {
            await search.close();
            search = world.open();
          } else if (kind === 'find') {
            await search.refresh();
            const expected = scan(home, text);
            const { hits } = await search.find(text, ALL, MANY);
            const found = keysOf(hits);
            expect(expected).toEqual(expect.arrayContaining(found));
            const per = Object.groupBy(expected, (key) => key.split(' ')[0] ?? '');
            const most = Object.values(per).reduce((sum, keys) => sum + Math.min(EACH_TASK, keys?.length ?? 0), 0);
            expect(found).toHaveLength(most);
          }
        }
      }),
      { numRuns: 25 },
    );
  });
});

describe('what is found', () => {
  const USERS = ['telegram:1', 'telegram:2', 'discord:3', 'person:alex'];
  const principalOf = (at: number, role: Principal['role']): Principal => {
    const [channel = '', user = ''] = (USERS[at] ?? '').split(':');
    const isLinked = channel === 'person';
    return {
      ...{
        channel: isLinked ? 'telegram' : channel,
        account: '1',
        user: isLinked ? '9' : user,
        name: 'N',
        role,
        via: 'message',
      },
      ...(isLinked && { person: 'alex' }),
    };
  };
  const place = fc.constantFrom('telegram@1:g1', 'telegram@1:g2', 'telegram@1:g1:t1', 'discord@1:c1');
  const addressOf = (text: string): Address => {
    const [channel = '', account = '', chat = '', thread] = text.split(/[@:]/);
    return { channel, account, chat, ...(thread !== undefined && { thread }) };
  };

  it('is never a line that the person could not see by /tasks and /open here, nor one that /export leaves out', async () => {
    const record = fc.record({
      people: fc.uniqueArray(fc.constantFrom(...USERS), { maxLength: 3 }),
      conversations: fc.uniqueArray(place, { maxLength: 3 }),
      isJob: fc.boolean(),
      viber: fc.constantFrom('default', 'other'),
      lines: fc.array(fc.record({ user: fc.constantFrom(...USERS), isGroup: fc.boolean(), isJob: fc.boolean() }), {
        minLength: 1,
        maxLength: 4,
      }),
    });
    const viewpoint = fc.record({
      user: fc.nat(USERS.length - 1),
      role: fc.constantFrom('owner' as const, 'member' as const, 'guest' as const),
      isDirect: fc.boolean(),
      place,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { minLength: 1, maxLength: 5 }),
        fc.array(viewpoint, { minLength: 1, maxLength: 5 }),
        async (records, views) => {
          const { home, add, search } = await openWorld();
          for (const [at, { lines, isJob, ...more }] of records.entries()) {
            const entries = lines.flatMap((line, n): SessionEntry[] => [
              said({ run: `t${at}r${n}`, text: `secret ${at} ${n}`, ...line }),
              answered(`t${at}r${n}`, `secret answer ${at} ${n}`),
            ]);
            await add(at + 1, entries, { ...more, ...(isJob && { job: 'daily' }) });
          }
          for (const { user, role, isDirect, place: at } of views) {
            const view: Viewpoint = {
              principal: principalOf(user, role),
              address: addressOf(at),
              isDirect,
              viber: 'default',
            };
            const { hits } = await search.find(
              'secret',
              { maySee: (each) => isListedFor(view, each), mayHear: (line) => mayHear(view, line) },
              MANY,
            );
            for (const { task: found, entry } of hits) {
              const now = openTask(home, found.id).record();
              expect(now && maySee(view, now) && mayOpen(view, now)).toBe(true);
              expect(now?.viber).toBe('default');
              expect(now?.job).toBeUndefined();
              const asked = openTask(home, found.id, 'default')
                .session.run(entry.run)
                .filter((line) => line.type === 'message');
              const mine = (line: (typeof asked)[number]) =>
                line.isGroup === true ||
                (isDirect &&
                  (role === 'owner' ||
                    isListedFor(
                      { ...view, isDirect: true, principal: { ...view.principal, role: 'member' } },
                      { ...task(0), people: [line.from.user] },
                    )));
              expect(asked.every((line) => line.isJob || mine(line))).toBe(true);
            }
            // A person alone finds all that they said themselves in their own tasks.
            if (isDirect && role !== 'guest') {
              const own = records.flatMap((each, n) =>
                each.viber === 'default' && !each.isJob && each.people.some((name) => name === USERS[user])
                  ? each.lines.filter((line) => line.user === USERS[user] && !line.isJob).map(() => idOf(n + 1))
                  : [],
              );
              for (const id of new Set(own)) expect(hits.some((hit) => hit.task.id === id)).toBe(true);
            }
          }
        },
      ),
      { numRuns: 25 },
    );
  });
});

it('a thousand sessions are indexed without blocking, and found at once', async () => {
  const { home, search } = await openWorld();
  const folder = path.join(home.agents, 'default/sessions');
  for (let n = 1; n <= 1_000; n++) {
    await saveTask(home, task(n), { sync: false });
    const entries = Array.from({ length: 10 }, (_, i) => [
      said({ run: `r${n}-${i}`, text: `common words about topic${n} and thing${i}` }),
      answered(`r${n}-${i}`, `a common answer about topic${n}`),
    ]).flat();
    fs.writeFileSync(
      path.join(folder, `${idOf(n)}.jsonl`),
      entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''),
    );
  }
  await search.refresh();
  const found = await search.find('topic777 thing3', ALL, 5);
  expect(found.hits[0]?.task.id).toBe(idOf(777));
  const times = [];
  for (const query of ['topic500', 'common', 'common answer topic9', '"about topic123"', 'nothing']) {
    const begun = ownTime();
    await search.find(query, ALL, 10);
    times.push(Math.round(ownTime() - begun));
  }
  process.stderr.write(`ms for each query: ${times.join(' ')}\n`);
  expect(Math.max(...times)).toBeLessThan(500);
});
