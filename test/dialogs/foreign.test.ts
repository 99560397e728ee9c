/** What answers in a platform's place (a proxy, a firewall, Cloudflare) delays an answer; it never loses or doubles one. */
import { expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { type ForeignAnswer, startForeign } from '../helpers/foreign.ts';
import { keysIn } from '../helpers/spool.ts';
import { onEveryPlatform } from '../kit/kit.ts';
import { waitFor } from '../platforms/platform.ts';
import { openPlatforms, PLATFORMS } from '../platforms/world.ts';

const html = { 'content-type': 'text/html' };
const json = { 'content-type': 'application/json' };
const page = (title: string) =>
  `<!DOCTYPE html><html><head><title>${title}</title></head><body>cloudflare</body></html>`;

const ANSWERS: [string, ForeignAnswer][] = [
  ['a 500 with other JSON', { status: 500, headers: json, body: '{"message":"Internal Server Error"}' }],
  ['a 500 with a page', { status: 500, headers: html, body: page('500') }],
  ['a 502 without a body', { status: 502, body: '' }],
  ['a 503 with half an answer', { status: 503, headers: json, body: '{"ok":fal' }],
  ['a 504 with a page', { status: 504, headers: html, body: page('504') }],
  ['a 520 of Cloudflare', { status: 520, headers: { 'content-type': 'text/plain' }, body: 'error code: 520' }],
  ['a 200 with a page', { status: 200, headers: html, body: page('Sign in to this network') }],
  ['a 200 with other JSON', { status: 200, headers: json, body: '{"status":"ok"}' }],
  ['a 200 that is cut', { status: 200, headers: json, body: '{"ok":true,"resu' }],
  ['a 200 with null', { status: 200, headers: json, body: 'null' }],
  ['a redirect', { status: 302, headers: { location: 'https://login.example/' }, body: '' }],
  ['a 400 with a page', { status: 400, headers: html, body: page('400 Bad Request') }],
  ['a 403 with other JSON', { status: 403, headers: json, body: '{"code":403,"message":"Forbidden by policy"}' }],
  ['a 404 with other JSON', { status: 404, headers: json, body: '{"detail":"Not Found"}' }],
  ['a 407', { status: 407, headers: html, body: page('Proxy Authentication Required') }],
  ['a 408', { status: 408, headers: html, body: page('Request Timeout') }],
  ['a 425', { status: 425, body: '' }],
  ['a 429 without a time', { status: 429, headers: html, body: page('1015') }],
  ['a 429 with a date', { status: 429, headers: { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, body: '' }],
  ['a 451', { status: 451, headers: html, body: page('451') }],
];

const SENDS = {
  telegram: /\/send(Rich)?Message$/,
  discord: /\/channels\/\d+\/messages$/,
  slack: /\/chat\.postMessage$/,
};

it.each(onEveryPlatform)('on %s every answer arrives once', async (name) => {
  const platform = await PLATFORMS[name]();
  const foreign = await startForeign(String(platform.section.apiRoot));
  const world = await openPlatforms({
    given: { [name]: platform },
    on: [name],
    channel: { live: 'off', injection: 'followup' },
    sections: { [name]: { apiRoot: foreign.url } },
  });
  world.llm.script((request) => ({ text: `re ${request.lastUser.replace(/^\[.*?\]: /, '')}` }));
  const dm = platform.dm('alex');
  for (const [what, answer] of ANSWERS) {
    const before = foreign.given();
    foreign.answer(SENDS[name], answer);
    platform.say(dm, what, { by: 'alex' });
    await waitFor(platform, dm, { text: `re ${what}` }).catch((error: unknown) => {
      throw new Error(`${what}: ${String(error)}`);
    });
    expect([what, foreign.given() - before]).toEqual([what, 1]);
  }
  expect(platform.answers(dm).map((seen) => seen.text)).toEqual(ANSWERS.map(([what]) => `re ${what}`));
  const left = () => (['dead', 'unsure', 'out'] as const).flatMap((state) => keysIn(world.home, state));
  await eventually(() => expect(left()).toEqual([]));
});
