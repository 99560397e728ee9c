import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { run } from '../../src/cli/queue.ts';
import { traceOf } from '../../src/cli/trace/events.ts';
import { openSpool } from '../../src/engine/local/spool.ts';
import { openStore } from '../../src/engine/local/store.ts';
import { messagesIn } from '../../src/messages/messages.ts';
import { printed } from '../helpers/cli.ts';
import { put, tempFolder, tree } from '../helpers/temp.ts';

const queue = async (home: string, json = false) => {
  const { code, lines } = await printed(run, home, { json });
  expect(code).toBe(0);
  return lines;
};
const words = (text: string) => ({ message: { text }, taskId: 't' });

it('viber queue tells what waits, is in work, is to be sent, unsure and given up, while a gateway writes', async () => {
  const home = tempFolder();
  const store = openStore({ root: path.join(home, 'spool'), freeBytes: 0, segmentBytes: 200 });
  expect(await queue(home)).toEqual(['Nothing is waiting, and nothing was given up.']);
  const by = { person: 'alex', isOwner: true };
  const spool = await openSpool<ReturnType<typeof words>>({ store, onDead: () => undefined });
  const put = (lane: string, text: string) => spool.enqueue(lane, words(text), { by, dedupeId: text });
  await put('task:1', 'finished');
  const first = await spool.claim('task:');
  if (first)
    await spool.ack(
      first,
      first.items.map(({ id }) => id),
    );
  await put('task:1', 'one\nand the rest');
  await put('task:1', 'x'.repeat(500));
  await spool.claim('task:');
  const address = { channel: 'telegram', account: 'bot', chat: '1001' };
  const answer = (key: string) => ({
    ...{ key, trace: 'trace-of-it', createdAt: Date.now() - 3_600_000 * 5, seq: 1, sending: false },
    message: { id: key, address, text: `answer ${key}`, files: [] },
  });
  await store.put('out', 'a1', answer('a1'));
  await store.put('unsure', 'a2', { ...answer('a2'), reason: 'it is not known' });
  await store.put('dead', 'a3', { ...answer('a3'), reason: 'bot was blocked' });
  const before = tree(home);
  const lines = await queue(home);
  expect(lines).toEqual([
    expect.stringMatching(/^waiting {4} +\d+ s {2}[0-9a-f]{12} {2}task:1 {2}"x{20,}…"$/),
    expect.stringMatching(/^in progress +\d+ s {2}[0-9a-f]{12} {2}task:1 {2}"one and the rest"$/),
    'to be sent      5 h  trace-of-it  telegram 1001  "answer a1"',
    'unsure          5 h  trace-of-it  telegram 1001  "answer a2"  it is not known',
    'given up        5 h  trace-of-it  telegram 1001  "answer a3"  bot was blocked',
    expect.stringMatching(/^To send it again, use the Health page of the Board: \S*viber board/),
  ]);
  const [text = ''] = await queue(home, true);
  const { queue: rows } = JSON.parse(text) as { queue: { state: string; lane: string }[] };
  expect(rows.map(({ state }) => state)).toEqual(['waits', 'in work', 'to be sent', 'unsure', 'given up']);
  expect(tree(home)).toEqual(before);
  await expect(queue(tempFolder())).rejects.toThrow('no gateway has run there');
  expect(fs.existsSync(path.join(home, 'spool', 'new'))).toBe(false);
});

it('viber queue and viber trace pass over a pipe, and tell of the rest', async () => {
  const home = tempFolder();
  const at = '2026-01-31T10:00:00.000Z';
  const message = { text: 'hello', taskId: '20260131-aaaaa', viber: 'default' };
  const given = { id: 'abc', lane: 'task:1', acceptedAt: at, message, deadReason: 'it fails' };
  const write = (file: string, text: string) => put(home, file, text);
  write('spool/dead/abc.json', JSON.stringify(given));
  write('spool/ledger/2026-01-31.jsonl', `${JSON.stringify({ key: 'abc', part: 0, what: 'sent', epoch: 1, at })}\n`);
  const pipes = [
    ...['spool/dead/pipe.json', 'spool/unsure/pipe.json', 'spool/ledger/2026-01-30.jsonl'],
    'agents/default/sessions/20260131-aaaaa.jsonl',
  ];
  for (const file of pipes) {
    fs.mkdirSync(path.dirname(path.join(home, file)), { recursive: true });
    execFileSync('mkfifo', [path.join(home, file)]);
  }
  expect(await queue(home)).toEqual([expect.stringContaining('it fails'), expect.stringContaining('again')]);
  const trace = traceOf(home, 'abc');
  expect([trace.files.map(({ file }) => file), trace.ledger.length]).toEqual([['spool/dead/abc.json'], 1]);
  const shown = (language: string) =>
    trace.events.map(({ detail }) => messagesIn(language).said(detail)).filter((text) => text !== '');
  expect(shown('en')).toEqual(['from  in task:1, now dead, given up: it fails', 'part 0']);
  expect(shown('de')).toEqual(['von  in task:1, jetzt dead, aufgegeben: it fails', 'Teil 0']);
});
