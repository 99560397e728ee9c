/** `viber usage`: what model calls of the last days have used. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../../src/features/costs/cli/run.ts';
import { messagesIn } from '../../src/messages/messages.ts';
import { openHome } from '../../src/workspace/home.ts';
import { usageDay } from '../../src/workspace/usage.ts';
import { printed } from '../helpers/cli.ts';
import { tempFolder } from '../helpers/temp.ts';

const DAY = 86_400_000;

async function usage(
  home: string,
  { days, json = false, language = 'en' }: { days?: string; json?: boolean; language?: string } = {},
) {
  const values = days === undefined ? {} : { days };
  const { code, lines } = await printed(run, home, { json, values, messages: messagesIn(language) });
  expect(code).toBe(0);
  return lines;
}

async function filled() {
  const home = tempFolder();
  await openHome(home);
  const now = Date.now();
  const call = (ago: number, more: object) => {
    const at = new Date(now - ago * DAY).toISOString();
    const line = {
      type: 'call',
      at,
      ms: 5,
      run: 'r',
      task: '20260101-aaaaa',
      person: 'alex',
      model: 'x/small',
      inputTokens: 100,
      outputTokens: 10,
      ...more,
    };
    fs.appendFileSync(path.join(home, 'usage', `${usageDay(now - ago * DAY)}.jsonl`), `${JSON.stringify(line)}\n`);
  };
  call(0, { cost: 0.5, currency: 'USD' });
  call(0, { model: 'x/large', person: 'kim', inputTokens: 5_000 });
  call(3, { cost: 0.25, currency: 'USD' });
  call(40, { inputTokens: 9_999_999 });
  fs.appendFileSync(
    path.join(home, 'usage', `${usageDay(now)}.jsonl`),
    '{"type":"notice","at":"x","run":"r","who":"alex","setting":"s"}\nnot JSON\n',
  );
  return home;
}

test('sums by model, person and task, the largest first', async () => {
  const home = await filled();
  const lines = await usage(home);
  expect(lines.slice(0, 2)).toEqual([
    expect.stringMatching(/^Today: 2 calls, 5,100 tokens in, 20 out, 0\.500 USD/),
    expect.stringMatching(/^Last 30 days: 3 calls, 5,200 tokens in, 30 out, 0\.750 USD/),
  ]);
  expect(lines.indexOf('By model:')).toBe(3);
  expect(lines[4]).toMatch(/^ {2}x\/large {2}one call, 5,000 tokens in/);
  expect(lines[5]).toMatch(/^ {2}x\/small {2}2 calls, 200 tokens in, 20 out, 0\.750 USD/);
  expect(lines.join('\n')).toMatch(/By person:\n {2}kim {3}one call.*\n {2}alex {2}2 calls/);
  expect(lines.join('\n')).toMatch(/By task:\n {2}20260101-aaaaa {2}3 calls/);
  expect((await usage(home, { days: '1' }))[1]).toMatch(/^Last day: 2 calls/);
  expect((await usage(home, { language: 'de' }))[0]).toMatch(/^Heute: 2 Aufrufe, 5\.100/);
});

test('prints the same as JSON, and says when there is nothing', async () => {
  const found = JSON.parse((await usage(await filled(), { json: true })).join(''));
  expect(found.total).toMatchObject({ calls: 3, inputTokens: 5_200, cost: 0.75 });
  expect(found.models.map(({ model }: { model: string }) => model)).toEqual(['x/large', 'x/small']);
  expect(found.days).toHaveLength(2);
  const empty = tempFolder();
  expect(await usage(empty)).toEqual(['No model was asked in the last 30 days.']);
  expect(JSON.parse((await usage(empty, { json: true })).join(''))).toMatchObject({ total: { calls: 0 }, models: [] });
});

test('shows ten rows of thousands, and refuses what is no number of days', async () => {
  const home = tempFolder();
  await openHome(home);
  const line = (n: number) =>
    JSON.stringify({
      type: 'call',
      at: new Date().toISOString(),
      ms: 5,
      run: 'r',
      task: `20260101-a${n}`,
      person: `p${n}`,
      model: 'x/y',
      inputTokens: n,
      outputTokens: 1,
    });
  fs.writeFileSync(
    path.join(home, 'usage', `${usageDay(Date.now())}.jsonl`),
    Array.from({ length: 3_000 }, (_, n) => `${line(n)}\n`).join(''),
  );
  const lines = await usage(home);
  expect(lines.filter((each) => each.includes('and 2,990 more'))).toHaveLength(2);
  expect(lines.length).toBeLessThan(40);
  for (const days of ['0', '-1', 'x', '1000', '2.5'])
    await expect(usage(home, { days })).rejects.toThrow('from 1 to 366');
});
