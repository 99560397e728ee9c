/** Job files as people and other programs write them: each is what was meant, or is told in one sentence with what to write. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { changedText, parseFile } from '../../src/jobs/written/job-file.ts';
import { messagesIn } from '../../src/messages/messages.ts';
import { ownTime } from '../helpers/own-time.ts';

const read = (text: string) =>
  parseFile(
    { path: '/jobs/x.yaml', name: 'x.yaml', text, size: text.length, mtimeMs: Date.parse('2026-11-23T10:00:00Z') },
    'Europe/Berlin',
  );
const WHEN = 'schedule: daily at 9\n';
const base = (more: string) => `name: a\n${WHEN}${more}prompt: Do it.\n`;
const at9 = { scheduleText: 'daily at 9', prompt: 'Do it.', enabled: true };

const MEANT: [string, string, object][] = [
  ['a cron without quotes', 'name: a\nschedule: */5 * * * * # often\nprompt: x\n', { scheduleText: '*/5 * * * *' }],
  ['stars alone', 'name: a\nschedule: * * * * *\nprompt: x\n', { scheduleText: '* * * * *' }],
  ['@daily without quotes', 'name: a\nschedule: @daily\nprompt: x\n', { scheduleText: '@daily' }],
  ['a time with a colon', 'name: a\nschedule: every day at 9:00\nprompt: x\n', { scheduleText: 'every day at 9:00' }],
  [
    'a list of times',
    'name: a\nschedule:\n  - daily at 9\n  - mondays at 17:00\nprompt: x\n',
    { scheduleText: 'daily at 9; mondays at 17:00' },
  ],
  ['enabled: yes', base('enabled: yes\n'), at9],
  ['enabled: off', base('enabled: off\n'), { enabled: false }],
  ['enabled in quotes', base('enabled: "False"\n'), { enabled: false }],
  ['a city', base('timezone: New York\n'), { timezone: 'America/New_York' }],
  ['a zone in small letters', base('timezone: europe/vienna\n'), { timezone: 'Europe/Vienna' }],
  ['keys in capitals', 'Name: a\nSCHEDULE: daily at 9\nPrompt: Do it.\n', at9],
  ['keys with other marks', base('max_steps: 5\ncatch-up: no\n'), { agent: { maxSteps: 5 }, catchUp: false }],
  ['a section in spaces that do not break', base('agent:\n\u00a0\u00a0maxSteps: 5\n'), { agent: { maxSteps: 5 } }],
  ['a section in tabs', base('agent:\n\tmax-steps: 5\n'), { agent: { maxSteps: 5 } }],
  ['a prompt with a colon', `name: a\n${WHEN}prompt: Do this: look\n`, { prompt: 'Do this: look' }],
  [
    'a prompt with a number of an issue',
    `name: a\n${WHEN}prompt: Look at #5 in #general # daily\n`,
    { prompt: 'Look at #5 in #general' },
  ],
  ['a prompt that begins with a mark', `name: a\n${WHEN}prompt: [urgent] look\n`, { prompt: '[urgent] look' }],
  ['a prompt that goes on below', `name: a\n${WHEN}prompt: Look\n\n  twice\n`, { prompt: 'Look\ntwice' }],
  ['a prompt in tabs', `name: a\n${WHEN}prompt: |\n\tone\n\ttwo\n`, { prompt: 'one\ntwo\n' }],
  ['a name that is a number', `name: 5\n${WHEN}prompt: Do it.\n`, { ...at9, name: '5' }],
  [
    'quotes of a word processor',
    'name: “a”\nschedule: „0 9 * * *“\nprompt: x\ndeliver: [“telegram:1”]\n',
    { name: 'a', scheduleText: '0 9 * * *', deliver: [{ channel: 'telegram', chat: '1' }] },
  ],
  [
    'addresses in one line',
    base('deliver: telegram:1001, slack:C024BE91L\n'),
    {
      deliver: [
        { channel: 'telegram', chat: '1001' },
        { channel: 'slack', chat: 'C024BE91L' },
      ],
    },
  ],
  ['an address with a space', base('deliver: telegram: 1001\n'), { deliver: [{ channel: 'telegram', chat: '1001' }] }],
  [
    'addresses by channel',
    base('deliver:\n  telegram: -1001\n  discord: 998877665544332211\n'),
    {
      deliver: [
        { channel: 'telegram', chat: '-1001' },
        { channel: 'discord', chat: '998877665544332211' },
      ],
    },
  ],
  [
    'a channel and whom',
    base('deliver:\n  channel: telegram\n  to: 1001\n'),
    { deliver: [{ channel: 'telegram', chat: '1001' }] },
  ],
  ['skills in one line', base('skills: web, git\n'), { agent: { skills: ['web', 'git'] } }],
  [
    'tools of a section in one line',
    base('agent:\n  Tools: read_file, list_files\n'),
    { agent: { tools: ['read_file', 'list_files'] } },
  ],
  ['a mark at the beginning and lines of Windows', `\uFEFF${base('').replaceAll('\n', '\r\n')}`, at9],
  [
    'the prompt below a front matter',
    `---\nname: a\n${WHEN}---\n\nDo it: now.\n\n- twice\n`,
    { prompt: 'Do it: now.\n\n- twice\n' },
  ],
  ['a front matter and nothing below', `---\n${base('')}---\n`, at9],
  ['a document that ends', `---\n${base('')}...\n`, at9],
  ['a block of code', `\`\`\`yaml\n${base('')}\`\`\`\n`, at9],
];

test.each(MEANT)('%s is what was meant', async (_what, text, job) => {
  expect(await read(text)).toMatchObject({ job });
});

const TOLD: [string, string, string, string][] = [
  [
    'cron:',
    'name: a\ncron: "0 7 * * *"\nprompt: x\n',
    'line 2: cron: expected no such key; here you write schedule: "0 7 * * *"',
    'Zeile 2, cron: diesen Schlüssel gibt es nicht; hier schreibt man schedule: "0 7 * * *"',
  ],
  [
    'shedule:',
    'name: a\nshedule: daily at 9\nprompt: x\n',
    'line 2: shedule: expected no such key; did you mean schedule?',
    'meintest du schedule?',
  ],
  [
    'time:',
    'name: a\ntime: 9:30\nprompt: x\n',
    'line 2: time: expected no such key; here you write schedule: "0 9 * * *"',
    'hier schreibt man schedule',
  ],
  [
    'every_seconds:',
    'name: a\nevery_seconds: 1200\nprompt: x\n',
    'here you write schedule: every 20 minutes',
    'schedule: every 20 minutes',
  ],
  [
    'tz:',
    base('tz: Asia/Tokyo\n'),
    'line 3: tz: expected no such key; here you write timezone: Asia/Tokyo',
    'timezone: Asia/Tokyo',
  ],
  [
    'notify: telegram',
    base('notify: telegram\n'),
    'line 3: notify: expected no such key; here you write deliver: telegram:1001',
    'deliver: telegram:1001',
  ],
  ['channel: an address', base('channel: slack:C1\n'), 'here you write deliver: slack:C1', 'deliver: slack:C1'],
  [
    'message:',
    `name: a\n${WHEN}message: Say hello\n`,
    'line 3: message: expected no such key; here you write prompt: "Say hello"',
    'prompt: "Say hello"',
  ],
  ['disabled: true', base('disabled: true\n'), 'here you write enabled: false', 'enabled: false'],
  ['paused: no', base('paused: no\n'), 'here you write enabled: true', 'enabled: true'],
  [
    'a platform alone',
    base('deliver: telegram\n'),
    'deliver.0: expected an address, for example telegram:1001',
    'hier gehört eine Adresse hin',
  ],
  ['a number alone', base('deliver: 1001\n'), 'found "1001"', 'da steht "1001"'],
  [
    'a time of no day',
    'name: a\nschedule: 9:30\nprompt: x\n',
    '"9:30" is not a schedule I can keep: it does not say on which days',
    'es fehlt, an welchen Tagen',
  ],
  [
    'minutes that YAML once read as seconds',
    'name: a\nschedule: 01:00\nprompt: x\n',
    '"01:00" is not a schedule',
    '01:00',
  ],
  [
    'an hour with a nought',
    'name: a\nschedule: 0900\nprompt: x\n',
    'line 2: schedule: expected a time',
    'hier gehört eine Zeit hin',
  ],
  [
    'two jobs',
    `${base('')}---\nname: b\n${WHEN}prompt: y\n`,
    'line 4: expected one job, found a second one; give it a file of its own',
    'Zeile 4: hier beginnt ein zweiter Auftrag',
  ],
  [
    'a list of jobs',
    'jobs:\n  - name: a\n    schedule: daily at 9\n',
    'expected one job, found a list of them',
    'gib jedem eine eigene Datei',
  ],
  [
    'words twice',
    `---\n${base('')}---\nAnd this.\n`,
    'prompt: expected the words once',
    'es soll nur einmal da stehen',
  ],
  [
    'a merge that nobody decided',
    `name: a\n<<<<<<< HEAD\n${WHEN}=======\nschedule: daily at 10\n>>>>>>> theirs\nprompt: x\n`,
    'line 2: two versions of this file',
    'Zeile 2: hier stehen zwei Fassungen',
  ],
  [
    'a merge within the words',
    `name: a\n${WHEN}prompt: |\n  one\n<<<<<<< HEAD\n  two\n=======\n  three\n>>>>>>> theirs\n`,
    'line 5: two versions of this file',
    'Zeile 5: hier stehen zwei Fassungen',
  ],
  [
    'words that are not indented',
    `name: a\n${WHEN}prompt: |\nLook at it\n`,
    'line 4: this is no key with a value ("key: value"); words that go on below a key are indented',
    'Worte, die unter einem Schlüssel weitergehen, sind eingerückt',
  ],
  ['a front matter that does not end', `---\nname: a\n${WHEN}\nDo it for me.\n`, 'line 5: ', 'Zeile 5'],
  [
    'a front matter without words',
    `---\nname: a\n${WHEN}---\n`,
    'prompt: expected the words the agent is given, but it is missing',
    'hier gehört hin, was zu tun ist',
  ],
  ['nothing', '\n', 'line 1: the file is empty', 'Zeile 1: die Datei ist leer'],
  [
    'a job of OpenClaw',
    '{"name":"M","schedule":{"kind":"cron","expr":"0 7 * * *","tz":"Europe/Berlin"},"sessionTarget":"isolated","wakeMode":"now",\n "payload":{"kind":"agentTurn","message":"Sum up"},"delivery":{"mode":"announce","channel":"telegram","to":"1001"}}\n',
    'here its lines are schedule: "0 7 * * *" | timezone: Europe/Berlin | prompt: "Sum up" | deliver: telegram:1001',
    'bei uns sind seine Zeilen schedule: "0 7 * * *"',
  ],
  [
    'a job of nanobot',
    '{"id":"ab","name":"x","schedule":{"kind":"every","everyMs":3600000},"payload":{"kind":"agent_turn","message":"hi","deliver":true,"channel":"telegram","to":"1001"}}\n',
    'here its lines are schedule: "every 60 minutes" | prompt: "hi" | deliver: telegram:1001',
    'von einem anderen Programm',
  ],
];

test.each(TOLD)('%s is told in one sentence', async (_what, text, english, german) => {
  const result = await read(text);
  if ('job' in result) throw new Error(`it became ${result.job.words}: ${result.job.prompt}`);
  expect(result.wrong).toHaveLength(1);
  expect(result.problem).toContain(english);
  expect(result.wrong.map((said) => messagesIn('de').said(said)).join('\n')).toContain(german);
});

test('a file that was written so can be changed, and is plain YAML from then on', async () => {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'hand-written-')), 'x.yaml');
  fs.writeFileSync(file, '---\nName: a\nSchedule: */5 * * * *\nDeliver: telegram: 1\n---\nLook: now.\n');
  const text = await changedText({ path: file }, { schedule: 'daily at 8' }, 'Europe/Berlin');
  expect(text).toMatch(/^Name: a\nSchedule: "?daily at 8"?\n/);
  expect(await read(text)).toMatchObject({
    job: { name: 'a', scheduleText: 'daily at 8', prompt: 'Look: now.\n', deliver: [{ chat: '1' }] },
  });
  fs.writeFileSync(file, 'name: a\n<<<<<<< HEAD\n');
  await expect(changedText({ path: file }, { schedule: 'daily at 8' }, 'UTC')).rejects.toThrow('two versions');
});

test('lines of nothing but spaces and marks take no time', async () => {
  for (const text of [
    `prompt: x${' '.repeat(60_000)}y`,
    `name: ${' #x'.repeat(20_000)}`,
    `a: ${': '.repeat(30_000)}`,
    '\t'.repeat(60_000),
  ]) {
    const began = ownTime();
    expect('job' in (await read(text))).toBe(false);
    expect(ownTime() - began, text.slice(0, 12)).toBeLessThan(2_000);
  }
});
