/** The settings in other languages than English: each has its words, and they say the same. */
import { describe, expect, test } from 'vitest';
import type { SettingsShown } from '../../src/client/setup-shapes.ts';
import { describeSettings, type SettingInfo } from '../../src/config/describe.ts';
import { configSchemaWith } from '../../src/config/schema.ts';
import { settings as german } from '../../src/messages/de/settings.ts';
import { settings as spanish } from '../../src/messages/es/settings.ts';
import { languages } from '../../src/messages/messages.ts';
import { settingWords } from '../../src/messages/settings.ts';
import { logIn } from '../board/browser.ts';
import { openWorld } from '../dialogs/harness.ts';
import { viberLink } from '../helpers/board-link.ts';

const all = describeSettings(await configSchemaWith());
const codes = (text: string): string[] => [...text.matchAll(/`([^`]*)`/g)].map(([, code = '']) => code).sort();
const key = ({ path }: SettingInfo): string => path.join('.');

const LANGUAGES = [
  {
    language: 'de',
    read: 'de-AT,de;q=0.9,en;q=0.5',
    catalogue: german,
    formal: /\b(Sie|Ihr|Ihre[mnrs]?)\b/,
    cost: { label: 'Kosten pro Tag', about: 'Geld für alle Läufe an einem Tag, in `currency`; 0: keine Grenze' },
    direct: 'Telegram · Direktnachrichten',
    name: '1 · Name',
  },
  {
    language: 'es',
    read: 'es-MX,es;q=0.9,en;q=0.5',
    catalogue: spanish,
    formal: /\b(ustede?s?|vosotr[ao]s|vuestr[ao]s?|os)\b/i,
    cost: { label: 'Gasto al día', about: 'dinero al día para todas las ejecuciones, en `currency`; 0: sin límite' },
    direct: 'Telegram · Mensajes directos',
    name: '1 · Nombre',
  },
];

test('every language but English has words for settings, and English has the schema', async () => {
  expect(LANGUAGES.map(({ language }) => language).sort()).toEqual(languages.filter((tag) => tag !== 'en').sort());
  const english = await settingWords('en-GB');
  expect(all.filter(({ path }) => english(path) !== undefined)).toEqual([]);
  expect((await settingWords(undefined))(['model'])).toBeUndefined();
});

describe.each(LANGUAGES)(
  'the words for settings in $language',
  ({ language, read, catalogue, formal, cost, direct, name }) => {
    test('are there for every one, and for nothing else', async () => {
      const find = await settingWords(`${language}-XX`);
      expect(all.filter(({ path }) => find(path) === undefined).map(key)).toEqual([]);
      const paths = new Set(all.flatMap(({ path }) => [path.join('.'), ['channels', '*', ...path.slice(2)].join('.')]));
      expect(Object.keys(catalogue).filter((each) => !paths.has(each))).toEqual([]);
      expect(find(['channels', 'of-a-plugin', 'something'])).toBeUndefined();
    });

    test('describe what the English ones describe, with the same names', async () => {
      const find = await settingWords(language);
      for (const info of all) {
        const { label = '', about } = find(info.path) ?? {};
        expect(label, key(info)).toMatch(/^[\p{Lu}][^.]{1,50}$/u);
        expect(about !== undefined, key(info)).toBe(info.about !== undefined);
        expect(codes(about ?? ''), key(info)).toEqual(codes(info.about ?? ''));
        // Address people as the rest of the catalogue does; the page shows no links, and English is seldom left.
        expect(about ?? '', key(info)).not.toMatch(formal);
        expect(about ?? '', key(info)).not.toMatch(/\]\(|\.$| the | of /);
        if (/\p{L}{4}/u.test((about ?? '').replace(/`[^`]*`/g, ''))) expect(about, key(info)).not.toBe(info.about);
      }
    });

    test('are what its readers see on the Board', async () => {
      const world = await openWorld();
      const browser = await logIn(world.app.port ?? 0, await viberLink(world.home));
      const look = async (languages: string) =>
        (await browser.ask('GET', '/api/setup', undefined, { 'accept-language': languages }))
          .body as unknown as SettingsShown;
      expect((await look('en-GB')).settings.filter(({ label }) => label !== undefined)).toEqual([]);
      const { settings } = await look(read);
      const named = (path: string) => settings.find((each) => each.path.join('.') === path);
      expect(named('limits.costPerDay')).toMatchObject(cost);
      expect(named('channels.telegram.access.dm')).toMatchObject({ label: direct });
      expect(named('people.0.name')?.label).toBe(name);
      expect(settings.filter(({ label }) => label === undefined)).toEqual([]);
    });
  },
);
