/** By whose clock people live: what they say, what platforms say of them, and when they are asked. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { Zones } from '../../src/access/known.ts';
import type { Principal } from '../../src/access/principal.ts';
import { tempFolder, tree } from '../helpers/temp.ts';

const who = (user: string, more: Partial<Principal> = {}): Principal => ({
  ...{ channel: 'telegram', account: 'b', user, role: 'member', via: 'message', name: 'N', ...more },
});
const KIM = { person: 'kim', aliases: ['person:kim', 'telegram:1', 'discord:2'] };
const [KIM_T, KIM_D] = [who('1', KIM), who('2', { ...KIM, channel: 'discord' })];

it('is what they have said, whatever a platform says, on each of their accounts and after a restart', () => {
  const folder = tempFolder();
  const zones = new Zones(folder);
  expect(zones.of(KIM_T)).toBeUndefined();
  expect(tree(folder)).toEqual({});
  zones.learn(KIM_T, 'Europe/Paris');
  expect([zones.of(KIM_T), zones.of(KIM_D), zones.of(who('9'))]).toEqual(['Europe/Paris', 'Europe/Paris', undefined]);
  zones.set(KIM_D, 'Asia/Tokyo');
  zones.learn(KIM_T, 'America/Lima');
  expect(zones.of(KIM_T)).toBe('Asia/Tokyo');
  expect(new Zones(folder).of(KIM_T)).toBe('Asia/Tokyo');
  expect(JSON.parse(fs.readFileSync(path.join(folder, 'zones.json'), 'utf8'))).toEqual({
    'person:kim': { zone: 'Asia/Tokyo', isSaid: true },
  });
});

it('follows a platform that says another one, and is written only when something changes', () => {
  const folder = tempFolder();
  const zones = new Zones(folder);
  zones.learn(KIM_T, 'Europe/Paris');
  const before = fs.statSync(path.join(folder, 'zones.json')).ino;
  zones.learn(KIM_T, 'Europe/Paris');
  zones.learn(KIM_T, 'Nowhere/Else');
  zones.learn(KIM_T, undefined);
  zones.learn(who('5', { role: 'guest' }), 'Europe/Rome');
  expect(fs.statSync(path.join(folder, 'zones.json')).ino).toBe(before);
  zones.learn(KIM_T, 'Europe/Rome');
  expect(zones.of(KIM_D)).toBe('Europe/Rome');
});

it('what was said before two accounts were linked wins over what a platform says of the other', () => {
  const zones = new Zones(tempFolder());
  zones.set(who('1'), 'Asia/Tokyo');
  zones.learn(who('2', { channel: 'discord' }), 'Europe/Rome');
  expect(zones.of(KIM_D)).toBe('Asia/Tokyo');
  zones.set(KIM_D, 'Europe/Berlin');
  expect([zones.of(KIM_T), zones.of(who('1'))]).toEqual(['Europe/Berlin', undefined]);
});

it('a file that somebody has damaged keeps what is left of it', () => {
  const folder = tempFolder();
  const good = { zone: 'Asia/Tokyo', isSaid: true };
  const lines = { 'telegram:1': good, 'telegram:2': { zone: 'Mars/Base', isSaid: true }, 'telegram:3': { zone: 7 } };
  fs.writeFileSync(path.join(folder, 'zones.json'), JSON.stringify(lines));
  const zones = new Zones(folder);
  expect(['1', '2', '3'].map((user) => zones.of(who(user)))).toEqual(['Asia/Tokyo', undefined, undefined]);
});

it('they are asked in one run and never in a second; guests never', () => {
  const folder = tempFolder();
  const zones = new Zones(folder);
  expect(zones.asksIn(who('5', { role: 'guest' }), 'r1')).toBe(false);
  expect([zones.asksIn(KIM_T, 'r1'), zones.asksIn(KIM_T, 'r1'), zones.asksIn(KIM_D, 'r2')]).toEqual([
    true,
    true,
    false,
  ]);
  const again = new Zones(folder);
  expect([again.asksIn(KIM_T, 'r1'), again.asksIn(KIM_T, 'r3'), again.asksIn(who('6'), 'r3')]).toEqual([
    ...[true, false, true],
  ]);
});

it('of two processes the first asks, and what the other was told is not overwritten', () => {
  const folder = tempFolder();
  const [one, two] = [new Zones(folder), new Zones(folder)];
  expect([one.asksIn(KIM_T, 'r1'), two.asksIn(KIM_T, 'r2')]).toEqual([true, false]);
  one.set(KIM_T, 'Asia/Tokyo');
  two.learn(KIM_T, 'Europe/Rome');
  expect([one.of(KIM_T), two.of(KIM_T)]).toEqual(['Asia/Tokyo', 'Asia/Tokyo']);
});
