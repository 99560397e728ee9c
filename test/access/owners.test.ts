/** Where owners can be reached: those who are owners now. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openOwners } from '../../src/access/known.ts';
import { identityText, type Principal, readIdentity } from '../../src/access/principal.ts';
import { tempFolder } from '../helpers/temp.ts';

const ALEX: Principal = {
  channel: 'telegram',
  account: '1',
  user: '1001',
  role: 'owner',
  via: 'message',
  name: 'Alex',
};
const KIM: Principal = { ...ALEX, channel: 'slack', workspace: 'T1', user: 'U3' };

test('whoever was an owner once is told nothing more, also by a later process', () => {
  const folder = tempFolder();
  const now = new Set(['telegram:1001', 'slack:T1:U3']);
  const open = () => openOwners(folder, (identity) => now.has(identity));
  const owners = open();
  owners.note(ALEX, { channel: 'telegram', account: '1', chat: '1001' });
  owners.note(KIM, { channel: 'slack', account: '2', workspace: 'T1', chat: 'D3' });
  expect(owners.addresses().map(({ chat }) => chat)).toEqual(['1001', 'D3']);
  now.delete('telegram:1001');
  for (const each of [owners, open()]) expect(each.addresses().map(({ chat }) => chat)).toEqual(['D3']);
});

test.each(['telegram:1001', 'slack:T01:U03', 'discord:2002'])('%s is read as it is written', (text) => {
  expect(identityText(readIdentity(text))).toBe(text);
});

test('an owner is told where they wrote last, and never in a window of this machine', () => {
  const folder = tempFolder();
  const owners = openOwners(folder, () => true);
  owners.note(ALEX, { channel: 'telegram', account: '1', chat: '1001' });
  owners.note(ALEX, { channel: 'telegram', account: '1', chat: '1002' });
  for (const channel of ['terminal', 'local'])
    owners.note({ ...ALEX, channel, user: 'me' }, { channel, account: 'me', chat: 'me' });
  for (const each of [owners, openOwners(folder, () => true)])
    expect(each.addresses()).toEqual([{ channel: 'telegram', account: '1', chat: '1002' }]);
});

test('where they wrote is written once, not with each message', () => {
  const folder = tempFolder();
  const owners = openOwners(folder, () => true);
  const file = path.join(folder, 'owners.json');
  const at = { channel: 'telegram', account: '1', chat: '1001' };
  owners.note(ALEX, at);
  const { ino } = fs.statSync(file);
  owners.note(ALEX, at);
  expect(fs.statSync(file).ino).toBe(ino);
});

test('of a damaged list those that stand whole are reached still, by later processes too', () => {
  const folder = tempFolder();
  const file = path.join(folder, 'owners.json');
  const old = new Date('2026-01-01T00:00:00Z');
  const damaged = { 'telegram:1001': { channel: 'telegram', account: '1', chat: '1001' }, 'slack:T1:U3': { chat: 7 } };
  fs.writeFileSync(file, JSON.stringify(damaged));
  fs.utimesSync(file, old, old);
  for (let n = 0; n < 2; n++)
    expect(openOwners(folder, () => true).addresses()).toEqual([{ channel: 'telegram', account: '1', chat: '1001' }]);
  expect(Object.keys(JSON.parse(fs.readFileSync(file, 'utf8')))).toEqual(['telegram:1001']);
});
