/** What may leave unasked: the rule as a table, and addresses however they are spelled. */
import { describe, expect, it } from 'vitest';
import {
  addressesIn,
  hostOf,
  isListed,
  isNamed,
  isSameHost,
  isWritten,
  pagesOf,
  webAddress,
} from '../../../src/lib/web-addresses.ts';
import { type EgressFacts, judgeEgress, MAX_UNASKED } from '../../../src/runtime/approvals/egress.ts';

const FACTS: EgressFacts = {
  ...{ mode: 'decide', isGuest: false, isListed: false, isTheirs: false, isUsed: false, isNamed: false },
  ...{ isTainted: false, isAllowed: false, isAlways: false, isOdd: false, characters: 30, sent: 0 },
};
const full = { sent: MAX_UNASKED - 29 };
const url = (text: string): URL => {
  const found = webAddress(text);
  if (!found) throw new Error(`no address: ${text}`);
  return found;
};

describe('the rule', () => {
  it.each<[string, Partial<EgressFacts>, ReturnType<typeof judgeEgress>]>([
    ['a new host', {}, 'ask'],
    ['a host of the configuration, whatever was seen and sent', { isListed: true, isTainted: true, ...full }, 'pass'],
    ['an address that people wrote whole', { isTheirs: true, isUsed: true, isOdd: true, ...full }, 'pass'],
    ['the same, after something private', { isTheirs: true, isTainted: true, isOdd: true, ...full }, 'once'],
    ['the same, a second time', { isTheirs: true, isTainted: true, isUsed: true }, 'ask'],
    [
      'the same, always allowed, a second time',
      { isTheirs: true, isTainted: true, isUsed: true, isAlways: true },
      'count',
    ],
    ['a host that they named, before anything private was seen', { isNamed: true }, 'count'],
    ['a host that they named, after it', { isNamed: true, isTainted: true }, 'ask'],
    ['a named host, with an odd address', { isNamed: true, isOdd: true }, 'ask'],
    ['a named host, when too much has left', { isNamed: true, ...full }, 'ask'],
    ['the last characters that may leave', { isNamed: true, sent: MAX_UNASKED - 30 }, 'count'],
    ['a host that was approved in this run', { isAllowed: true, isTainted: true }, 'count'],
    ['an approved host, with an odd address', { isAllowed: true, isTainted: true, isOdd: true }, 'ask'],
    ['an approved host, when too much has left', { isAllowed: true, isTainted: true, ...full }, 'ask'],
    ['a host that is always allowed here', { isAlways: true, isTainted: true, isOdd: true }, 'count'],
    ['an always allowed host, when too much has left', { isAlways: true, ...full }, 'ask'],
    ['mode ask: a new host', { mode: 'ask' }, 'ask'],
    ['mode ask: a host of the configuration', { mode: 'ask', isListed: true }, 'ask'],
    ['mode ask: an address that people wrote', { mode: 'ask', isTheirs: true }, 'ask'],
    ['mode ask: an approved host', { mode: 'ask', isAllowed: true }, 'ask'],
    ['mode ask: an always allowed host', { mode: 'ask', isAlways: true }, 'count'],
    ['mode ask: an always allowed host, when too much has left', { mode: 'ask', isAlways: true, ...full }, 'ask'],
    ['mode execute: anything', { mode: 'execute', isTainted: true, isOdd: true, ...full }, 'pass'],
    ['a guest: a host of the configuration', { isGuest: true, isListed: true }, 'pass'],
    ['a guest: their own address', { isGuest: true, isTheirs: true, isNamed: true }, 'refuse'],
    ['a guest: an approved host', { isGuest: true, isAllowed: true, isAlways: true }, 'refuse'],
    ['a guest: mode execute', { isGuest: true, mode: 'execute' }, 'refuse'],
    ['a guest: mode ask, a host of the configuration', { isGuest: true, mode: 'ask', isListed: true }, 'pass'],
  ])('%s', (_what, given, expected) => {
    expect(judgeEgress({ ...FACTS, ...given })).toBe(expected);
  });

  it('lets nothing of memory out unasked without a yes, whatever else holds', () => {
    const flags = [false, true];
    for (const isNamed of flags)
      for (const isOdd of flags)
        for (const sent of [0, 499, 500, 10_000])
          expect(judgeEgress({ ...FACTS, isTainted: true, isNamed, isOdd, sent })).toBe('ask');
  });
});

describe('hosts', () => {
  it.each([
    ['https://example.org/a', 'example.org'],
    ['HTTPS://EXAMPLE.ORG/a', 'example.org'],
    ['https://example.org./a', 'example.org'],
    ['https://example.org:443/', 'example.org'],
    ['https://example.org:8443/', 'example.org:8443'],
    ['https://example.org.:8443/', 'example.org:8443'],
    ['https://bücher.example/', 'xn--bcher-kva.example'],
    ['https://ＥＸＡＭＰＬＥ。org/', 'example.org'],
    ['https://good.example@evil.test/', 'evil.test'],
    ['https://good.example\\@evil.test/', 'good.example'],
    ['https://ex\tample.org/\n', 'example.org'],
    ['https://0x7f.1/', '127.0.0.1'],
  ])('%j is %s', (text, host) => {
    expect(hostOf(url(text))).toBe(host);
    expect(pagesOf(url(text))).toBe(`pages of ${host}`);
  });

  it.each<[string, string[], boolean]>([
    ['https://example.org/a', ['example.org'], true],
    ['https://example.org./a', ['example.org'], true],
    ['https://a.example.org/', ['example.org'], false],
    ['https://a.b.example.org/', ['*.example.org'], true],
    ['https://example.org/', ['*.example.org'], false],
    ['https://evilexample.org/', ['*.example.org', 'example.org'], false],
    ['https://example.org.evil.test/', ['example.org', '*.example.org'], false],
    ['https://example.org@evil.test/', ['example.org'], false],
    ['https://example.org:8443/', ['example.org'], false],
    ['https://example.org:8443/', ['example.org:8443'], true],
    ['https://a.example.org:8443/', ['*.example.org'], false],
  ])('%s is one of %j: %s', (text, patterns, expected) => {
    expect(isListed(url(text), patterns)).toBe(expected);
  });

  it('are the same with and without www, and no others are', () => {
    expect(isSameHost(url('https://example.org/'), url('https://www.example.org/x'))).toBe(true);
    expect(isSameHost(url('https://example.org/'), url('https://m.example.org/'))).toBe(false);
    expect(isSameHost(url('https://example.org/'), url('https://example.org:8443/'))).toBe(false);
  });
});

describe('what people wrote', () => {
  const said =
    'Read https://example.org/a/b?c=d, (https://en.example/wiki/Foo_(bar)) and docs.example.net/x; mail me@host.example. 请看https://cn.example/p，谢谢 [it](https://md.example/z) https://t0ken@secret.example/ file.txt';
  const written = new Set(addressesIn(said));

  it.each([
    ['https://example.org/a/b?c=d', true],
    ['https://EXAMPLE.org:443/a/b?c=d#part', true],
    ['https://example.org/a/b?c=d&memory=1', false],
    ['https://example.org/a/b', false],
    ['https://example.org/a/', false],
    ['https://en.example/wiki/Foo_(bar)', true],
    ['https://docs.example.net/x', true],
    ['https://cn.example/p', true],
    ['https://md.example/z', true],
    ['https://host.example/', false],
    ['https://t0ken@secret.example/', false],
    ['https://secret.example/', false],
    ['https://example.org./a/b?c=d', false],
  ])('%s: %s', (text, expected) => {
    expect(isWritten(url(text), written)).toBe(expected);
  });

  it('names hosts, with their ports', () => {
    expect(isNamed(url('https://example.org./other'), written)).toBe(true);
    expect(isNamed(url('https://docs.example.net/y'), written)).toBe(true);
    expect(isNamed(url('https://example.org:8443/'), written)).toBe(false);
    expect(isNamed(url('https://a.example.org/'), written)).toBe(false);
    expect(isNamed(url('https://example.org@evil.test/'), written)).toBe(false);
  });

  it('is named with http and fetched by https, not the other way round', () => {
    expect(isWritten(url('https://a.test/x'), new Set(addressesIn('http://a.test/x')))).toBe(true);
    expect(isWritten(url('http://a.test/x'), new Set(addressesIn('https://a.test/x')))).toBe(false);
  });

  it('is bounded, and quick on hostile words', () => {
    expect(addressesIn('https://a.example/'.repeat(20_000)).length).toBeLessThanOrEqual(50);
    const many = Array.from({ length: 10_000 }, (_, at) => `https://h${at}.example/`).join(' ');
    expect(addressesIn(many)).toHaveLength(50);
    expect(addressesIn(`a${'.a'.repeat(200_000)}`)).toEqual([]);
    expect(addressesIn(`https://${'!'.repeat(50_000)}`)).toEqual([]);
  });
});
