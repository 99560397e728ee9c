/** What becomes of people who ask to be let in: what they wrote meanwhile, who is an owner then, and what is told of it. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { CODE_TTL_MS, MAX_KEPT, openPairing } from '../../src/access/pairing.ts';
import type { InboundMessage } from '../../src/channels/channel.ts';
import { tempFolder } from '../helpers/temp.ts';

const now = 1_800_000_000_000;
const who = (n: number, message?: InboundMessage) => ({
  ...{ identity: `telegram:${n}`, channel: 'telegram', name: `P${n}`, address: { chat: String(n) } },
  ...(message && { message }),
});
const says = (id: string, text = id): InboundMessage => ({
  ...{ id, text, kind: 'message', address: { channel: 'telegram', account: 'b', chat: '1' }, messageId: id },
  ...{ sender: { user: '1', name: 'P1', isBot: false }, files: [], facts: [], quotes: [], isDirect: true },
  isMention: false,
  sentAt: now,
});
const texts = (kept: readonly InboundMessage[] = []) => kept.map(({ text }) => text);

describe('what a stranger writes', () => {
  it('is there when they are let in: the first few things, each once, and nothing too long', () => {
    const pairing = openPairing(tempFolder(), true);
    const code = pairing.request(who(1, says('a')), now) ?? '';
    for (const each of [says('a'), says('long', 'x'.repeat(70_000)), says('b'), says('c'), says('d')])
      expect(pairing.request(who(1, each), now)).toBeUndefined();
    expect(texts(pairing.pending(now)[0]?.kept)).toEqual(['a', 'b', 'c']);
    const { paired } = pairing.approve(` ${code.toLowerCase()} `, now);
    expect(texts(paired.waiting)).toEqual(['a', 'b', 'c']);
    expect(paired.waiting).toHaveLength(MAX_KEPT);
    pairing.settle('telegram:1');
    expect(pairing.paired()[0]).not.toHaveProperty('waiting');
  });

  it('is kept for each of them alone, also when they ask with nothing to keep', () => {
    const pairing = openPairing(tempFolder(), true);
    const code = pairing.request(who(1), now) ?? '';
    pairing.request(who(2, says('of 2')), now);
    pairing.request(who(1, says('of 1')), now);
    expect(pairing.pending(now).map(({ kept }) => texts(kept))).toEqual([['of 1'], ['of 2']]);
    expect(texts(pairing.approve(code, now).paired.waiting)).toEqual(['of 1']);
    const third = pairing.request(who(3), now) ?? '';
    expect(pairing.approve(third, now).paired.waiting).toEqual([]);
  });

  it('is kept no more once they were refused, and what was kept is gone', () => {
    const folder = tempFolder();
    const pairing = openPairing(folder, true);
    const code = pairing.request(who(1, says('please')), now) ?? '';
    pairing.deny(code, now);
    expect(pairing.request(who(1, says('once more')), now)).toBeUndefined();
    expect(fs.readFileSync(path.join(folder, 'pending.json'), 'utf8')).not.toMatch(/please|once more/);
  });

  it('is gone with the code', () => {
    const pairing = openPairing(tempFolder(), true);
    pairing.request(who(1, says('old')), now);
    const code = pairing.request(who(1, says('new')), now + CODE_TTL_MS) ?? '';
    expect(texts(pairing.approve(code, now + CODE_TTL_MS).paired.waiting)).toEqual(['new']);
  });
});

describe('who is let in', () => {
  it('stands in the list once, with the rights that were given last', () => {
    const pairing = openPairing(tempFolder(), true);
    for (const role of ['member', 'owner'] as const) pairing.approve(pairing.request(who(1), now) ?? '', now, role);
    expect(pairing.paired().map(({ identity, role }) => [identity, role])).toEqual([['telegram:1', 'owner']]);
  });

  it('as a member leaves the viber without an owner; the next is the first', () => {
    const folder = tempFolder();
    const pairing = openPairing(folder, false);
    const [first = '', second = ''] = [1, 2].map((n) => pairing.request(who(n), now));
    pairing.approve(first, now, 'member');
    expect(pairing.ownership()).toBe('nobody');
    expect(openPairing(folder, false).ownership()).toBe('nobody');
    expect(pairing.approve(second, now).paired.role).toBe('owner');
    expect(pairing.ownership()).toBe('somebody');
  });

  it('as an owner is remembered when the list is gone, also when an earlier version has let them in', () => {
    const folder = tempFolder();
    const pairing = openPairing(folder, false);
    pairing.approve(pairing.request(who(1), now) ?? '', now);
    fs.rmSync(path.join(folder, 'owner-was-paired'));
    openPairing(folder, false);
    fs.rmSync(path.join(folder, 'paired.json'));
    expect(openPairing(folder, false).ownership()).toBe('lost');
  });

  it.each([
    (code: string) => `<${code}>`,
    (code: string) => `\`${code.toLowerCase()}\``,
    (code: string) => ` ${code.slice(0, 4)} ${code.slice(4)}.`,
  ])('takes a code as people copy and type it: %s', (typed) => {
    const pairing = openPairing(tempFolder(), true);
    const code = pairing.request(who(1), now) ?? '';
    expect(pairing.approve(typed(code), now).paired.identity).toBe('telegram:1');
  });

  it('waits no more once somebody is known by other means', () => {
    const pairing = openPairing(tempFolder(), true);
    const code = pairing.request(who(1), now) ?? '';
    pairing.request(who(2), now);
    pairing.forget('telegram:1');
    expect(pairing.pending(now).map(({ identity }) => identity)).toEqual(['telegram:2']);
    expect(() => pairing.approve(code, now)).toThrow(`Nobody asks with the code ${code}.`);
  });
});

describe('what is decided on the command line', () => {
  it('is known to the gateway until the chats have told of it', () => {
    const folder = tempFolder();
    const gateway = openPairing(folder, true);
    const line = openPairing(folder, true, true);
    const [yes = '', no = ''] = [1, 2].map((n) => gateway.request(who(n), now));
    expect(gateway.decidedOutside()).toEqual([]);
    line.approve(yes, now);
    line.deny(no, now);
    expect(gateway.decidedOutside()).toEqual([
      { code: yes, isLetIn: true, at: new Date(now) },
      { code: no, isLetIn: false, at: new Date(now) },
    ]);
    gateway.told(yes);
    expect(gateway.decidedOutside().map(({ code }) => code)).toEqual([no]);
    gateway.told(no);
    expect(gateway.decidedOutside()).toEqual([]);
    expect(gateway.paired()).toHaveLength(1);
    expect(gateway.request(who(2), now)).toBeUndefined();
  });

  it('is told by the chats where it was decided in them', () => {
    const gateway = openPairing(tempFolder(), true);
    const [yes = '', no = ''] = [1, 2].map((n) => gateway.request(who(n), now));
    gateway.approve(yes, now);
    gateway.deny(no, now);
    expect(gateway.decidedOutside()).toEqual([]);
  });
});

describe('a list', () => {
  it('that is being edited is said before a code is used up, and the code stays good', () => {
    const folder = tempFolder();
    const pairing = openPairing(folder, true);
    const code = pairing.request(who(1), now) ?? '';
    fs.writeFileSync(path.join(folder, 'paired.json'), '[{"identity": "telegr');
    expect(() => pairing.approve(code, now)).toThrow('access/paired.json is not a JSON list');
    fs.writeFileSync(path.join(folder, 'paired.json'), '[]');
    expect(pairing.approve(code, now).paired.identity).toBe('telegram:1');
  });

  it('of who waits is written by those alone who have something new to say', () => {
    const folder = tempFolder();
    const file = path.join(folder, 'pending.json');
    const pairing = openPairing(folder, true);
    for (const n of [1, 2, 3]) pairing.request(who(n, says('please')), now);
    const before = fs.statSync(file).ino;
    pairing.request(who(1, says('please')), now);
    pairing.request(who(4, says('me too')), now);
    expect(fs.statSync(file).ino).toBe(before);
    expect(
      JSON.parse(fs.readFileSync(file, 'utf8')).map(({ code, ...rest }: { code: string }) => Object.keys(rest)),
    ).toEqual(Array.from({ length: 3 }, () => ['identity', 'channel', 'name', 'address', 'createdAt', 'kept']));
    pairing.forget('telegram:3');
    pairing.request(who(4), now);
    expect(pairing.pending(now).at(-1)).not.toHaveProperty('kept');
  });

  it('of who was let in keeps what each of them has written until it is taken in', () => {
    const pairing = openPairing(tempFolder(), true, true);
    const codes = [1, 2].map((n) => pairing.request(who(n, says(`of ${n}`)), now) ?? '');
    for (const code of codes) pairing.approve(code, now);
    pairing.settle('telegram:1');
    pairing.told(codes[0] ?? '');
    expect(pairing.paired().map(({ waiting, asked }) => [texts(waiting), asked])).toEqual([
      [[], undefined],
      [['of 2'], codes[1]],
    ]);
  });
});
