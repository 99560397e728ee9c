/** Where owners can be reached: those who are owners now. */
import { expect, test } from 'vitest';
import { openOwners } from '../../src/access/owners.ts';
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
