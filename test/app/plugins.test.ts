/** Plugins that the configuration names: what is loaded, and what becomes of one that cannot be. */
import path from 'node:path';
import { expect, it } from 'vitest';
import { accessOf, channelKind } from '../../src/channels/index.ts';
import { loadConfig } from '../../src/config.ts';
import { putAll, tempFolder } from '../helpers/temp.ts';

const GOOD = `
import { defineFeature, settings, z } from 'openviber-gateway/plugin';
export default defineFeature({ name: 'good', settings: settings.section({ size: z.int('expected a size').default(3) }) });
`;

function homeWith(files: Record<string, string>, config: object): string {
  const home = tempFolder();
  putAll(home, { ...files, 'config.json': JSON.stringify(config) });
  return home;
}

it('what cannot be loaded is a problem of its setting, and nothing else is touched', async () => {
  const plugins: Record<string, [text: string, problem: RegExp]> = {
    'throws.mjs': ["throw new Error('no luck')", /no luck/],
    'syntax.mjs': ['export default {', /Unexpected|expected/],
    'exits.mjs': ['process.exit(3)', /ends the process/],
    // One that never ends.
    'waits.mjs': ['await new Promise((resolve) => setTimeout(resolve, 1e8))', /not loaded after 30 seconds/],
    'spins.mjs': ['for (;;);', /not loaded after 30 seconds/],
    // One that never ends.
    'rejects.mjs': ["Promise.reject(new Error('later')); await new Promise((r) => setTimeout(r, 1e8))", /later/],
    'nothing.mjs': ['export const a = 1;', /doesn't export a feature/],
    'nameless.mjs': ['export default {};', /its name/],
    'schema.mjs': ["export default { name: 'schema', settings: {} };", /aren't a zod schema/],
  };
  const names = [...Object.keys(plugins), 'not-there.mjs', 'good.mjs'];
  const home = homeWith(
    { ...Object.fromEntries(Object.entries(plugins).map(([name, [text]]) => [name, text])), 'good.mjs': GOOD },
    {
      plugins: names.map((name) => `./${name}`),
      good: { size: 7 },
      channels: { lost: { module: 'a-package-that-is-not-there', token: 'x' }, telegram: { token: '1:a' } },
    },
  );
  const { config, problems, features } = await loadConfig({ home, env: {} });
  const said = new Map(problems.map(({ path: setting, message }) => [setting, message]));
  for (const [index, [, problem]] of Object.values(plugins).entries())
    expect(said.get(`plugins.${index}`)).toMatch(problem);
  expect(said.get(`plugins.${names.indexOf('not-there.mjs')}`)).toMatch(/doesn't exist/);
  expect(said.get('channels.lost.module')).toMatch(/there is no such package/);
  expect(problems).toHaveLength(names.length);
  expect(features.map(({ feature }) => feature.name)).toEqual(['good']);
  expect(config).toMatchObject({ good: { size: 7 }, channels: { telegram: { token: '1:a' } } });
  expect(Object.keys(config.channels)).not.toContain('lost');
});

it('a channel that cannot be loaded is named before the people that are known by it', async () => {
  const people = [{ name: 'alex', role: 'owner', ids: ['lost:@alex'] }];
  const home = homeWith({}, { channels: { lost: { module: 'a-package-that-is-not-there' } }, people });
  await expect(loadConfig({ home, env: {} })).rejects.toThrow(/^channels\.lost\.module: .+\npeople\.0\.ids\.0: /);
});

it('wrong settings of a plugin are named like all others', async () => {
  const home = homeWith({ 'good.mjs': GOOD }, { plugins: ['./good.mjs'], good: { size: 'x' } });
  await expect(loadConfig({ home, env: {} })).rejects.toThrow('good.size: expected a size');
});

it('a channel from a path of the home has its section, its variables and its access rules, and takes no name of the gateway', async () => {
  const module = path.join(import.meta.dirname, '../../examples/webhook-channel/index.ts');
  const own = { module, callback: 'http://127.0.0.1:9/', access: { chats: ['room'] } };
  const home = homeWith({}, { channels: { webhook: own, slack: { module }, other: { module } } });
  const { config, problems } = await loadConfig({ home, env: { WEBHOOK_SECRET: 'sixteen-characters-and-more' } });
  expect(config.channels).toMatchObject({
    webhook: { secret: 'sixteen-characters-and-more', path: '/webhooks/example' },
  });
  expect(accessOf(config, { channel: 'webhook' })).toMatchObject({ dm: 'pairing', chats: ['room'] });
  expect(channelKind('webhook')?.label).toBe('Webhook');
  expect(problems.map(({ path: setting }) => setting)).toEqual(['channels.other.module', 'channels.slack.module']);
});
