/** What is spent is counted, kept over restarts, priced where a price is known, and stopped at the day's caps. */

import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type CostLimits, Costs, type CostsOptions } from '../../../src/features/costs/costs.ts';
import { CapError, createMeter } from '../../../src/features/costs/meter.ts';
import { capsText, money, usageText } from '../../../src/features/costs/words.ts';
import { spokenUsage } from '../../../src/features/voice/spoken-usage.ts';
import { silentLog } from '../../../src/log.ts';
import { messagesIn } from '../../../src/messages/messages.ts';
import type { Conversations } from '../../../src/runtime/conversations/conversations.ts';
import { TaskRecords } from '../../../src/runtime/conversations/task-record.ts';
import { type Home, openHome } from '../../../src/workspace/home.ts';
import { openTask } from '../../../src/workspace/tasks/index.ts';
import { newTaskId, saveTask } from '../../../src/workspace/tasks/record.ts';
import { addUsage, readUsage } from '../../../src/workspace/usage.ts';
import { tempFolder } from '../../helpers/temp.ts';

const english = messagesIn('en');

const NOON = Date.parse('2026-11-20T12:00:00Z');
const PRICES = { 'local/a': { input: 2, output: 10, cachedInput: 0.5 } };
let home: Home;
let clock = NOON;
beforeEach(async () => {
  home = await openHome(tempFolder());
  clock = NOON;
});

const open = (limits: CostLimits = {}, more: Partial<CostsOptions> = {}) =>
  new Costs({ home, limits, prices: PRICES, currency: 'EUR', log: silentLog(), now: () => clock, ...more });
const call = (person: string, tokens: number, more: object = {}) => ({
  ...{ run: 'r1', task: 't1', person, model: 'local/a', ms: 5, inputTokens: tokens, outputTokens: 0, ...more },
});
const file = () => path.join(home.root, 'usage/2026-11-20.jsonl');

describe('counting', () => {
  it('takes cached input at its own price, and none where no price is known', () => {
    const costs = open();
    costs.add(call('p', 1_000_000, { cachedInputTokens: 400_000, outputTokens: 100_000 }));
    expect(costs.ofRun('r1')).toEqual({
      ...{ inputTokens: 1_000_000, cachedInputTokens: 400_000, outputTokens: 100_000 },
      ...{ cost: expect.closeTo(1.2 + 0.2 + 1), currency: 'EUR' },
    });
    costs.add(call('p', 500, { model: 'local/unknown' }));
    expect(english.said(usageText(costs.ofRun('r1') ?? { inputTokens: 0, outputTokens: 0 }))).toBe(
      "1,000,500 tokens in (400,000 cached), 100,000 out, 2.40 EUR and 500 tokens whose price isn't known",
    );
    expect(messagesIn('de').said(usageText(costs.ofRun('r1') ?? { inputTokens: 0, outputTokens: 0 }))).toBe(
      '1.000.500 Tokens gelesen (400.000 aus dem Cache), 100.000 geschrieben, 2,40 EUR und 500 Tokens, deren Preis ich nicht kenne',
    );
    costs.add(call('p', 9, { run: 'r2', model: 'local/unknown' }));
    expect(english.said(usageText(costs.ofRun('r2') ?? { inputTokens: 0, outputTokens: 0 }))).toBe(
      '9 tokens in, 0 out, price not known',
    );
    // List prices are in dollars; they are not taken for euros.
    costs.add(call('p', 9, { run: 'r3', model: 'openai/gpt-5-mini' }));
    expect(costs.ofRun('r3')).toMatchObject({ unpricedTokens: 9 });
  });

  it('prices sound by the minute, and says of sound without a price that it is not known', () => {
    const costs = open({}, { currency: 'USD' });
    const sound = { inputTokens: 0, outputTokens: 0, seconds: 30 };
    costs.add(call('p', 0, { ...sound, run: 'a', model: 'openai/gpt-4o-mini-tts' }));
    expect(costs.ofRun('a')).toEqual({ inputTokens: 0, outputTokens: 0, cost: 0.0075, currency: 'USD' });
    costs.add(call('p', 0, { ...sound, run: 'b', model: 'own/voice' }));
    expect(costs.ofRun('b')).toEqual({ inputTokens: 300, outputTokens: 0, unpricedTokens: 300 });
    expect(english.said(usageText(costs.ofRun('b') ?? { inputTokens: 0, outputTokens: 0 }))).toContain(
      'price not known',
    );
    // Mocked recordings, empty ones and those in another container have no length: their words stand for it.
    for (const bytes of [Buffer.from('ID3'), Buffer.from('OggS'), Buffer.alloc(0)])
      expect(spokenUsage('twelve words', bytes)).toEqual({ inputTokens: 3, outputTokens: 0, isEstimate: true });
  });

  it('knows list prices in dollars, the configured price first, and that the offline model is free', () => {
    const costs = open({}, { currency: 'USD', prices: { 'openai/gpt-5-mini': { input: 1, output: 1 } } });
    costs.add(call('p', 1_000_000, { run: 'a', model: 'openai/gpt-5-mini' }));
    costs.add(call('p', 1_000_000, { run: 'b', model: 'anthropic/claude-sonnet-5-5' }));
    costs.add(call('p', 1_000_000, { run: 'c', model: 'offline/viber' }));
    costs.add(call('p', 1, { run: 'd', model: '__proto__' }));
    expect(['a', 'b', 'c', 'd'].map((run) => costs.ofRun(run)?.cost)).toEqual([1, 2, 0, undefined]);
  });

  it('forgets nothing over a restart, and a torn or foreign line costs itself alone', () => {
    open().add(call('p', 100));
    fs.appendFileSync(file(), '{"type":"call","at":"2026-11-20T12:00:00Z","run":"r1","tas');
    const second = open();
    second.add(call('p', 20, { run: 'r2' }));
    fs.appendFileSync(file(), `null\n[]\n{"type":"call","run":"x","inputTokens":-5}\n${'x'.repeat(50)}\n`);
    second.add(call('q', 3));
    const third = open();
    expect([third.today().inputTokens, third.today('p').inputTokens, third.ofRun('r1')?.inputTokens]).toEqual([
      123, 120, 103,
    ]);
    expect(readUsage(home, '2026-11-20')).toHaveLength(3);
    expect(fs.statSync(file()).mode & 0o777).toBe(0o600);
  });

  it('counts on when the file cannot be written', () => {
    fs.rmSync(path.join(home.root, 'usage'), { recursive: true });
    fs.writeFileSync(path.join(home.root, 'usage'), 'in the way');
    const costs = open({ tokensPerDay: 10 }, { now: () => clock });
    expect(() => costs.add(call('p', 10))).not.toThrow();
    expect(costs.check('p', clock)).toBeDefined();
  });

  it('makes the folder again when it was deleted', () => {
    fs.rmSync(path.join(home.root, 'usage'), { recursive: true });
    open().add(call('p', 10));
    expect(open().today().inputTokens).toBe(10);
  });

  it("adds a run to its task's record once, with what was used before a crash", async () => {
    const id = newTaskId(new Date());
    const at = new Date().toISOString();
    const record = { id, viber: 'default', goal: 'g', title: 'g', state: 'running' as const, runs: 0 };
    await saveTask(home, { ...record, people: ['p'], conversations: [], createdAt: at, updatedAt: at });
    open().add(call('p', 100, { task: id }));
    const records = (costs: Costs) =>
      new TaskRecords({
        home,
        conversations: {} as Conversations,
        used: (run) => costs.ofRun(run),
        hasOwner: () => true,
        log: silentLog(),
      });
    const used = async () => openTask(home, id).record()?.usage;
    const costs = open();
    costs.add(call('p', 20, { task: id }));
    await records(costs).endRun('r1', id);
    await records(costs).setState(id, 'completed', 'r1');
    expect(await used()).toMatchObject({ inputTokens: 120 });
    costs.add(call('p', 3, { task: id }));
    await records(costs).setState(id, 'completed', 'r1');
    // After a crash between the record and the end of the run; nothing has asked for today's usage yet.
    await records(open()).setState(id, 'completed', 'r1');
    expect(await used()).toMatchObject({ inputTokens: 123 });
    expect(openTask(home, id).record()?.runs).toBe(1);
    // A digest meanwhile, and the run goes on.
    costs.add(call('p', 7, { task: id, run: 'digest' }));
    await costs.addToTask('digest', id);
    costs.add(call('p', 1, { task: id }));
    await records(open()).endRun('r1', id);
    expect(await used()).toMatchObject({ inputTokens: 131 });
    costs.add(call('p', 5, { task: id, run: 'r2' }));
    await records(costs).setState(id, 'completed', 'r2');
    await records(open()).setState(id, 'completed', 'r2');
    expect(await used()).toMatchObject({ inputTokens: 136 });
    expect(openTask(home, id).record()?.runs).toBe(2);
    await records(costs).endRun('r1', '20260101-aaaaa');
  });

  it('does not add money of two currencies', () => {
    const euros = { inputTokens: 10, outputTokens: 0, cost: 5, currency: 'EUR' };
    const both = addUsage({ ...euros, inputTokens: 7, cost: 3, currency: 'USD' }, euros);
    expect(both).toEqual({ inputTokens: 17, outputTokens: 0, cost: 5, currency: 'EUR', unpricedTokens: 7 });
  });

  it('shows small money as more than nothing', () => {
    expect([0, 12_345.5].map((sum) => messagesIn('de').said(money(sum, 'USD')))).toEqual(['0,00 USD', '12.345,50 USD']);
    expect([0, 0.00004, 0.0123, 0.5, 12].map((sum) => english.said(money(sum, 'USD')))).toEqual([
      ...['0.00 USD', '0.000040 USD', '0.0123 USD', '0.500 USD', '12.00 USD'],
    ]);
  });
});

describe('caps', () => {
  it.each([
    ['tokensPerDay', 'q', { tokensPerDay: 100 }],
    ['tokensPerPersonPerDay', 'p', { tokensPerPersonPerDay: 100 }],
    ['costPerDay', 'q', { costPerDay: 0.0002 }],
    ['costPerPersonPerDay', 'p', { costPerPersonPerDay: 0.0002 }],
  ] as const)('%s stops at the cap and not before, until the day is over, also after a restart', (key, who, limits) => {
    const costs = open(limits);
    costs.add(call('p', 99));
    expect(costs.check(who)).toBeUndefined();
    costs.add(call('p', 1));
    expect(costs.check(who)).toMatchObject({ setting: `limits.${key}`, until: Date.parse('2026-11-21T00:00:00Z') });
    expect(open(limits).check(who)).toBeDefined();
    clock = Date.parse('2026-11-20T23:59:59.999Z');
    expect(costs.check(who)).toBeDefined();
    clock += 1;
    expect(costs.check(who)).toBeUndefined();
    expect(open(limits).check(who)).toBeUndefined();
  });

  it('0 is no cap; a person at theirs keeps nobody else from working', () => {
    const costs = open({ tokensPerDay: 0, tokensPerPersonPerDay: 5, costPerDay: 0 });
    costs.add(call('p', 5));
    expect([costs.check('p')?.of, costs.check('q')]).toEqual(['person', undefined]);
    expect(capsText(costs, 'p', english)[0]).toBe('- today, you: 5 of 5 tokens');
  });
});

describe('what is said at a cap', () => {
  const world = (limits: CostLimits) => {
    const owners: [string, string][] = [];
    const make = () => {
      const costs = open(limits);
      return {
        costs,
        meter: createMeter({
          costs,
          tellOwners: (id, said) => void owners.push([id, english.said(said)]),
          now: () => clock,
        }),
      };
    };
    const refused = (meter: ReturnType<typeof make>['meter'], person: string, run: string): string | undefined => {
      try {
        meter({ person, run, task: 't' }).beforeCall();
      } catch (error) {
        if (error instanceof CapError) return error.userMessage;
        throw error;
      }
      return undefined;
    };
    return { owners, make, refused };
  };

  it('the person is told once a day, in the same run again after a crash, with the setting and the time', () => {
    const { make, refused, owners } = world({ tokensPerPersonPerDay: 10 });
    const { costs, meter } = make();
    costs.add(call('p', 10, { run: 'r0' }));
    expect(refused(meter, 'p', 'r1')).toBe(
      "Your limit for today is used up (10 of 10 tokens, limits.tokensPerPersonPerDay). I'll continue in 12 h 0 min, or when the owner raises it. I keep what you write until then, but I don't answer it; press Continue afterwards.",
    );
    expect([refused(meter, 'p', 'r2'), refused(meter, 'q', 'r3')]).toEqual(['', undefined]);
    const again = make().meter;
    expect([refused(again, 'p', 'r1') !== '', refused(again, 'p', 'r4')]).toEqual([true, '']);
    // Work under way never ends without a word.
    expect(refused(again, 'p', 'r0')).toMatch(/^I stopped here\. Your limit/);
    expect(owners).toEqual([]);
    clock += 86_400_000;
    expect(refused(again, 'p', 'r5')).toBeUndefined();
    costs.add(call('p', 10, { run: 'r6' }));
    expect(refused(make().meter, 'p', 'r7')).toMatch(/^Your limit/);
  });

  it('of the cap of all, the owners are told as well, once', () => {
    const { make, refused, owners } = world({ tokensPerDay: 10 });
    const { costs, meter } = make();
    costs.add(call('p', 10));
    expect(refused(meter, 'p', 'r2')).toMatch(/^Today's limit for everybody/);
    expect(refused(meter, 'q', 'r3')).toMatch(/^Today's limit for everybody/);
    expect(refused(meter, 'q', 'r4')).toBe('');
    expect(owners).toEqual([['cap-limits-tokensPerDay-2026-11-20', expect.stringContaining('limits.tokensPerDay')]]);
  });
});
