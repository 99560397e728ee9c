/** Links between accounts: codes, who becomes whom, and what is lost when a link or the right behind it goes. */
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LINK_TTL_MS, Links, MAX_CODES } from '../../src/access/links.ts';
import type { PairedIdentity } from '../../src/access/pairing.ts';
import { createPeople, type PersonConfig } from '../../src/access/people.ts';
import { aliasesOf, identityText, isOneOf, type Principal, principalText } from '../../src/access/principal.ts';
import { UserError } from '../../src/errors.ts';
import { tempFolder, tree } from '../helpers/temp.ts';

const ALEX: PersonConfig = { name: 'alex', role: 'owner', ids: ['telegram:1', 'slack:T01:U03'] };
const START = 1_800_000_000_000;

/** A door with its people, links and pairings, and a clock to move. */
function world(configured: readonly PersonConfig[] = [ALEX], folder = tempFolder()) {
  const clock = { now: START };
  const paired: PairedIdentity[] = [];
  const links = new Links(folder, () => clock.now);
  const people = createPeople(configured, { paired: () => paired }, links);
  const resolve = (identity: string, name = 'Sam Lee') => {
    const [channel = '', ...rest] = identity.split(':');
    const [user = '', workspace] = rest.reverse();
    return people.resolve({ channel, user, account: 'b', via: 'command', name, ...(workspace ? { workspace } : {}) });
  };
  const who = (identity: string, name?: string): Principal => resolve(identity, name).principal;
  const address = (identity: string) => ({ channel: identity.split(':')[0] ?? '', account: 'b', chat: identity });
  return {
    ...{ folder, clock, paired, links, resolve, who },
    pair(identity: string, role: PairedIdentity['role'] = 'member') {
      paired.push({ identity, role, name: 'Sam', approvedAt: '', address: {} });
    },
    issue: (identity: string, name?: string) => links.issue(who(identity, name), address(identity)).code,
    redeem(code: string, identity: string) {
      const { principal, isKnown } = resolve(identity);
      const { person, role } = principal;
      return links.redeem(code, { identity, person, role, isStranger: !isKnown });
    },
  };
}
type World = ReturnType<typeof world>;
const link = (w: World, from: string, to: string) => w.redeem(w.issue(from), to);

describe('a code', () => {
  it('makes the account that enters it the person who showed it, with their rights', () => {
    const w = world();
    const code = w.issue('telegram:1');
    expect(code).toMatch(/^[A-HJ-NP-Z2-9]{8}$/);
    expect(w.resolve('discord:2')).toMatchObject({ isKnown: false, principal: { role: 'guest' } });
    expect(w.redeem(` ${code.slice(0, 4).toLowerCase()}-${code.slice(4)} `, 'discord:2')).toEqual({
      ok: true,
      person: 'alex',
      from: {
        identity: 'telegram:1',
        person: 'alex',
        name: 'Sam Lee',
        address: { channel: 'telegram', account: 'b', chat: 'telegram:1' },
      },
    });
    expect(w.resolve('discord:2')).toMatchObject({ isKnown: true, principal: { person: 'alex', role: 'owner' } });
    expect(principalText(w.who('discord:2'))).toBe('person:alex');
  });

  it('is good once, and once more only for the one who used it', () => {
    const w = world();
    const code = w.issue('telegram:1');
    w.redeem(code, 'discord:2');
    expect(w.redeem(code, 'discord:3')).toEqual({ ok: false, reason: 'unknown' });
    expect(w.redeem(code, 'discord:2')).toMatchObject({ ok: true, person: 'alex' });
    expect(w.links.links()).toHaveLength(1);
  });

  it('ends after ten minutes, and when the same person asks for another on any account', () => {
    const w = world();
    const old = w.issue('telegram:1');
    w.clock.now += LINK_TTL_MS - 1;
    const newer = w.issue('slack:T01:U03');
    expect(w.redeem(old, 'discord:2')).toEqual({ ok: false, reason: 'unknown' });
    w.clock.now += LINK_TTL_MS;
    expect(w.redeem(newer, 'discord:2')).toEqual({ ok: false, reason: 'expired' });
    expect(w.resolve('discord:2').isKnown).toBe(false);
  });

  it('survives a restart, as the answer that shows it does', () => {
    const w = world();
    const code = w.issue('telegram:1');
    const again = world([ALEX], w.folder);
    expect(again.redeem(code, 'discord:2')).toMatchObject({ ok: true });
    expect(world([ALEX], w.folder).who('discord:2').person).toBe('alex');
  });

  it('cut off by a crash before the link was written is entered again, by nobody else', () => {
    const w = world();
    const code = w.issue('telegram:1');
    const file = path.join(w.folder, 'link-codes.json');
    const [waiting] = JSON.parse(fs.readFileSync(file, 'utf8'));
    fs.writeFileSync(file, JSON.stringify([{ ...waiting, usedBy: 'discord:2' }]));
    w.clock.now += LINK_TTL_MS;
    expect(w.redeem(code, 'discord:3')).toEqual({ ok: false, reason: 'unknown' });
    expect(w.redeem(code, 'discord:2')).toMatchObject({ ok: true, person: 'alex' });
    expect(w.who('discord:2').person).toBe('alex');
  });

  it('is void once revoked', () => {
    const w = world();
    const code = w.issue('telegram:1');
    w.links.revoke('AAAAAAAA');
    w.links.revoke(code.toLowerCase());
    expect(w.redeem(code, 'discord:2')).toEqual({ ok: false, reason: 'unknown' });
  });

  it('leaves others’ codes alone when one is revoked, replaced or forgotten', () => {
    const w = world([]);
    for (const n of [1, 2, 3]) w.pair(`telegram:${n}`);
    const [gone, kept] = [w.issue('telegram:1'), w.issue('telegram:2')];
    w.links.revoke(gone);
    const replaced = w.issue('telegram:3');
    const newer = w.issue('telegram:3');
    expect(w.redeem(replaced, 'discord:3')).toEqual({ ok: false, reason: 'unknown' });
    link(w, 'telegram:1', 'discord:1');
    w.links.unlink('discord:1');
    expect(w.redeem(kept, 'discord:2')).toMatchObject({ ok: true });
    expect(w.redeem(newer, 'discord:3')).toMatchObject({ ok: true });
  });

  it('shows whose it is in at most 64 characters, and the account of those without a name', () => {
    const w = world();
    const nameBy = (name: string, to: string) => {
      const redeemed = w.redeem(w.issue('telegram:1', name), to);
      return redeemed.ok && redeemed.from.name;
    };
    expect(nameBy('x'.repeat(100), 'discord:2')).toBe('x'.repeat(64));
    expect(nameBy('', 'discord:3')).toBe('telegram:1');
  });

  it('is refused while a hundred of no lesser right wait, and not for those that are over', () => {
    const w = world([]);
    for (let n = 0; n <= MAX_CODES; n++) w.pair(`telegram:${n}`);
    for (let n = 0; n < MAX_CODES; n++) w.issue(`telegram:${n}`);
    expect(() => w.issue(`telegram:${MAX_CODES}`)).toThrow('Too many link codes are waiting');
    w.clock.now += LINK_TTL_MS;
    w.issue('telegram:9999');
    expect(JSON.parse(fs.readFileSync(path.join(w.folder, 'link-codes.json'), 'utf8'))).toHaveLength(1);
  });

  it('cannot be guessed: five wrong ones an hour for each account, and none writes a file', () => {
    const w = world();
    const code = w.issue('telegram:1');
    const before = tree(w.folder);
    for (let n = 0; n < 5; n++) expect(w.redeem('AAAAAAA2', 'discord:6')).toEqual({ ok: false, reason: 'unknown' });
    expect(w.redeem(code, 'discord:6')).toEqual({ ok: false, reason: 'too-many-tries' });
    expect(tree(w.folder)).toEqual(before);
    w.clock.now += 3_600_000;
    expect(w.redeem('AAAAAAA2', 'discord:6')).toEqual({ ok: false, reason: 'unknown' });
    const fresh = w.issue('telegram:1');
    // The same number on another platform is somebody else, with tries of their own.
    expect(w.redeem(fresh, 'telegram:6')).toMatchObject({ ok: true });
  });

  it('is not refused for the guesses of ten thousand others', () => {
    const w = world();
    const code = w.issue('telegram:1');
    for (let n = 0; n < 10_050; n++) w.redeem('AAAAAAA2', `discord:1${n}`);
    expect(w.redeem(code, 'discord:2')).toMatchObject({ ok: true });
  });

  it('waits with at most a hundred others, and guests push out guests only', () => {
    const w = world();
    const owners = w.issue('telegram:1');
    const first = w.issue('telegram:1000');
    for (let n = 1; n <= MAX_CODES - 1; n++) w.pair(`telegram:${2000 + n}`);
    for (let n = 1; n <= MAX_CODES - 1; n++) w.issue(`telegram:${2000 + n}`);
    expect(w.redeem(first, 'telegram:7')).toEqual({ ok: false, reason: 'unknown' });
    expect(() => w.issue('telegram:1001')).toThrow(UserError);
    expect(JSON.parse(fs.readFileSync(path.join(w.folder, 'link-codes.json'), 'utf8'))).toHaveLength(MAX_CODES);
    expect(w.redeem(owners, 'discord:2')).toMatchObject({ ok: true });
  });
});

describe('who may enter a code', () => {
  it('nobody their own, on whichever account', () => {
    const w = world();
    expect(link(w, 'telegram:1', 'telegram:1')).toEqual({ ok: false, reason: 'own' });
    expect(link(w, 'telegram:1', 'slack:T01:U03')).toEqual({ ok: false, reason: 'own' });
    link(w, 'telegram:1', 'discord:2');
    expect(link(w, 'telegram:1', 'discord:2')).toEqual({ ok: false, reason: 'own' });
    // Nor somebody who is no person yet.
    const alone = world([]);
    alone.pair('telegram:9');
    expect(link(alone, 'telegram:9', 'telegram:9')).toEqual({ ok: false, reason: 'own' });
    expect(alone.links.links()).toEqual([]);
  });

  it('nobody who is a person already: configured, or linked', () => {
    const w = world([ALEX, { name: 'kim', role: 'member', ids: ['telegram:5'] }]);
    expect(link(w, 'telegram:1', 'telegram:5')).toEqual({ ok: false, reason: 'taken' });
    expect(link(w, 'telegram:5', 'telegram:1')).toEqual({ ok: false, reason: 'taken' });
    link(w, 'telegram:5', 'discord:5');
    expect(link(w, 'telegram:1', 'discord:5')).toEqual({ ok: false, reason: 'taken' });
    expect(w.who('discord:5').person).toBe('kim');
  });

  it('nobody who would give up rights: a paired owner is not talked into being a member', () => {
    const w = world([]);
    w.pair('telegram:1', 'owner');
    w.pair('telegram:9', 'member');
    expect(link(w, 'telegram:9', 'telegram:1')).toEqual({ ok: false, reason: 'taken' });
    expect(link(w, 'telegram:9', 'local:alex')).toEqual({ ok: false, reason: 'taken' });
    expect(link(w, 'telegram:1', 'telegram:9')).toMatchObject({ ok: true });
    expect(w.who('telegram:9').role).toBe('owner');
  });

  it('no stranger with the code of a guest, who cannot vouch for anybody', () => {
    const w = world([]);
    expect(link(w, 'telegram:8', 'discord:8')).toEqual({ ok: false, reason: 'not-let-in' });
    const { identity, role } = { identity: 'discord:8', role: 'guest' as const };
    expect(w.links.redeem(w.issue('telegram:8'), { identity, role })).toMatchObject({ ok: true });
    // One person, and still let in by nobody's word but the door's.
    expect(w.resolve('discord:8')).toMatchObject({ isKnown: false, principal: { role: 'guest' } });
    expect(w.who('discord:8').person).toBe(w.who('telegram:8').person);
  });
});

describe('a person made by linking', () => {
  it('has a readable name that no configuration can hold, the same for both accounts', () => {
    const w = world([]);
    w.pair('telegram:1');
    link(w, 'telegram:1', 'discord:2');
    const name = w.who('telegram:1').person ?? '';
    expect(name).toMatch(/^sam-lee~[a-z2-9]{5}$/);
    expect(w.who('discord:2').person).toBe(name);
    expect(w.resolve('discord:2')).toMatchObject({ isKnown: true, principal: { role: 'member' } });
  });

  it.each([
    ['../../etc/passwd', /^etc-passwd~/],
    ['💥', /^person~/],
    ['\u202Eевлас `x`', /^евлас-x~/],
    ['alex', /^alex~[a-z2-9]{5}$/],
    ['x'.repeat(5_000), /^x{24}~/],
  ])('is named safely for %s', (displayName, expected) => {
    const w = world();
    w.pair('telegram:9');
    w.redeem(w.issue('telegram:9', displayName), 'discord:9');
    expect(w.who('discord:9').person).toMatch(expected);
    expect(w.who('discord:9').person).not.toBe('alex');
  });

  it('grows by codes from any of its accounts, and each has the rights of the first', () => {
    const w = world([]);
    w.pair('telegram:1');
    link(w, 'telegram:1', 'discord:2');
    expect(link(w, 'discord:2', 'slack:T1:U1')).toMatchObject({ ok: true });
    expect(w.links.links().map(({ identity, to }) => [identity, to])).toEqual([
      ['telegram:1', undefined],
      ['discord:2', 'telegram:1'],
      ['slack:T1:U1', 'telegram:1'],
    ]);
    expect(new Set(['telegram:1', 'discord:2', 'slack:T1:U1'].map((identity) => w.who(identity).person)).size).toBe(1);
  });

  it('is known under all its accounts, so that tasks begun before linking stay theirs', () => {
    const w = world([]);
    w.pair('telegram:1');
    link(w, 'telegram:1', 'discord:2');
    const person = principalText(w.who('telegram:1'));
    expect([...aliasesOf(w.who('discord:2'))].sort()).toEqual(['discord:2', person, 'telegram:1'].sort());
    expect(aliasesOf(w.who('telegram:2'))).not.toContain('discord:2');
    expect(aliasesOf(w.who('telegram:2'))).toContain('telegram:2');
  });

  it('keeps the tasks of its made name when the configuration gives it another', () => {
    const w = world([]);
    w.pair('telegram:1');
    link(w, 'telegram:1', 'discord:2');
    const made = principalText(w.who('telegram:1'));
    const later = world([{ name: 'sam', role: 'owner', ids: ['telegram:1'] }], w.folder);
    expect(later.who('discord:2')).toMatchObject({ person: 'sam', role: 'owner' });
    expect(aliasesOf(later.who('discord:2'))).toEqual(expect.arrayContaining(['person:sam', made, 'telegram:1']));
    expect(link(later, 'discord:2', 'slack:T1:U9')).toMatchObject({ ok: true, person: 'sam' });
    expect(later.who('slack:T1:U9').person).toBe('sam');
  });

  it('has at most twenty accounts, whatever others have', () => {
    const w = world([]);
    w.pair('telegram:1');
    w.pair('telegram:2');
    for (let n = 1; n < 20; n++) expect(link(w, 'telegram:1', `discord:1${n}`)).toMatchObject({ ok: true });
    expect(w.links.links()).toHaveLength(20);
    expect(() => link(w, 'telegram:1', 'discord:120')).toThrow('No more accounts can be linked');
    expect(w.resolve('discord:120').isKnown).toBe(false);
    expect(link(w, 'telegram:2', 'discord:120')).toMatchObject({ ok: true });
    expect(w.links.links()).toHaveLength(22);
  });

  it('takes the place of who an account was before its person left the configuration', () => {
    const w = world();
    link(w, 'telegram:1', 'discord:1');
    const without = world([{ name: 'kim', role: 'member', ids: ['telegram:5'] }], w.folder);
    expect(link(without, 'telegram:5', 'discord:1')).toMatchObject({ ok: true, person: 'kim' });
    expect(without.links.links().map(({ identity, to }) => [identity, to])).toEqual([['discord:1', 'telegram:5']]);
    expect(without.who('discord:1')).toMatchObject({ person: 'kim', role: 'member' });
  });

  it('includes the terminal, which stays the owner', () => {
    const w = world([]);
    link(w, 'local:alex', 'telegram:1');
    expect(w.resolve('telegram:1')).toMatchObject({ isKnown: true, principal: { role: 'owner' } });
    expect(w.who('local:alex')).toMatchObject({ role: 'owner', person: w.who('telegram:1').person });
  });
});

describe('a link ends', () => {
  it('when it is removed: the account is alone again, and its codes are void', () => {
    const w = world();
    const used = w.issue('telegram:1');
    w.redeem(used, 'discord:2');
    const waiting = w.issue('discord:2');
    expect(w.links.unlink('discord:2')).toBe(true);
    expect(w.links.unlink('discord:2')).toBe(false);
    expect(w.resolve('discord:2')).toMatchObject({ isKnown: false, principal: { role: 'guest' } });
    expect(aliasesOf(w.who('discord:2'))).not.toContain('person:alex');
    expect(w.redeem(waiting, 'slack:T9:U9')).toEqual({ ok: false, reason: 'unknown' });
    expect(w.redeem(used, 'discord:2')).toEqual({ ok: false, reason: 'unknown' });
  });

  it('and with it the code that made it, which nobody enters once more', () => {
    const w = world();
    const code = w.issue('telegram:1');
    expect(w.redeem(code, 'discord:2')).toMatchObject({ ok: true });
    w.links.unlink('discord:2');
    expect(w.redeem(code, 'discord:2')).toEqual({ ok: false, reason: 'unknown' });
    expect(w.resolve('discord:2')).toMatchObject({ isKnown: false, principal: { role: 'guest' } });
  });

  it('never under those who hang on it', () => {
    const w = world([]);
    w.pair('telegram:1');
    link(w, 'telegram:1', 'discord:2');
    link(w, 'telegram:1', 'discord:3');
    expect(() => w.links.unlink('telegram:1')).toThrow('remove those instead: discord:2, discord:3.');
    w.links.unlink('discord:3');
    w.links.unlink('discord:2');
    // Nothing is linked to it any more, and nothing is left to remove.
    expect(w.links.unlink('telegram:1')).toBe(false);
    expect(w.who('telegram:1').role).toBe('member');
  });

  it('in effect when the right behind it goes: no longer paired, no longer configured', () => {
    const w = world();
    w.pair('telegram:7');
    link(w, 'telegram:7', 'discord:7');
    link(w, 'telegram:1', 'discord:1');
    w.paired.length = 0;
    expect(w.resolve('discord:7')).toMatchObject({ isKnown: false, principal: { role: 'guest' } });
    expect(w.resolve('telegram:7').isKnown).toBe(false);
    const without = world([], w.folder);
    expect(without.resolve('discord:1')).toMatchObject({ isKnown: false, principal: { role: 'guest' } });
    expect(without.who('discord:1').person).toBeUndefined();
    // Nor is the name handed to somebody who is given it later.
    const other = world([{ name: 'alex', role: 'owner', ids: ['telegram:99'] }], w.folder);
    expect(other.who('discord:1').person).toBeUndefined();
    expect(aliasesOf(other.who('telegram:99'))).toEqual(['person:alex', 'telegram:99']);
    // Let in again by itself, the account can begin anew.
    without.pair('discord:1');
    expect(link(without, 'discord:1', 'slack:T1:U1')).toMatchObject({ ok: true });
    expect(without.who('slack:T1:U1')).toMatchObject({ role: 'member', person: without.who('discord:1').person });
  });

  it('when somebody edits the file, at once', () => {
    const w = world();
    link(w, 'telegram:1', 'discord:2');
    expect(w.who('discord:2').person).toBe('alex');
    fs.writeFileSync(path.join(w.folder, 'links.json'), '[]');
    expect(w.resolve('discord:2').isKnown).toBe(false);
    const hand = [
      { identity: 'discord:3', person: 'alex', linkedAt: 'today', to: 'telegram:1' },
      null,
      { identity: 7 },
    ];
    fs.writeFileSync(path.join(w.folder, 'links.json'), JSON.stringify(hand));
    expect(w.who('discord:3').person).toBe('alex');
  });
});

describe('what an account began', () => {
  it('stays with the person who stays when it is removed, whenever it was begun', () => {
    const w = world([]);
    w.pair('telegram:1');
    w.pair('discord:2');
    const before = [principalText(w.who('discord:2'))];
    link(w, 'telegram:1', 'discord:2');
    const during = [principalText(w.who('discord:2'))];
    w.links.unlink('discord:2');
    const after = [principalText(w.who('discord:2'))];
    const seenBy = (identity: string) => [before, during, after].map((people) => isOneOf(people, w.who(identity)));
    expect(seenBy('telegram:1')).toEqual([true, true, false]);
    expect(seenBy('discord:2')).toEqual([false, false, true]);
    // It still comes in by itself, and can be linked again.
    expect(w.resolve('discord:2')).toMatchObject({ isKnown: true, principal: { role: 'member' } });
    expect(link(w, 'telegram:1', 'discord:2')).toMatchObject({ ok: true });
    expect(seenBy('discord:2')).toEqual([true, true, true]);
    expect(seenBy('telegram:1')).toEqual([true, true, true]);
  });

  it('is whose it should be after any order of linking, removing and beginning', () => {
    const accounts = ['telegram:1', 'telegram:7', 'discord:2', 'slack:T1:U3'];
    const account = fc.constantFrom(...accounts);
    const action = fc.oneof(
      fc.record({ kind: fc.constant('link' as const), from: account, to: account }),
      fc.record({ kind: fc.constant('remove' as const), from: account }),
      fc.record({ kind: fc.constant('begin' as const), from: account }),
    );
    const actions = fc.array(action, { maxLength: 40 });
    const runs = Number(process.env.PROPERTY_RUNS ?? 150);
    fc.assert(
      fc.property(actions, fc.constantFrom<readonly PersonConfig[]>([], [ALEX]), (all, configured) => {
        const folder = tempFolder();
        const open = () => {
          const opened = world(configured, folder);
          for (const identity of accounts) opened.pair(identity);
          return opened;
        };
        let w = open();
        // The model: each account is one of a person's, and each task is a person's.
        const personOf = new Map(accounts.map((identity) => [identity, identity]));
        const tasks: { people: string[]; person: string }[] = [];
        let made = 0;
        for (const each of all) {
          const mine = personOf.get(each.from) ?? '';
          if (each.kind === 'begin') {
            tasks.push({ people: [principalText(w.who(each.from))], person: mine });
          } else if (each.kind === 'link') {
            const theirs = personOf.get(each.to) ?? '';
            if (!link(w, each.from, each.to).ok) continue;
            expect([...personOf.values()].filter((person) => person === theirs)).toHaveLength(1);
            personOf.set(each.to, mine);
            for (const task of tasks) if (task.person === theirs) task.person = mine;
          } else {
            try {
              if (w.links.unlink(each.from)) personOf.set(each.from, `alone ${made++}`);
            } catch (error) {
              expect(error).toBeInstanceOf(UserError);
            }
          }
          // What is on the disk is all there is.
          w = open();
          for (const identity of accounts) {
            for (const task of tasks)
              expect(isOneOf(task.people, w.who(identity))).toBe(task.person === personOf.get(identity));
          }
        }
      }),
      { numRuns: runs },
    );
  });

  it('fills nothing by being linked and removed for ever', () => {
    const w = world([]);
    w.pair('telegram:1');
    w.pair('discord:2');
    const first = [principalText(w.who('discord:2'))];
    for (let n = 0; n < 60; n++) {
      expect(link(w, 'telegram:1', 'discord:2')).toMatchObject({ ok: true });
      w.links.unlink('discord:2');
    }
    expect(w.links.links()).toHaveLength(3);
    expect(isOneOf(first, w.who('telegram:1'))).toBe(true);
    expect(isOneOf(first, w.who('discord:2'))).toBe(false);
  });
});

describe('the file', () => {
  it('is private, and reading makes none', () => {
    const w = world();
    w.who('discord:2');
    expect(tree(w.folder)).toEqual({});
    link(w, 'telegram:1', 'discord:2');
    for (const file of fs.readdirSync(w.folder))
      expect(fs.statSync(path.join(w.folder, file)).mode & 0o777).toBe(0o600);
    expect(fs.readdirSync(w.folder).sort()).toEqual(['link-codes.json', 'links.json']);
  });

  it('that is half an edit is not overwritten, and what stood in it before goes on', () => {
    const w = world();
    link(w, 'telegram:1', 'discord:2');
    expect(w.who('discord:2').person).toBe('alex');
    const torn = '[{"identity": "discord:2", "pers';
    fs.writeFileSync(path.join(w.folder, 'links.json'), torn);
    expect(w.who('discord:2').person).toBe('alex');
    const code = w.issue('telegram:1');
    expect(() => w.redeem(code, 'discord:4')).toThrow(/links\.json/);
    expect(fs.readFileSync(path.join(w.folder, 'links.json'), 'utf8')).toBe(torn);
    fs.writeFileSync(path.join(w.folder, 'links.json'), '[]');
    expect(w.redeem(code, 'discord:4')).toMatchObject({ ok: true });
  });

  it('counts for an account the first time that it stands there, and takes in no more than five thousand', () => {
    const w = world([ALEX, { name: 'kim', role: 'member', ids: ['telegram:9'] }]);
    const entry = (identity: string, to: string) => ({ identity, person: 'x~aaaaa', to, linkedAt: 'now' });
    const twice = [entry('discord:2', 'telegram:9'), entry('discord:2', 'telegram:1')];
    const file = path.join(w.folder, 'links.json');
    fs.writeFileSync(file, JSON.stringify(twice));
    expect(w.who('discord:2')).toMatchObject({ person: 'kim', role: 'member' });
    const full = Array.from({ length: 5_000 }, (_, n) => entry(`discord:1${n}`, 'telegram:9'));
    fs.writeFileSync(file, JSON.stringify(full));
    expect(() => link(w, 'telegram:1', 'discord:7')).toThrow(UserError);
    expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toHaveLength(5_000);
  });

  it('holds no cycle that anybody could climb by', () => {
    const w = world();
    const hand = [
      { identity: 'discord:2', person: 'alex', linkedAt: 'x', to: 'discord:3' },
      { identity: 'discord:3', person: 'alex', linkedAt: 'x', to: 'discord:2' },
      { identity: 'telegram:1', person: 'mallory~22222', linkedAt: 'x', to: 'discord:2' },
    ];
    fs.writeFileSync(path.join(w.folder, 'links.json'), JSON.stringify(hand));
    expect(w.resolve('discord:2').isKnown).toBe(false);
    expect(w.who('telegram:1')).toMatchObject({ person: 'alex', role: 'owner' });
    expect(aliasesOf(w.who('telegram:1'))).not.toContain('person:mallory~22222');
  });
});

describe('people', () => {
  it('knows one person on two platforms', () => {
    const w = world();
    expect(principalText(w.who('telegram:1'))).toBe('person:alex');
    expect(principalText(w.who('slack:T01:U03'))).toBe('person:alex');
    expect(identityText(w.who('slack:T01:U03'))).toBe('slack:T01:U03');
    expect(aliasesOf(w.who('telegram:1'))).toEqual(['person:alex', 'telegram:1', 'slack:T01:U03']);
  });

  it('takes nobody for somebody else: another team, another channel', () => {
    const w = world();
    expect(w.resolve('slack:T02:U03').isKnown).toBe(false);
    expect(w.resolve('discord:1').isKnown).toBe(false);
    link(w, 'telegram:1', 'discord:2');
    expect(w.resolve('telegram:2').isKnown).toBe(false);
    expect(w.resolve('slack:T01:2').isKnown).toBe(false);
  });
});
