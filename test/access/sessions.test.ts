/** Codes and logins of the Board: what is good, for how long, and what stands on the disk of it. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Account } from '../../src/board/speakers.ts';
import { CODE_MS, IDLE_MS, isKeyOf, openSessions } from '../../src/features/board/sessions.ts';
import { tempFolder } from '../helpers/temp.ts';

const NOW = 1_800_000_000_000;
const HOUR = 3_600_000;
const KIM: Account = { channel: 'slack', account: 'B1', workspace: 'T1', user: 'U7', name: 'Kim' };

function world() {
  const folder = tempFolder();
  const sessions = openSessions(folder);
  const file = path.join(folder, 'sessions.json');
  const login = (at = NOW, by?: Account) => {
    const made = sessions.trade(sessions.issue(by ? 'chat' : 'machine', by, at), 'Firefox', at);
    if (!made) throw new Error('no session');
    return made;
  };
  return { sessions, login, text: () => fs.readFileSync(file, 'utf8'), stamp: () => fs.statSync(file).ino };
}

describe('a code', () => {
  it('is 128 bits that no chat formats, and stands nowhere but in the link', () => {
    const { sessions, text } = world();
    const [one, two] = [sessions.issue('machine', undefined, NOW), sessions.issue('machine', undefined, NOW)];
    expect(one).toMatch(/^[0-9a-f]{32}$/);
    expect(one).not.toBe(two);
    expect(text()).not.toContain(one);
  });

  it('is good once, and until five minutes are over', () => {
    const { sessions } = world();
    const [used, late] = [sessions.issue('machine', undefined, NOW), sessions.issue('machine', undefined, NOW)];
    expect(sessions.trade(used, 'x', NOW + CODE_MS - 1)).toBeDefined();
    expect(sessions.trade(used, 'x', NOW + CODE_MS - 1)).toBeUndefined();
    expect(sessions.trade(late, 'x', NOW + CODE_MS)).toBeUndefined();
    expect(sessions.list(NOW)).toHaveLength(1);
  });

  it('that is a guess costs no write, and a session’s secret is none', () => {
    const { sessions, login, stamp } = world();
    const { cookie, key } = login();
    const before = stamp();
    for (const guess of ['', '0'.repeat(32), cookie, cookie.split('.')[1] ?? '', key])
      expect(sessions.trade(guess, 'x', NOW)).toBeUndefined();
    expect(stamp()).toBe(before);
  });

  it('waits with at most twenty others, the newest of them', () => {
    const { sessions } = world();
    const codes = Array.from({ length: 21 }, (_, n) => sessions.issue('machine', undefined, NOW + n));
    expect(sessions.trade(codes[0] ?? '', 'x', NOW + 30)).toBeUndefined();
    expect(sessions.trade(codes[1] ?? '', 'x', NOW + 30)).toBeDefined();
    expect(sessions.trade(codes[20] ?? '', 'x', NOW + 30)).toBeDefined();
  });
});

describe('a login', () => {
  it('is found by its cookie and known by its key, of which hashes alone are kept', () => {
    const { sessions, login, text } = world();
    const { session, cookie, key } = login(NOW, KIM);
    expect(sessions.find(cookie, NOW)).toEqual(session);
    expect(session).toMatchObject({ kind: 'session', from: 'chat', by: KIM, since: NOW, seen: NOW, agent: 'Firefox' });
    expect(sessions.get(session.id, NOW)).toEqual(session);
    expect([isKeyOf(session, key), isKeyOf(session, `${key}0`), isKeyOf(session, '')]).toEqual([true, false, false]);
    const { key: _key, ...without } = session;
    expect(isKeyOf(without, key)).toBe(false);
    for (const secret of [cookie.split('.')[1] ?? '-', key]) expect(text()).not.toContain(secret);
  });

  it.each([
    ['of another', (cookie: string, other: string) => `${cookie.split('.')[0]}.${other.split('.')[1]}`],
    ['without a secret', (cookie: string) => cookie.split('.')[0] ?? ''],
    ['with an empty one', (cookie: string) => `${cookie.split('.')[0]}.`],
    ['that is longer', (cookie: string) => `${cookie}0`],
    ['of nobody', () => '.'],
  ])('is not found by a cookie %s', (_what, make) => {
    const { sessions, login } = world();
    const [{ cookie }, { cookie: other }] = [login(), login()];
    expect(sessions.find(make(cookie, other), NOW)).toBeUndefined();
    expect(sessions.find(cookie, NOW)).toBeDefined();
  });

  it('ends after thirty days without use; an hour of use after the last note begins them anew', () => {
    const { sessions, login, stamp } = world();
    const { session, cookie } = login();
    const { cookie: idle } = login();
    const before = stamp();
    sessions.touch(session, NOW + HOUR - 1);
    expect(stamp()).toBe(before);
    sessions.touch(session, NOW + HOUR);
    expect(stamp()).not.toBe(before);
    expect(sessions.find(idle, NOW + IDLE_MS)).toBeUndefined();
    expect(sessions.find(cookie, NOW + IDLE_MS)).toMatchObject({ seen: NOW + HOUR });
    expect(sessions.find(cookie, NOW + HOUR + IDLE_MS)).toBeUndefined();
    expect(sessions.get(session.id, NOW + HOUR + IDLE_MS)).toBeUndefined();
  });

  it('ends at once when it is revoked, and no code does by its id', () => {
    const { sessions, login } = world();
    const { session, cookie } = login();
    const { cookie: kept } = login();
    const code = sessions.issue('machine', undefined, NOW);
    expect(sessions.revoke('nothing')).toBe(false);
    expect(sessions.revoke(session.id)).toBe(true);
    expect(sessions.revoke(session.id)).toBe(false);
    expect([sessions.find(cookie, NOW), sessions.find(kept, NOW) !== undefined]).toEqual([undefined, true]);
    expect(sessions.trade(code, 'x', NOW)).toBeDefined();
  });

  it('is listed with whose it is and what its browser calls itself, never with a secret', () => {
    const { sessions, login } = world();
    const { session } = login(NOW, KIM);
    sessions.touch(session, NOW + HOUR);
    const machine = sessions.trade(sessions.issue('machine', undefined, NOW), 'x'.repeat(500), NOW);
    const plain = sessions.trade(sessions.issue('machine', undefined, NOW), '', NOW);
    sessions.issue('machine', undefined, NOW);
    const iso = (at: number) => new Date(at).toISOString();
    expect(new Map(sessions.list(NOW + 1).map((info) => [info.id, info]))).toEqual(
      new Map([
        [
          session.id,
          { id: session.id, from: 'chat', name: 'Kim', since: iso(NOW), seen: iso(NOW + HOUR), agent: 'Firefox' },
        ],
        [
          machine?.session.id,
          { id: machine?.session.id, from: 'machine', since: iso(NOW), seen: iso(NOW), agent: 'x'.repeat(200) },
        ],
        [plain?.session.id, { id: plain?.session.id, from: 'machine', since: iso(NOW), seen: iso(NOW) }],
      ]),
    );
    expect(sessions.list(NOW + HOUR + IDLE_MS)).toEqual([]);
  });

  it('is one of at most fifty, those that were used last, and pushes out no code', () => {
    const { sessions, login } = world();
    const code = sessions.issue('machine', undefined, NOW);
    const all = Array.from({ length: 51 }, (_, n) => login(NOW + n));
    expect(sessions.list(NOW + 60)).toHaveLength(50);
    expect(all.map(({ cookie }) => sessions.find(cookie, NOW + 60) !== undefined).indexOf(true)).toBe(1);
    expect(sessions.trade(code, 'x', NOW + 60)).toBeDefined();
  });
});
