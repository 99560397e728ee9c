/** Lists of pages that are long: a hundred at a time, everything once, and each of the viber that is asked for. */
import { expect, test } from 'vitest';
import { usageDay } from '../../../src/workspace/usage.ts';
import { openWorld } from '../../dialogs/harness.ts';
import { put } from '../../helpers/temp.ts';

const TOKEN = 'the-token-of-the-owner';
const COUNT = 250;
const LONG = '20260101-aaaaa';
const FROM = { channel: 'telegram', user: '1001', name: 'Alex' };
const all = <T>(make: (n: number) => T): T[] => Array.from({ length: COUNT }, (_, n) => make(n));

function fill(home: string): void {
  const write = (file: string, text: string) => put(home, file, text);
  for (let n = 0; n < COUNT; n += 1) {
    const day = new Date(Date.UTC(2025, 0, 1 + n)).toISOString().slice(0, 10);
    write(`workspace/memory/${day}.md`, `# ${day}\n\n- Something happened\n`);
    write(`workspace/skills/own-${n}/SKILL.md`, `---\nname: own-${n}\ndescription: Does ${n}\n---\nDo ${n}.\n`);
    write(`jobs/job-${n}.yaml`, `name: Job ${n}\nschedule: "0 9 * * 1"\ntimezone: UTC\nprompt: Do ${n}\n`);
  }
  write('vibers/dev/skills/of-dev/SKILL.md', '---\nname: of-dev\ndescription: Develops\n---\nDevelop.\n');
  const links = all((n) => ({ identity: `slack:T1:U${n}`, person: `p${n}~abcde`, linkedAt: new Date().toISOString() }));
  write('access/links.json', JSON.stringify(links));
  const at = new Date().toISOString();
  const call = { type: 'call', at, model: 'm', ms: 1, run: 'r', viber: 'default' };
  const lines = all((n) => ({ ...call, person: `p${n}`, task: `t${n}`, inputTokens: n, outputTokens: 0 }));
  lines.push(...all((n) => ({ ...call, person: 'p', task: LONG, inputTokens: 1, outputTokens: 0, ms: n })));
  const record = { id: LONG, viber: 'default', goal: 'Long', title: 'Long', people: ['telegram:1001'], runs: COUNT };
  const task = { ...record, conversations: ['telegram@1:1001'], state: 'completed', createdAt: at, updatedAt: at };
  write(`artifacts/${LONG}/task.json`, JSON.stringify(task));
  const said = all((n) => [
    { type: 'message', id: `m${n}`, run: `r${n}`, at, text: `Words ${n}`, from: FROM, files: [] },
    { type: 'result', run: `r${n}`, at, state: 'completed', text: `Answer ${n}`, summary: '', artifactRefs: [] },
  ]).flat();
  const session = [{ type: 'session', version: 1, taskId: LONG, viber: 'default', createdAt: at }, ...said];
  write(`agents/default/sessions/${LONG}.jsonl`, `${session.map((line) => JSON.stringify(line)).join('\n')}\n`);
  write(`usage/${usageDay(Date.now())}.jsonl`, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
}

test('every long list comes whole, a hundred at a time', async () => {
  const people = all((n) => ({ name: `Person ${n}`, role: 'member', ids: [`telegram:${5000 + n}`] }));
  const owner = { name: 'alex', role: 'owner', ids: ['telegram:1001'] };
  const world = await openWorld({
    prepare: fill,
    config: { http: { port: 0, token: TOKEN }, people: [owner, ...people], jobs: { max: 1000 } },
  });
  const get = async (at: string): Promise<Record<string, unknown>> => {
    const url = `http://127.0.0.1:${world.app.port}${at}`;
    return JSON.parse(await (await fetch(url, { headers: { authorization: `Bearer ${TOKEN}` } })).text());
  };
  const whole = async (at: string, list: string, next = 'next', after = 'after') => {
    const found: unknown[] = [];
    for (let place: unknown = ''; place !== undefined; ) {
      const mark = `${at.includes('?') ? '&' : '?'}${after}=${encodeURIComponent(String(place))}`;
      const page = await get(`${at}${place === '' ? '' : mark}`);
      const items = page[list];
      if (!Array.isArray(items)) throw new Error(`${at} has no ${list}: ${JSON.stringify(page).slice(0, 200)}`);
      expect([at, items.length <= 100]).toEqual([at, true]);
      found.push(...items);
      place = page[next];
    }
    expect([at, new Set(found.map((item) => JSON.stringify(item))).size]).toEqual([at, found.length]);
    return found.length;
  };
  expect(await whole('/api/files', 'files')).toBeGreaterThanOrEqual(COUNT);
  expect(await whole('/api/skills', 'skills')).toBeGreaterThanOrEqual(COUNT);
  expect(await whole('/api/jobs', 'jobs')).toBe(COUNT);
  expect(await whole('/api/people', 'people')).toBe(COUNT + 1);
  expect(await whole('/api/people', 'links', 'nextLink', 'afterLink')).toBe(COUNT);
  expect(await whole('/api/usage', 'tasks', 'nextTask', 'afterTask')).toBe(COUNT + 1);
  expect(await whole('/api/usage', 'people', 'nextPerson', 'afterPerson')).toBe(COUNT + 1);
  expect(await whole(`/api/tasks/${LONG}/trace`, 'events')).toBe(2 * COUNT);
  expect(await whole(`/api/tasks/${LONG}/cost`, 'calls')).toBe(COUNT);
  const { events } = await get(`/api/tasks/${LONG}/trace`);
  expect((events as unknown[]).slice(0, 2)).toMatchObject([
    { what: 'completed', detail: `Answer ${COUNT - 1}` },
    { detail: `Words ${COUNT - 1}` },
  ]);
  const named = async (at: string) => JSON.stringify(await get(at));
  expect(await named('/api/skills?viber=dev')).toContain('of-dev');
  expect(await named('/api/skills')).not.toContain('of-dev');
  expect(await named('/api/skills/of-dev?viber=dev')).toContain('Develop.');
  expect(await named('/api/skills?viber=nobody')).toContain('not_found');
});
