/** Job files: what they may say, and how each thing that is wrong is named. */
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { jobFileName, parseJob } from '../../src/features/jobs/job.ts';
import { ownTime } from '../helpers/own-time.ts';

const SEED = `name: Daily Summary
schedule: "0 9 * * *"
model: deepseek/deepseek-chat
skills:
  - github
prompt: |
  Summarize my GitHub notifications from the last 24 hours.
`;
const options = { file: 'daily-summary.yaml', now: new Date('2026-03-01T12:00:00Z'), timezone: 'Europe/Berlin' };
const parse = (text: string, more: Partial<typeof options> = {}) => parseJob(text, { ...options, ...more });
const errorOf = async (text: string, file = options.file) =>
  parse(text, { file }).then(
    () => 'no error',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );

test('the documented example', async () => {
  expect(await parse(SEED)).toEqual({
    id: 'daily-summary',
    name: 'Daily Summary',
    schedule: { kind: 'cron', pattern: '0 9 * * *', timezone: 'Europe/Berlin' },
    scheduleText: '0 9 * * *',
    words: expect.any(String),
    timezone: 'Europe/Berlin',
    prompt: 'Summarize my GitHub notifications from the last 24 hours.\n',
    agent: { model: 'deepseek/deepseek-chat', skills: ['github'] },
    deliver: [],
    catchUp: true,
    enabled: true,
    jitterMs: 0,
  });
});

test('every key', async () => {
  const job = await parse(`name: 日次まとめ
schedule: every weekday at 9
timezone: Asia/Tokyo
prompt: Say hello
viber: writer
maxSteps: 7
tools: [notify]
agent: { prompt: Be brief., mode: decide, model: a/b, maxSteps: 3 }
deliver: [telegram:1001, "slack:C024BE91L:1718.22", discord@77:99887]
catch_up: false
enabled: false
jitter: 1.5
createdBy: telegram:1001
createdAt: 2026-02-01T10:00:00Z
`);
  expect(job).toMatchObject({
    name: '日次まとめ',
    timezone: 'Asia/Tokyo',
    viber: 'writer',
    agent: { prompt: 'Be brief.', mode: 'decide', model: 'a/b', maxSteps: 7, tools: ['notify'] },
    deliver: [
      { channel: 'telegram', chat: '1001' },
      { channel: 'slack', chat: 'C024BE91L', thread: '1718.22' },
      { channel: 'discord', account: '77', chat: '99887' },
    ],
    catchUp: false,
    enabled: false,
    jitterMs: 1500,
    createdBy: 'telegram:1001',
    createdAt: '2026-02-01T10:00:00Z',
  });
});

test('an agent by its id, one address without a list, and an id in any case', async () => {
  const job = await parse(`${SEED}agent: writer\ndeliver: telegram:-100123:7\n`, { file: 'Daily_Summary.YML' });
  expect(job).toMatchObject({ id: 'daily_summary', viber: 'writer', deliver: [{ chat: '-100123', thread: '7' }] });
});

test('"tomorrow" is refused with what to write in its place: saving the file once more must not move it', async () => {
  const text = 'name: A\nschedule: tomorrow at 9\nprompt: x\ncreatedAt: 2026-01-10T12:00:00Z\n';
  await expect(parse(text)).rejects.toThrow(
    'line 2: schedule: expected a time that always means the same; to keep what it means now, write "2026-03-02T08:00:00Z"',
  );
  const instead = text.replace('tomorrow at 9', '2026-03-02T08:00:00Z');
  expect((await parse(instead)).schedule).toEqual({ kind: 'once', at: '2026-03-02T08:00:00.000Z' });
});

test('"at noon" in a file is each day, as it has always been', async () => {
  const job = await parse('name: A\nschedule: at noon\nprompt: x\n');
  expect(job.schedule).toEqual({ kind: 'cron', pattern: '0 12 * * *', timezone: 'Europe/Berlin' });
});

test('a time that is over is a job that is done, not a mistake', async () => {
  const job = await parse('name: A\nschedule: 2025-12-24 18:00\nprompt: x\n');
  expect(job.schedule).toEqual({ kind: 'once', at: '2025-12-24T17:00:00.000Z' });
});

// biome-ignore format: a row is a line
const WRONG: [string, string, string][] = [
  ['an unknown key', SEED.replace('schedule:', 'schedul:'), 'line 2: schedul: unknown key; did you mean schedule?'],
  ['an unknown key of a section', `${SEED}agent:\n  modl: a/b\n`, 'line 9: agent.modl: unknown key; did you mean model?'],
  ['a key far from all', `${SEED}banana: 1\n`, 'line 8: banana: unknown key'],
  ['a missing prompt', 'name: A\nschedule: hourly\n', 'line 1: prompt: expected what the agent should do, but it is missing'],
  ['an empty prompt', 'name: A\nschedule: hourly\nprompt:\n', 'line 3: prompt: expected what the agent should do, found nothing'],
  ['a huge prompt', `name: A\nschedule: hourly\nprompt: ${'x'.repeat(33_000)}\n`, 'line 3: prompt: expected at most 32 KB'],
  ['a huge file', `${SEED}# ${'x'.repeat(70_000)}\n`, 'larger than 64 KB'],
  ['a name of two lines', SEED.replace('Daily Summary', '"a\\nb"'), 'line 1: name: expected a name'],
  ['a name too long', SEED.replace('Daily Summary', 'x'.repeat(81)), 'line 1: name: expected a name'],
  ['a schedule of nonsense', SEED.replace('"0 9 * * *"', '25am'), 'line 2: schedule: '],
  ['a schedule that is a number', SEED.replace('"0 9 * * *"', '9'), 'line 2: schedule: expected a time'],
  ['a model without provider', SEED.replace('deepseek/', ''), 'line 3: model: expected provider/model'],
  ['a skill that is a section', SEED.replace('- github', '- {a: 1}'), 'line 5: skills.0: expected a name'],
  ['a zone that is none', `${SEED}timezone: Mars/Base\n`, 'line 8: timezone: expected a time zone'],
  ['an address that is none', `${SEED}deliver: [telegram:1, nowhere]\n`, 'line 8: deliver.1: expected an address'],
  ['a switch that is text', `${SEED}catch_up: "maybe"\n`, 'line 8: catch_up: expected true or false, found "maybe"'],
  ['jitter below 0', `${SEED}jitter: -1\n`, 'line 8: jitter: expected seconds'],
  ['steps by half', `${SEED}maxSteps: 2.5\n`, 'line 8: maxSteps: expected a whole number'],
  ['a mode there is not', `${SEED}agent: { mode: yolo }\n`, 'line 8: agent.mode: expected ask, decide or execute'],
  ['a viber that is a path', `${SEED}viber: ../../etc\n`, 'line 8: viber: expected the id of a viber'],
  ['a key twice', `${SEED}name: B\n`, 'line 8: the key "name" appears twice'],
  ['a list', '- a\n- b\n', 'expected keys with values'],
  ['nothing', '', 'the file is empty'],
  ['a prototype key', `${SEED}__proto__: { enabled: false }\n`, 'line 8: __proto__: unknown key'],
  ['a constructor key', `${SEED}constructor: 1\n`, 'line 8: constructor: unknown key'],
  ['a merge of an alias', `${SEED}<<: { name: B }\n`, "line 8: keys can't be merged with <<"],
];

test.each(WRONG)('%s is refused with its line', async (_what, text, message) => {
  const error = await errorOf(text);
  expect(error).toContain('daily-summary.yaml');
  expect(error).toContain(message);
});

test('every problem at once, and not a thousand of them', async () => {
  const error = await errorOf('nam: A\nschedule: 25am\nmodel: x\n');
  // That there is no name is not said beside the key that is nearly one.
  expect(
    error
      .split('\n')
      .map((line) => line.replace(/^\S+ (line \d+: \w+).*/, '$1'))
      .sort(),
  ).toEqual([...['line 1: nam', 'line 1: prompt', 'line 2: schedule', 'line 3: model']]);
  const keys = Array.from({ length: 9_000 }, (_, i) => `k${i}:`).join('\n');
  expect((await errorOf(keys)).split('\n').length).toBeLessThanOrEqual(10);
});

test('hostile YAML is refused quickly', async () => {
  const hostile = [
    Array.from({ length: 100_000 }, (_, i) => `k${i}: 1`).join('\n'),
    Array.from({ length: 8_000 }, (_, i) => `k${i}: 1`).join('\n'),
    '? '.repeat(30_000),
    '{['.repeat(200) + ']}'.repeat(200),
    '[{'.repeat(15_000),
    `a: &a [x]\n${Array.from({ length: 30 }, (_, i) => `a${i}: &b${i} [*${i === 0 ? 'a' : `b${i - 1}`}, *${i === 0 ? 'a' : `b${i - 1}`}]`).join('\n')}\n`,
    '!!js/function "function(){}"\n',
  ];
  for (const text of hostile) {
    const began = ownTime();
    expect(await errorOf(text)).toContain('daily-summary.yaml');
    expect(ownTime() - began, text.slice(0, 20)).toBeLessThan(3_000);
  }
});

test('secrets are not quoted in errors', async () => {
  const token = '123456789:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
  expect(await errorOf(`${SEED}deliver: "${token}"\n`)).not.toContain(token);
});

test('what is written by us is read back', async () => {
  const fields = {
    name: '🌅 "Morning": #1',
    schedule: 'every day at 7',
    prompt: 'line 1\n\n  line 2: - x\n',
    deliver: ['telegram:1'],
  };
  expect(await parse(stringify(fields))).toMatchObject({ name: fields.name, prompt: fields.prompt });
});

test.each([
  ['daily.yaml', { id: 'daily', isDisabled: false }],
  ['Daily.yml', { id: 'daily', isDisabled: false }],
  ['daily.disabled.yaml', { id: 'daily', isDisabled: true }],
  ['my job.yaml', undefined],
  ['..yaml', undefined],
  ['a.b.yaml', undefined],
  ['__proto__.yaml', undefined],
  [`${'x'.repeat(65)}.yaml`, undefined],
  ['daily.json', undefined],
])('the file name %s', (name, expected) => {
  expect(jobFileName(name)).toEqual(expected);
});

test('of the prefixes of a file, none that lacks a required key is a job', async () => {
  let valid = 0;
  for (let length = 0; length < SEED.length; length++) {
    const text = SEED.slice(0, length);
    const job = await parse(text).catch(() => undefined);
    if (job === undefined) continue;
    valid++;
    expect(text).toContain('prompt: |\n  S');
    // It is the open end that gives it away: `Jobs` waits for such a file.
    expect(text.endsWith('\n')).toBe(false);
  }
  expect(valid).toBeGreaterThan(0);
});
