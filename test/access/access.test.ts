import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { authoriseAction, authoriseEntry, type EntryFacts, mayBeTold } from '../../src/access/authorise.ts';
import { createRateLimiter } from '../../src/access/limits.ts';
import { CODE_TTL_MS, openPairing } from '../../src/access/pairing.ts';
import { identityText, isOneOf, type Principal } from '../../src/access/principal.ts';
import { createTries } from '../../src/access/tries.ts';
import { UserError } from '../../src/errors.ts';
import { tempFolder, tree } from '../helpers/temp.ts';

const principal = (user: string, role: Principal['role'] = 'guest'): Principal => ({
  ...{ channel: 'telegram', account: 'bot', user, role, via: 'message', name: 'N' },
});
const facts = (
  change: Partial<Omit<EntryFacts, 'rules'>> & { rules?: Partial<EntryFacts['rules']> } = {},
): EntryFacts => ({
  ...{ isDirect: true, isMention: false, isCommand: false, isButton: false, isBot: false, chat: '-5', isKnown: false },
  ...change,
  rules: { dm: 'pairing', groups: 'mention', allow: [], chats: [], ...change.rules },
});
const decide = (user: string, change?: Parameters<typeof facts>[0]) => authoriseEntry(principal(user), facts(change));

describe('what is remembered', () => {
  it('is told to no guest, and in a group only where its channel says so', () => {
    const direct = { isDirect: true, memory: 'direct' } as const;
    const group = { isDirect: false, memory: 'direct' } as const;
    const open = { isDirect: false, memory: 'group' } as const;
    for (const role of ['owner', 'member'] as const) {
      expect(mayBeTold({ role }, [direct])).toBe(true);
      expect(mayBeTold({ role }, [direct, open])).toBe(true);
      expect(mayBeTold({ role }, [direct, group])).toBe(false);
    }
    expect(mayBeTold({ role: 'guest' }, [direct])).toBe(false);
    expect(mayBeTold({ role: 'guest' }, [open])).toBe(false);
  });
});

describe('who may enter', () => {
  it('lets nobody in by an empty list', () => {
    expect(decide('1')).toEqual({ allow: false, reason: 'stranger', pair: true });
    expect(decide('1', { rules: { dm: 'allowlist' } })).toEqual({ allow: false, reason: 'stranger', pair: false });
    expect(decide('1', { isDirect: false, isMention: true })).toMatchObject({
      allow: false,
      reason: 'chat-not-listed',
    });
  });

  it('lets in whom the list names, by id and never by name', () => {
    expect(decide('1', { rules: { dm: 'allowlist', allow: ['1'] } })).toEqual({ allow: true });
    expect(decide('1', { rules: { dm: 'allowlist', allow: ['N', '11'] } })).toMatchObject({ allow: false });
  });

  it('gives no right in a group to those known from direct messages, nor the other way round', () => {
    const group = { isDirect: false, isMention: true, isKnown: true };
    expect(decide('1', { ...group, rules: { allow: ['1'] } })).toMatchObject({
      allow: false,
      reason: 'chat-not-listed',
    });
    expect(decide('1', { rules: { chats: ['1', '-5'] } })).toMatchObject({ allow: false, reason: 'stranger' });
  });

  it('answers in a listed group when addressed, or to everything with `all`', () => {
    const rules = { chats: ['-5'] };
    expect(decide('1', { isDirect: false, rules })).toMatchObject({ allow: false, reason: 'not-addressed' });
    expect(decide('1', { isDirect: false, isMention: true, rules })).toEqual({ allow: true });
    expect(decide('1', { isDirect: false, rules: { ...rules, groups: 'all' } })).toEqual({ allow: true });
    expect(decide('1', { isDirect: false, isMention: true, rules: { ...rules, groups: 'off' } })).toMatchObject({
      allow: false,
    });
  });

  it('answers nobody in direct messages that are off, whoever it is', () => {
    for (const isKnown of [true, false])
      expect(decide('1', { isKnown, rules: { dm: 'off', allow: ['1'] } })).toEqual({
        allow: false,
        reason: 'off',
        pair: false,
      });
  });

  it('never lets bots in, whatever the lists say', () => {
    expect(decide('1', { isBot: true, isKnown: true, rules: { dm: 'open' } })).toMatchObject({
      allow: false,
      reason: 'bot',
    });
  });
});

describe('what may be done inside', () => {
  it('leaves steering to the people of the task and to owners', () => {
    expect(authoriseAction(principal('1'), 'steer', ['telegram:2'])).toBe(false);
    expect(authoriseAction(principal('1'), 'steer', ['telegram:1'])).toBe(true);
    expect(authoriseAction(principal('1', 'owner'), 'steer', [])).toBe(true);
  });

  it('keeps memory from guests and administration from all but owners', () => {
    const may = (role: Principal['role']) =>
      (['chat', 'look', 'memory', 'administer'] as const).filter((action) =>
        authoriseAction(principal('1', role), action, []),
      );
    expect(may('guest')).toEqual(['chat', 'look']);
    expect(may('member')).toEqual(['chat', 'look', 'memory']);
    expect(may('owner')).toEqual(['chat', 'look', 'memory', 'administer']);
  });
});

describe('pairing', () => {
  const now = 1_800_000_000_000;
  const ask = (identity: string, channel = 'telegram') => ({
    identity,
    channel,
    name: 'Sam',
    address: { chat: identity },
  });

  it('gives one code an hour and at most three a channel, without making a file', () => {
    const folder = tempFolder();
    const pairing = openPairing(folder, false);
    const before = Object.keys(tree(folder));
    const code = pairing.request(ask('telegram:1'), now);
    expect(code).toMatch(/^[A-HJ-NP-Z2-9]{8}$/);
    expect(pairing.request(ask('telegram:1'), now + CODE_TTL_MS - 1)).toBeUndefined();
    pairing.request(ask('telegram:2'), now);
    pairing.request(ask('telegram:3'), now);
    expect(pairing.request(ask('telegram:4'), now)).toBeUndefined();
    expect(pairing.request(ask('slack:T:4', 'slack'), now)).toBeDefined();
    expect(Object.keys(tree(folder))).toEqual(before);
    expect(pairing.request(ask('telegram:1'), now + CODE_TTL_MS)).toBeDefined();
  });

  it('lets in with a code once, makes the first person an owner and the next a member', () => {
    const folder = tempFolder();
    const gateway = openPairing(folder, false);
    const cli = openPairing(folder, false);
    const first = gateway.request(ask('telegram:1'), now) ?? '';
    const second = gateway.request(ask('telegram:2'), now) ?? '';
    expect(cli.approve(first.toLowerCase(), now).paired).toMatchObject({ identity: 'telegram:1', role: 'owner' });
    expect(cli.approve(second, now).paired.role).toBe('member');
    expect(() => cli.approve(first, now)).toThrow(UserError);
    expect(gateway.paired().map((entry) => entry.identity)).toEqual(['telegram:1', 'telegram:2']);
  });

  it('makes nobody an owner where the configuration names one, or where one was let in before', () => {
    const named = openPairing(tempFolder(), true);
    const first = named.request(ask('telegram:1'), now) ?? '';
    expect(named.approve(first, now).paired.role).toBe('member');
    const folder = tempFolder();
    const pairing = openPairing(folder, false);
    const codes = ['telegram:1', 'telegram:2'].map((identity) => pairing.request(ask(identity), now) ?? '');
    pairing.approve(codes[0] ?? '', now);
    expect(openPairing(folder, false).approve(codes[1] ?? '', now).paired.role).toBe('member');
  });

  it('knows no expired, denied or wrong code', () => {
    const pairing = openPairing(tempFolder(), true);
    const code = pairing.request(ask('telegram:1'), now) ?? '';
    expect(() => pairing.approve('AAAAAAAA', now)).toThrow(UserError);
    expect(() => pairing.approve(code, now + CODE_TTL_MS)).toThrow(UserError);
    pairing.deny(code, now);
    expect(() => pairing.approve(code, now)).toThrow(UserError);
    expect(pairing.paired()).toEqual([]);
    // Whoever was refused may not ask again at once, and fills no place of those who wait.
    expect(pairing.request(ask('telegram:1'), now + CODE_TTL_MS - 1)).toBeUndefined();
    expect(pairing.pending(now)).toEqual([]);
  });

  it('keeps no more than 64 characters of a name', () => {
    const pairing = openPairing(tempFolder(), true);
    pairing.request({ ...ask('telegram:1'), name: 'x'.repeat(100_000) }, now);
    expect(pairing.pending(now)[0]?.name).toBe('x'.repeat(64));
  });

  it('starts with an empty list when a file is torn', () => {
    const folder = tempFolder();
    openPairing(folder, true);
    fs.writeFileSync(path.join(folder, 'paired.json'), '[{"identity": "telegr');
    expect(openPairing(folder, true).paired()).toEqual([]);
  });
});

describe('rate limits', () => {
  it('refuses what is too much, says so once, and forgives with time', () => {
    const limiter = createRateLimiter(3);
    const take = (at: number) => limiter.take('a', at);
    expect([take(0), take(0), take(0)].every((answer) => answer.ok)).toBe(true);
    expect([take(0), take(0)]).toEqual([
      { ok: false, first: true },
      { ok: false, first: false },
    ]);
    expect(limiter.take('b', 0).ok).toBe(true);
    expect(take(20_000).ok).toBe(true);
    // Silence saves up no more than a minute's worth.
    expect([1, 2, 3, 4].map(() => take(86_400_000).ok)).toEqual([true, true, true, false]);
  });

  it('counts what has piled up by when it was sent, in whatever order it comes', () => {
    const limiter = createRateLimiter(3);
    const sent = [0, 1, 2, 20_000, 40_000, 60_000, 50_000, 80_000];
    expect(sent.map((at) => limiter.take('a', at).ok)).toEqual([true, true, true, true, true, true, false, true]);
  });

  it('refuses nobody for the hour by which the clock was set back', () => {
    const limiter = createRateLimiter(3);
    const HOUR = 3_600_000;
    expect([0, 1, 2].map((at) => limiter.take('a', 2 * HOUR + at).ok)).toEqual([true, true, true]);
    const later = Array.from({ length: 30 }, (_, n) => limiter.take('a', HOUR + 20_000 * (n + 1)).ok);
    // The first says that the clock has gone back; from there on time fills the bucket.
    expect(later.map((ok, n) => (ok ? 0 : n + 1)).filter((n) => n > 0)).toEqual([1]);
  });

  it('takes all parts of an album or none, as one message', () => {
    const limiter = createRateLimiter(2);
    const album = (group: string) => [1, 2, 3].map(() => limiter.take('a', 0, group));
    expect([album('g'), album('h')].flat().every((answer) => answer.ok)).toBe(true);
    expect(album('i')).toEqual([
      { ok: false, first: true },
      { ok: false, first: false },
      { ok: false, first: false },
    ]);
  });
});

describe('people and tasks', () => {
  it('has the team in the names of Slack alone', () => {
    expect(identityText({ channel: 'slack', workspace: 'T1', user: 'U1' })).toBe('slack:T1:U1');
    expect(identityText({ channel: 'slack', user: 'U1' })).toBe('slack:U1');
    expect(identityText({ channel: 'discord', workspace: '77', user: '1' })).toBe('discord:1');
  });

  it('is a task of each of its people, under any of their names', () => {
    const alex = { ...principal('1'), person: 'alex', aliases: ['person:alex', 'telegram:1'] };
    expect(isOneOf(['telegram:2', 'telegram:1'], alex)).toBe(true);
    expect(isOneOf(['telegram:2', 'person:alex'], alex)).toBe(true);
    expect(isOneOf(['telegram:2'], alex)).toBe(false);
    expect(isOneOf([], alex)).toBe(false);
  });
});

describe('what is counted of strangers', () => {
  it('is forgotten beyond ten thousand of them, the longest unseen first', () => {
    const limiter = createRateLimiter(1);
    const tries = createTries({ max: 1, perMs: 60_000 });
    const left = (key: string) => tries.left(key, 0);
    for (const key of ['first', 'second']) {
      limiter.take(key, 0);
      tries.fail(key, 0);
    }
    for (let n = 0; n < 9_998; n++) {
      limiter.take(`k${n}`, 0);
      tries.fail(`k${n}`, 0);
    }
    expect(limiter.take('first', 0)).toEqual({ ok: false, first: true });
    tries.fail('first', 0);
    expect(left('first')).toBe(0);
    limiter.take('one more', 0);
    tries.fail('one more', 0);
    expect(limiter.take('second', 0)).toEqual({ ok: true });
    expect([left('second'), left('first')]).toEqual([1, 0]);
  });
});
