/** A state folder as OpenClaw keeps it, taken over: what is written, what is left to a person, and what never moves. */

import fs from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { servicesFor } from '../../src/cli/services.ts';
import { planOpenClaw } from '../../src/features/imports/openclaw.ts';
import { NO_OPTIONS } from '../helpers/cli.ts';
import { putAll, put as putFile, tempFolder, tree } from '../helpers/temp.ts';
import { viber } from '../helpers/viber.ts';

/** Without a zone, which means UTC. */

const SOON = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 19);
const SECRETS = ['7000000001:AAEmulatedBotToken', 'sk-ant-secret', 'oauth-secret', 'xoxb-secret'];

/** The shapes of its documentation: JSON5 settings, a workspace of Markdown, jobs of version 1 in each kind. */
function openclaw(): string {
  const folder = path.join(tempFolder(), '.openclaw');
  const job = (id: string, name: string, more: object) => ({
    ...{ id, agentId: 'main', name, enabled: true, createdAtMs: 1_769_900_000_000, updatedAtMs: 1_769_900_000_000 },
    ...{ sessionTarget: 'isolated', wakeMode: 'now', payload: { kind: 'agentTurn', message: `do ${name}` }, state: {} },
    ...more,
  });
  const cron = (expr: string, tz?: string) => ({ schedule: { kind: 'cron', expr, ...(tz ? { tz } : {}) } });
  // biome-ignore format: a row is a line
  const jobs = [
    job('8f1c', 'Morning brief', {...cron('0 7 * * *', 'America/Los_Angeles'), delivery: { mode: 'announce', channel: 'slack', to: 'channel:C1234567890' } }),
    job('8f1d', 'Topic', {
      schedule: { kind: 'every', everyMs: 7_200_000, anchorMs: 1 },
      delivery: { mode: 'announce', channel: 'telegram', to: 'telegram:group:-1001234567890:topic:123' },
    }),
    job('8f1e', 'Call mum', {
      ...{ sessionTarget: 'main', schedule: { kind: 'at', at: SOON } },
      ...{ payload: { kind: 'systemEvent', text: 'Reminder: call mum' }, deleteAfterRun: true },
    }),
    job('8f1f', 'Long ago', { schedule: { kind: 'at', at: '2020-02-01T16:00:00Z' } }),
    job('8f20', 'On WhatsApp', {...{ ...cron('30 9 * * 1-5'), enabled: false }, delivery: { mode: 'announce', channel: 'whatsapp', to: '+15551234567' } }),
    job('8f21', 'Broken', cron('99 99 * * *')),
  ];
  const files: Record<string, string> = {
    'openclaw.json': `// my settings
{
  agents: { defaults: { workspace: "~/.openclaw/workspace", model: { primary: 'anthropic/claude-opus-4-5' } } },
  channels: {
    telegram: { enabled: true, botToken: "${SECRETS[0]}", allowFrom: ["tg:1001"] }, /* mine */
    slack: { botToken: "${SECRETS[3]}" },
  },
  models: { providers: { anthropic: { baseUrl: "https://api.anthropic.com", apiKey: "${SECRETS[1]}", }, }, },
}
`,
    'workspace/SOUL.md': '# Soul\nBe kind, // and brief.\n',
    'workspace/IDENTITY.md': '# Identity\n- **Name:** Molty\n',
    'workspace/USER.md': '# User\nAda, Berlin\n',
    'workspace/AGENTS.md': '# Rules\n',
    'workspace/HEARTBEAT.md': 'Check mail\n',
    'workspace/MEMORY.md': '# Memory\n- likes tea\n',
    'workspace/memory/2026-02-01.md': 'Bought paint\n',
    'workspace/memory/projects.md': 'Kitchen\n',
    'workspace/skills/weather/SKILL.md': '---\nname: weather\ndescription: Tells the weather\n---\nLook it up.\n',
    'workspace/skills/weather/scripts/get.sh': '#!/bin/sh\n',
    'workspace/skills/weather/.env': `KEY=${SECRETS[1]}\n`,
    'skills/notes/SKILL.md': '---\nname: notes\ndescription: Keeps notes\n---\nKeep them.\n',
    'cron/jobs.json': JSON.stringify({ version: 1, jobs }),
    'cron/runs/8f1c.jsonl': '{}\n',
    'credentials/oauth.json': `{"token":"${SECRETS[2]}"}`,
    'agents/main/sessions/a.jsonl': '{}\n',
  };
  putAll(folder, files);
  fs.symlinkSync('/etc/passwd', path.join(folder, 'workspace/TOOLS.md'));
  fs.symlinkSync('/etc/passwd', path.join(folder, 'workspace/skills/weather/passwd'));
  return folder;
}

test('it is shown first and taken then: persona, memory, skills and jobs, and no secret', async () => {
  const folder = openclaw();
  const home = path.join(tempFolder(), 'home');
  const before = tree(folder);
  const shown = await viber(home, ['import', 'openclaw', folder]);
  expect(shown).toMatchObject({ code: 0, out: expect.stringContaining('Nothing was changed. Add --yes') });
  expect(fs.existsSync(home)).toBe(false);

  const { code, out } = await viber(home, ['import', 'openclaw', folder, '--yes']);
  expect(code).toBe(0);
  expect(tree(folder)).toEqual(before);
  const made = tree(home);
  expect(made).toMatchObject({
    ...{ 'workspace/SOUL.md': before['workspace/SOUL.md'], 'workspace/MEMORY.md': before['workspace/MEMORY.md'] },
    ...{ 'workspace/memory/2026-02-01.md': 'Bought paint\n', 'workspace/memory/projects.md': 'Kitchen\n' },
    'skills/notes/SKILL.md': before['skills/notes/SKILL.md'],
    'skills/weather/scripts/get.sh': '#!/bin/sh\n',
  });
  const all = [...Object.values(made), out, shown.out].join('\n');
  for (const secret of SECRETS) expect(all).not.toContain(secret);
  expect(all).not.toContain('root:');
  expect(Object.keys(made).filter((name) => /passwd|\.env$|credentials|sessions\/.+jsonl/.test(name))).toEqual([]);
  for (const told of [
    ...['TELEGRAM_BOT_TOKEN', 'SLACK_BOT_TOKEN', 'models.providers.anthropic.apiKey', 'credentials holds secrets'],
    ...['HEARTBEAT.md is not imported', 'let in tg:1001', 'anthropic/claude-opus-4-5', 'TOOLS.md is not imported'],
    ...['"Long ago" is not imported: its time has passed', '"Broken" is not imported', 'went to whatsapp +15551234567'],
    'Stop OpenClaw before you start the gateway',
  ])
    expect(out).toContain(told);

  const { jobs } = JSON.parse((await viber(home, ['jobs', '--json'])).out);
  expect(jobs.map(({ id, state, timezone }: Record<string, string>) => ({ id, state, timezone }))).toMatchObject([
    { id: 'call-mum', state: 'loaded' },
    { id: 'morning-brief', state: 'loaded', timezone: 'America/Los_Angeles' },
    { id: 'on-whatsapp', state: 'disabled' },
    { id: 'topic', state: 'loaded' },
  ]);
  expect(made['jobs/topic.yaml']).toContain('deliver: ["telegram:-1001234567890:123"]');
  expect(made['jobs/morning-brief.yaml']).toContain('deliver: ["slack:C1234567890"]');
  expect(made['jobs/call-mum.yaml']).toContain(`"${SOON}Z"`);
  const { skills, problems } = JSON.parse((await viber(home, ['skills', '--json'])).out);
  expect(skills.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(['weather', 'notes']));
  expect(problems).toEqual([]);
});

test('nothing that somebody wrote is written over, and the second time changes nothing', async () => {
  const folder = openclaw();
  const home = path.join(tempFolder(), 'home');
  fs.mkdirSync(path.join(home, 'workspace'), { recursive: true });
  fs.mkdirSync(path.join(home, 'skills/notes'), { recursive: true });
  fs.writeFileSync(path.join(home, 'workspace/SOUL.md'), 'mine\n');
  fs.writeFileSync(path.join(home, 'skills/notes/SKILL.md'), 'my own\n');
  const { out } = await viber(home, ['import', 'openclaw', folder, '--yes']);
  expect(out).toContain('workspace/SOUL.md  (written beside yours)');
  const made = tree(home);
  expect(made['workspace/SOUL.md']).toBe('mine\n');
  expect(made['workspace/SOUL.openclaw.md']).toContain('Be kind');
  expect(made['skills/notes/SKILL.md']).toBe('my own\n');
  await viber(home, ['import', 'openclaw', folder, '--yes']);
  expect(tree(home)).toEqual(made);
});

/** As OpenClaw keeps jobs since July 2026: a table with a column for each field, in a database that is written while it runs. */
function database(folder: string): DatabaseSync {
  fs.mkdirSync(path.join(folder, 'state'), { recursive: true });
  const db = new DatabaseSync(path.join(folder, 'state/openclaw.sqlite'));
  db.exec(`PRAGMA journal_mode=WAL;
    CREATE TABLE cron_jobs (store_key TEXT NOT NULL, job_id TEXT NOT NULL, name TEXT NOT NULL, enabled INTEGER NOT NULL,
      created_at_ms INTEGER NOT NULL, agent_id TEXT, schedule_kind TEXT NOT NULL, schedule_expr TEXT, schedule_tz TEXT, every_ms INTEGER,
      anchor_ms INTEGER, at TEXT, session_target TEXT NOT NULL, wake_mode TEXT NOT NULL, payload_kind TEXT NOT NULL, payload_message TEXT,
      delivery_mode TEXT, delivery_channel TEXT, delivery_to TEXT, delivery_thread_id TEXT, PRIMARY KEY (store_key, job_id)) STRICT`);
  const add = (row: Record<string, string | number>) => {
    const all = {
      ...{ store_key: 'cron', enabled: 1, created_at_ms: 1, session_target: 'isolated', wake_mode: 'now' },
      ...{ payload_kind: 'agentTurn', ...row },
    };
    db.prepare(`INSERT INTO cron_jobs (${Object.keys(all)}) VALUES (${Object.keys(all).map(() => '?')})`).run(
      ...Object.values(all),
    );
  };
  add({
    ...{ job_id: 'a1', name: 'Brief', schedule_kind: 'cron', schedule_expr: '0 7 * * *', schedule_tz: 'Europe/Berlin' },
    ...{ payload_message: 'What is new?', delivery_mode: 'announce', delivery_channel: 'telegram' },
    ...{ delivery_to: '-1001234567890', delivery_thread_id: '42' },
  });
  add({
    job_id: 'a2',
    name: 'Water',
    enabled: 0,
    schedule_kind: 'every',
    every_ms: 5_400_000,
    payload_message: 'Drink',
  });
  add({
    job_id: 'a3',
    name: 'Once',
    schedule_kind: 'at',
    at: `${SOON}Z`,
    payload_kind: 'systemEvent',
    payload_message: 'Call',
  });
  add({ job_id: 'a4', name: 'Probe', schedule_kind: 'cron', schedule_expr: '* * * * *', payload_kind: 'command' });
  return db;
}

test('the jobs of its database are taken while it runs, and its folder is left as it was', async () => {
  const folder = openclaw();
  fs.rmSync(path.join(folder, 'cron'), { recursive: true });
  const db = database(folder);
  const before = fs.readdirSync(folder, { recursive: true }).sort();
  const home = path.join(tempFolder(), 'home');
  const { code, out } = await viber(home, ['import', 'openclaw', folder, '--yes']);
  expect(code).toBe(0);
  expect(fs.readdirSync(folder, { recursive: true }).sort()).toEqual(before);
  db.close();
  const made = tree(home);
  expect(made['jobs/brief.yaml']).toContain('schedule: "0 7 * * *"\ntimezone: "Europe/Berlin"\nprompt: "What is new?"');
  expect(made['jobs/brief.yaml']).toContain('deliver: ["telegram:-1001234567890:42"]');
  expect(made['jobs/water.yaml']).toMatch(/schedule: "every 90 minutes"[\s\S]*enabled: false/);
  expect(made['jobs/once.yaml']).toContain(`"${SOON}Z"`);
  expect(out).toContain('The job "Probe" is not imported: it runs a command');
  expect(out).toContain('Stop OpenClaw before you start the gateway');
});

test('a database that is damaged costs its jobs alone', async () => {
  const folder = openclaw();
  fs.rmSync(path.join(folder, 'cron'), { recursive: true });
  fs.mkdirSync(path.join(folder, 'state'));
  fs.writeFileSync(path.join(folder, 'state/openclaw.sqlite'), 'no database at all'.repeat(500));
  const home = path.join(tempFolder(), 'home');
  const { code, out } = await viber(home, ['import', 'openclaw', folder, '--yes']);
  expect(code).toBe(0);
  expect(out).toContain('state/openclaw.sqlite could not be read');
  expect(tree(home)['workspace/MEMORY.md']).toContain('likes tea');
});

test('the folder of an older version, its notes in folders, and the agents that have a workspace of their own', async () => {
  const folder = openclaw();
  const put = (name: string, text: string) => putFile(folder, name, text);
  fs.rmSync(path.join(folder, 'openclaw.json'));
  fs.rmSync(path.join(folder, 'workspace/MEMORY.md'));
  put('workspace/memory.md', '# Memory\n- likes coffee\n');
  put('workspace/memory/projects/kitchen.md', 'Paint it\n');
  const agents = {
    defaults: { workspace: '/nowhere/clawd' },
    list: [{ id: 'main' }, { id: 'work', workspace: '/srv/work' }],
  };
  put('clawdbot.json', JSON.stringify({ agents, channels: { discord: { token: SECRETS[0] } } }));
  put(
    'cron/jobs.json',
    JSON.stringify({
      version: 1,
      jobs: [
        {
          id: '1',
          name: 'Later',
          enabled: true,
          schedule: { kind: 'at', atMs: Date.parse(`${SOON}Z`) },
          payload: { kind: 'agentTurn', message: 'Go', deliver: true, channel: 'discord', to: 'channel:99887' },
        },
      ],
    }),
  );
  const home = path.join(tempFolder(), 'home');
  const { out } = await viber(home, ['import', 'openclaw', folder, '--yes']);
  const made = tree(home);
  expect(made['workspace/MEMORY.md']).toContain('likes coffee');
  expect(made['workspace/memory/projects/kitchen.md']).toBe('Paint it\n');
  expect(made['jobs/later.yaml']).toContain(`"${SOON}Z"`);
  expect(made['jobs/later.yaml']).toContain('deliver: ["discord:99887"]');
  expect(out).toContain(
    'Set DISCORD_BOT_TOKEN yourself: OpenClaw has its own under channels.discord.token in clawdbot.json',
  );
  expect(out).toContain('The agent "work" has its own workspace in /srv/work');
});

test.each([
  ['a folder that is not there', '/dev/null/nowhere', 'There is no folder'],
  ['a folder of something else', import.meta.dirname, 'neither openclaw.json nor a workspace'],
])('%s is refused', async (_what, folder, words) => {
  const home = path.join(tempFolder(), 'home');
  expect(await viber(home, ['import', 'openclaw', folder])).toMatchObject({
    code: 1,
    err: expect.stringContaining(words),
  });
});

test('nothing behind a link is taken over: files, folders on the way, whole skills, the workspace', async () => {
  const outside = tempFolder();
  for (const name of ['note.md', 'SKILL.md', 'jobs.json', 'MEMORY.md'])
    fs.writeFileSync(path.join(outside, name), 'OUTSIDE');
  const plant = (source: string, names: string[]) => {
    for (const name of names) {
      fs.rmSync(path.join(source, name), { recursive: true, force: true });
      fs.symlinkSync(outside, path.join(source, name));
    }
    return source;
  };
  const CONTEXT = {
    ...NO_OPTIONS,
    args: [],
    config: undefined,
    home: '',
    json: false,
    env: {},
    print: () => undefined,
  };
  const sources = [
    plant(openclaw(), ['workspace/memory', 'workspace/skills', 'skills/notes', 'cron', 'state']),
    plant(openclaw(), ['skills', 'workspace/skills/weather', 'workspace/memory/deep']),
    plant(openclaw(), ['workspace']),
    plant(openclaw(), ['openclaw.json', 'skills/notes/SKILL.md', 'workspace/memory/projects.md', 'cron/jobs.json']),
  ];
  const links = [
    ['workspace/memory', 'workspace/skills', 'skills/notes', 'cron/jobs.json'],
    ['skills', 'workspace/skills/weather', 'workspace/memory/deep'],
    ['workspace'],
    ['openclaw.json', 'skills/notes/SKILL.md', 'workspace/memory/projects.md', 'cron/jobs.json'],
  ];
  for (const [n, source] of sources.entries()) {
    const plan = await planOpenClaw(source, new Date(), servicesFor(CONTEXT));
    expect(plan.writes.filter(({ content }) => content.includes('OUTSIDE'))).toEqual([]);
    // Each is named once.
    for (const name of links[n] ?? [])
      expect(plan.notes.filter((note) => note.startsWith(`${path.join(source, name)} is not imported`))).toHaveLength(
        1,
      );
  }
});
