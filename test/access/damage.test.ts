/** Damaged files of `access/` never widen anybody's rights. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { Links } from '../../src/access/links.ts';
import { openPairing } from '../../src/access/pairing.ts';
import { createPeople } from '../../src/access/people.ts';
import { type Damage, listenForDamage } from '../../src/lib/damage.ts';
import { loadRequests } from '../../src/runtime/approvals/files.ts';
import { tempFolder } from '../helpers/temp.ts';

const now = Date.parse('2026-01-05T10:00:00Z');
const OLD = new Date('2026-01-01T00:00:00Z');

function open() {
  const home = tempFolder();
  const folder = path.join(home, 'access');
  fs.mkdirSync(folder);
  const told: Damage[] = [];
  listenForDamage(home, (damage) => told.push(damage));
  const pairing = () => openPairing(folder, false);
  const letIn = (n: number) => {
    const who = { identity: `telegram:${n}`, channel: 'telegram', name: `P${n}`, address: {} };
    return pairing().approve(pairing().request(who, now) ?? '', now).paired.role;
  };
  const put = (name: string, text: string) => {
    fs.writeFileSync(path.join(folder, name), text);
    fs.utimesSync(path.join(folder, name), OLD, OLD);
  };
  return { folder, told, pairing, letIn, put };
}

test.each(['', 'null', '{}', '"x"', '1', '[7, null]', '[{"identity":', '\0\0\0\0', '[{"identity":7,"role":"owner"}]'])(
  'nobody becomes the owner again when paired.json is %j',
  (text) => {
    const w = open();
    expect(w.letIn(1)).toBe('owner');
    w.put('paired.json', text);
    expect(w.pairing().paired()).toEqual([]);
    expect(w.letIn(2)).toBe('member');
    expect(w.told.map(({ file, tell }) => [path.basename(file), tell])).toEqual([['paired.json', true]]);
    expect(fs.readFileSync(path.join(w.folder, 'paired.json.bad'), 'utf8')).toBe(text);
  },
);

test('nor when the list is gone, or only its copy tells of it', () => {
  const w = open();
  w.letIn(1);
  fs.rmSync(path.join(w.folder, 'paired.json'));
  expect(w.letIn(2)).toBe('member');
  const other = open();
  other.put('paired.json.bad', '');
  expect(other.letIn(1)).toBe('member');
});

test('the entries that stand whole in a damaged list go on, one whose role is damaged does not', () => {
  const w = open();
  for (const n of [1, 2, 3]) w.letIn(n);
  const text = fs.readFileSync(path.join(w.folder, 'paired.json'), 'utf8');
  w.put('paired.json', text.slice(0, text.indexOf('"telegram:3"') + 4));
  expect(
    w
      .pairing()
      .paired()
      .map(({ identity, role }) => [identity, role]),
  ).toEqual([
    ['telegram:1', 'owner'],
    ['telegram:2', 'member'],
  ]);
  expect(w.told[0]?.lost).toContain('2 of its entries are kept');
  const list = JSON.parse(fs.readFileSync(path.join(w.folder, 'paired.json'), 'utf8'));
  w.put('paired.json', JSON.stringify(list.map((each: object) => ({ ...each, role: 'Owner' }))));
  expect(w.pairing().paired()).toEqual([]);
});

test('words that look like an entry, inside a name, are no entry', () => {
  const w = open();
  w.letIn(1);
  const forged =
    '\n  {\n    "identity": "telegram:666", "name": "x", "role": "owner", "approvedAt": "2026-01-01"\n  }\n';
  const [first] = w.pairing().paired();
  w.put('paired.json', `${JSON.stringify([{ ...first, name: forged }, first], null, 2).slice(0, -8)}`);
  expect(
    w
      .pairing()
      .paired()
      .map(({ identity }) => identity),
  ).not.toContain('telegram:666');
});

test('a damaged list of links takes rights away, and nine damaged ones are kept', () => {
  const w = open();
  const links = () => new Links(w.folder, () => now);
  const identity = { channel: 'telegram', account: 'a', user: '1', role: 'owner', via: 'message', name: 'P1' } as const;
  w.letIn(1);
  const { code } = links().issue(identity, { channel: 'telegram', account: 'a', chat: '1' });
  links().redeem(code, { identity: 'discord:2', role: 'guest' });
  const role = () =>
    createPeople([], w.pairing(), links()).resolve({
      channel: 'discord',
      account: 'd',
      user: '2',
      via: 'message',
      name: '',
    }).principal.role;
  expect(role()).toBe('owner');
  for (let n = 0; n < 12; n++) {
    w.put('links.json', `damage ${n}`);
    expect(role()).toBe('guest');
  }
  const bad = fs.readdirSync(w.folder).filter((name) => name.startsWith('links.json.bad'));
  expect(bad).toHaveLength(9);
  expect(fs.readFileSync(path.join(w.folder, 'links.json.bad'), 'utf8')).toBe('damage 0');
});

test('a damaged request counts as never asked, whatever its decision says', () => {
  const w = open();
  const id = 'a'.repeat(24);
  const folder = path.join(w.folder, 'approvals');
  fs.mkdirSync(folder);
  for (const text of [
    `{"id":"${id}","asked":[],"decision":{"verdict":"approve"}}`,
    `{"id":"${id}","asked":[null]}`,
    `{"id":"${id}"`,
  ]) {
    fs.writeFileSync(path.join(folder, `${id}.json`), text);
    expect([...loadRequests(folder).keys()]).toEqual([]);
  }
  expect(w.told).toHaveLength(3);
});
