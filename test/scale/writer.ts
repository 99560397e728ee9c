/** A process of a test: says `ready`, and changes each file that processes share so many times once it is told to. */
import { once } from 'node:events';
import path from 'node:path';
import { openLanguages, openOwners, Zones } from '../../src/access/known.ts';
import type { Principal } from '../../src/access/principal.ts';
import { openRedisEngine } from '../../src/engine/redis/engine.ts';
import { shareLocks } from '../../src/lib/locks.ts';
import { createLog } from '../../src/log.ts';
import { openConversationSettings, openConversations } from '../../src/runtime/conversations/conversations.ts';
import { ExpectedAnswers } from '../../src/runtime/conversations/expected.ts';
import { openReadCursors } from '../../src/runtime/conversations/read-cursors.ts';

const [, , root = '', url = '', name = '', count = '0'] = process.argv;
const fail = (error: unknown) => {
  throw error;
};
const engine = await openRedisEngine({
  ...{ url, leaseMs: 6_000, shards: 1, replicas: 0, dedupeDays: 1, onDead: fail, onError: fail },
});
const unshare = shareLocks(root, (lock, work) => engine.lock(lock, work));
const log = createLog({ level: 'silent', pretty: false, write: () => undefined });
const access = path.join(root, 'access');
const owners = openOwners(access, () => true);
const zones = new Zones(access);
const languages = openLanguages({ folder: access, configured: 'auto', prefixes: {}, log });
const expected = new ExpectedAnswers(path.join(root, 'expected.json'));
const conversations = openConversations(root);
const settings = openConversationSettings(path.join(root, 'settings'), () => ({}));

process.stdout.write('ready\n');
await once(process.stdin, 'data');

for (let n = 0; n < Number(count); n++) {
  const user = `${name}-${n}`;
  const who: Principal = { channel: 'telegram', account: '1', user, role: 'member', via: 'message', name: user };
  const address = { channel: 'telegram', account: '1', chat: user };
  owners.note(who, address);
  zones.set(who, 'Europe/Berlin');
  zones.asksIn(who, `run of ${user}`);
  languages.note(who, undefined, 'de');
  languages.close();
  expected.set(address, user, { command: 'approve', args: user });
  const cursors = openReadCursors(root, 'slack', log);
  cursors.set(user, '1795443460.000100');
  await cursors.close();
  await conversations.bind({ key: user, taskId: `20260101-aaaa${n % 4}`, viber: 'default', address, isDirect: true });
  await settings.set({ ...address, chat: String(n) }, name === 'one' ? { live: 'off' } : { queue: 'collect' });
}
unshare();
await engine.close();
process.exit(0);
