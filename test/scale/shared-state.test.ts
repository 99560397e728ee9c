/** What one process has noted holds in the others at once: tasks of people, choices, questions, digests, daily limits, cursors. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Address } from '../../src/channels/channel.ts';
import { Costs } from '../../src/features/costs/costs.ts';
import { serialise, shareLocks } from '../../src/lib/locks.ts';
import { createLog } from '../../src/log.ts';
import { openConversationSettings, openConversations } from '../../src/runtime/conversations/conversations.ts';
import { Digests } from '../../src/runtime/conversations/digests.ts';
import { ExpectedAnswers } from '../../src/runtime/conversations/expected.ts';
import { openReadCursors } from '../../src/runtime/conversations/read-cursors.ts';
import { openHome } from '../../src/workspace/home.ts';
import { hasRedis, WITHOUT_REDIS } from '../helpers/redis.ts';
import { tempFolder } from '../helpers/temp.ts';
import { ask, waitFor } from '../platforms/platform.ts';
import { openFleet } from './fleet.ts';

const log = createLog({ level: 'silent', pretty: false, write: () => undefined });
const address: Address = { channel: 'slack', account: 'T1', chat: 'D1' };
/** A folder in which several processes work. */
function sharedFolder(): string {
  const folder = tempFolder();
  onTestFinished(shareLocks(folder, (name, work) => serialise(`${folder} ${name}`, work)));
  return folder;
}
const two = <T>(open: () => T): [T, T] => [open(), open()];

describe('two processes on one home', () => {
  it('know at once which task a conversation is about, and which conversations a task has', async () => {
    const folder = sharedFolder();
    const [one, other] = two(() => openConversations(folder));
    const bind = (taskId: string) => ({ key: 'person:alex', taskId, viber: 'default', address, isDirect: true });
    expect(other.get('person:alex')).toBeUndefined();
    for (const taskId of ['20260101-aaaaa', '20260101-bbbbb']) {
      const binding = one.bind(bind(taskId));
      expect(one.get('person:alex')?.taskId).toBe(taskId);
      await binding;
      expect(other.get('person:alex')?.taskId).toBe(taskId);
      expect(other.bound(taskId)).toHaveLength(1);
    }
    await other.bind(bind('20260101-ccccc'));
    expect(one.get('person:alex')?.taskId).toBe('20260101-ccccc');
  });

  it('hold to what was chosen, and to what the next words answer', async () => {
    const folder = sharedFolder();
    const [one, other] = two(() => openConversationSettings(folder, () => ({})));
    expect(other.get(address)).toEqual({});
    await one.set(address, { live: 'off' });
    await other.set(address, { queue: 'collect' });
    expect([one.get(address), other.get(address)]).toEqual(two(() => ({ live: 'off', queue: 'collect' })));

    const file = path.join(folder, 'expected.json');
    const [asking, hearing] = two(() => new ExpectedAnswers(file));
    asking.set(address, 'slack:U1', { command: 'approve', args: 'x when' });
    expect(hearing.get(address, 'slack:U1')).toEqual({ command: 'approve', args: 'x when' });
    hearing.clear(address, 'slack:U1');
    expect(asking.get(address, 'slack:U1')).toBeUndefined();
  });

  it('know what a job has said, whichever has sent it, and show it once', async () => {
    const folder = sharedFolder();
    const [one, other] = two(() => new Digests(folder));
    const digest = { taskId: '20260101-aaaaa', viber: 'default', name: 'Digest', files: [] };
    expect(other.of({ address, repliesTo: '7' })).toBeUndefined();
    await one.note({ id: 'm', address, text: 'Sales are up.', files: [], digest }, '7');
    expect(other.of({ address, repliesTo: '7' })).toEqual(digest);
    expect(one.unseen(address, '20260101-bbbbb')).toHaveLength(1);
    expect(other.unseen(address, '20260101-bbbbb')).toHaveLength(1);
    await other.shown(address, '20260101-bbbbb');
    expect(one.unseen(address, '20260101-bbbbb')).toEqual([]);
  });

  it('count one daily limit, each call once', async () => {
    const home = await openHome(sharedFolder());
    const options = { home, limits: { tokensPerPersonPerDay: 100 }, prices: {}, currency: 'USD', log };
    const [one, other] = two(() => new Costs(options));
    const call = { ms: 1, run: 'r', task: 't', person: 'p', model: 'm', inputTokens: 30, outputTokens: 0 };
    for (const costs of [one, other, one]) {
      expect([one.check('p'), other.check('p')]).toEqual([undefined, undefined]);
      costs.add(call);
    }
    expect([one.today('p').inputTokens, other.today('p').inputTokens]).toEqual([90, 90]);
    expect(other.ofRun('r')?.inputTokens).toBe(90);
    other.add(call);
    expect(one.check('p')).toMatchObject({ of: 'person', used: 120 });
    // A third that starts now, and what is no line.
    fs.appendFileSync(path.join(home.root, 'usage', `${new Date().toISOString().slice(0, 10)}.jsonl`), 'torn\n');
    expect(new Costs(options).check('p')).toMatchObject({ used: 120 });
    expect(one.isTold('p', { setting: 'limits.tokensPerPersonPerDay' } as never, 'run-1')).toBe(true);
    expect(other.isTold('p', { setting: 'limits.tokensPerPersonPerDay' } as never, 'run-2')).toBe(false);
  });

  it('go on reading from whoever is ahead', async () => {
    const folder = sharedFolder();
    const [one, other] = two(() => openReadCursors(folder, 'slack', log));
    one.set('C1', '1795443460.000100');
    await one.close();
    other.set('C2', '1795443461.000100');
    other.set('C1', '1795443459.000100');
    await other.close();
    expect(JSON.parse(fs.readFileSync(path.join(folder, 'slack.json'), 'utf8'))).toEqual({
      C1: '1795443460.000100',
      C2: '1795443461.000100',
    });
  });
});

it.runIf(hasRedis)(
  `a person's task goes with them from platform to platform, whichever process hears them${WITHOUT_REDIS}`,
  async () => {
    const fleet = await openFleet({ on: ['telegram', 'slack'] });
    const [telegram, slack] = fleet.platforms;
    if (!telegram || !slack) throw new Error('two platforms are missing');
    fleet.llm.script(({ lastUser }) => ({ text: `re ${lastUser}` }));
    for (let n = 0; n < 2; n++) await fleet.start(['ingress', 'work', 'deliver']);
    const [here, there] = [telegram.dm('alex'), slack.dm('alex')];
    const taskOf = () => {
      const folder = path.join(fleet.home, 'conversations');
      const own = fs.readdirSync(folder).filter((name) => name.endsWith('.json'));
      const bindings = own.map((name) => JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8')));
      return bindings.find(({ key }) => key === 'person:alex')?.taskId;
    };
    await ask(telegram, here, 'hello 0', { text: 're hello 0' });
    for (let n = 1; n <= 5; n++) {
      const after = telegram.answers(here).length;
      await telegram.command(here, 'new', `topic ${n}`);
      await waitFor(telegram, here, { after, text: `re topic ${n}` });
      const task = taskOf();
      for (let m = 0; m < 2; m++) {
        await ask(slack, there, `more of ${n}, ${m}`, { text: `re more of ${n}, ${m}` });
        expect(taskOf()).toBe(task);
        const session = path.join(fleet.home, 'agents', 'default', 'sessions', `${task}.jsonl`);
        expect(fs.readFileSync(session, 'utf8')).toContain(`more of ${n}, ${m}`);
      }
    }
  },
);
