// biome-ignore-all lint/suspicious/noTemplateCurlyInString: functions are shown as they are written
/** A language as a file for translators: nothing is lost on the way there and back, and what is wrong is refused. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from './exchange/ast.ts';
import { exportLanguage, importLanguage, problemsOf } from './exchange/exchange.ts';
import { type PoEntry, PoError, readPo, writePo } from './exchange/po.ts';
import { functionOf, textOf } from './exchange/texts.ts';

const root = join(import.meta.dirname, '../..');
const sources = new Map<string, string | undefined>();
function read(file: string): string | undefined {
  if (!sources.has(file))
    sources.set(file, existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : undefined);
  return sources.get(file);
}
const with_ = (changed: ReadonlyMap<string, string>) => (file: string) => changed.get(file) ?? read(file);

const spanish = exportLanguage(read, 'es');
const byKey = (entries: readonly PoEntry[]) => new Map(entries.map(({ key, translation }) => [key, translation]));
const keyed = (key: string): PoEntry => {
  const found = spanish.find((entry) => entry.key === key);
  if (!found) throw new Error(`there is no ${key}`);
  return found;
};

describe('a file for translators', () => {
  test.each(['de', 'es'])('has every text of %s with its translation, and the way back changes nothing', (language) => {
    const entries = exportLanguage(read, language);
    expect(entries.length).toBeGreaterThan(2_500);
    expect(entries.filter(({ translation }) => translation === '').map(({ key }) => key)).toEqual([]);
    expect(new Set(entries.map(({ key }) => key)).size).toBe(entries.length);
    const file = writePo(language, entries);
    expect(writePo(language, readPo(file))).toBe(file);
    expect(importLanguage(read, language, readPo(file))).toEqual({ changed: new Map(), problems: [], left: [] });
  });

  test('says where a text is read, and what its placeholders stand for', () => {
    const { about, file } = keyed('tasks.older');
    expect(file).toBe('src/messages/es/tasks.ts');
    expect(about).toEqual(['In chats. Tasks, their results, and their state.', '{n}: a number']);
    expect(keyed('ui.task.deleted')).toMatchObject({
      english: 'Deleted {title}.',
      translation: 'Se borró {title}.',
      file: 'src/board/ui/words/es.ts',
    });
    expect(keyed('ui-pages.agents.steps').english).toBe('{n, plural, one {# step} other {# steps}}');
    expect(keyed('menu.tasks.description').translation).toBe('Ver tus tareas');
    expect(keyed('bare-answers.yes').translation).toMatch(/^sí, si, /);
  });

  test('leaves out only code of the Board that no message can say', () => {
    const names = ['words/en', 'words/en-pages', 'settings/words-en'].map((name) => read(`src/board/ui/${name}.ts`));
    const functions = names.join('\n').match(/^\s+\w+: \(/gm)?.length ?? 0;
    const exported = spanish.filter(({ key, english }) => key.startsWith('ui') && english.includes('{')).length;
    expect(functions).toBeGreaterThan(50);
    expect(exported).toBe(functions);
  });

  test('brings any other texts, in any part and order, back as they were written', () => {
    const texts = spanish.filter(({ key }) => !key.startsWith('bare-answers.'));
    fc.assert(
      fc.property(
        fc.shuffledSubarray(texts, { maxLength: 25 }),
        fc.string({ unit: fc.constantFrom(...'añ "\'\\`$\n\t«»¿?/:—x😀') }),
        (chosen, added) => {
          const changed = chosen.map((entry) => ({ ...entry, translation: withWords(entry, added) }));
          const file = writePo('es', changed);
          const first = importLanguage(read, 'es', readPo(file));
          expect(first.problems).toEqual([]);
          for (const text of first.changed.values()) parse(text);
          const after = exportLanguage(with_(first.changed), 'es');
          expect(byKey(after)).toEqual(new Map([...byKey(spanish), ...byKey(changed)]));
          const again = importLanguage(with_(first.changed), 'es', readPo(file));
          expect(again.changed.size).toBe(0);
        },
      ),
      { numRuns: Number(process.env.PROPERTY_RUNS ?? 15) },
    );
  });

  test('makes the files of a language that is not there yet, and fills them bit by bit', () => {
    const blank = exportLanguage(read, 'pl');
    expect(blank.every(({ translation }) => translation === '')).toBe(true);
    expect(importLanguage(read, 'pl', blank).changed.size).toBe(0);
    const given: Record<string, string> = {
      'tasks.messagesWait':
        '- {n, plural, one {# wiadomość czeka} few {# wiadomości czekają} many {# wiadomości czeka} other {# wiadomości czeka}}',
      'cli.noLogins': 'Nikt nie jest zalogowany.',
      'ui.task.deleted': 'Usunięto {title}.',
      'ui-pages.agents.steps': '{n, plural, one {# krok} few {# kroki} many {# kroków} other {# kroku}}',
      'ui-settings.title': 'Ustawienia',
      'menu.tasks.description': 'Twoje zadania',
      'bare-answers.yes': 'tak, jasne',
    };
    const some = blank.map((entry) => ({ ...entry, translation: given[entry.key] ?? '' }));
    const { changed, problems } = importLanguage(read, 'pl', some);
    expect(problems).toEqual([]);
    for (const text of changed.values()) parse(text);
    const after = byKey(exportLanguage(with_(changed), 'pl'));
    for (const { key, translation } of some) expect([key, after.get(key)]).toEqual([key, translation]);
    expect(changed.get('src/messages/pl/tasks.ts')).toMatch(/translate\(english\.tasks\)\(\{ messagesWait: /);
    expect(changed.get('src/messages/pl.ts')).toContain("from './pl/tasks.ts'");
    expect(changed.get('src/board/ui/words/pl.ts')).toContain("const choose = chooser('pl');");
    expect(changed.get('src/messages/menu.ts')).toMatch(
      /\n {2}\},? pl: \{ tasks: \{ description: 'Twoje zadania' \} \},?\n\};/,
    );
    const next = blank.map((entry) => ({ ...entry, translation: entry.key === 'tasks.fresh' ? 'Nowe.' : '' }));
    const later = importLanguage(with_(changed), 'pl', next);
    expect([...later.changed.keys()]).toEqual(['src/messages/pl/tasks.ts']);
    expect(later.changed.get('src/messages/pl/tasks.ts')).toMatch(/\{ fresh: 'Nowe\.', messagesWait: /);
  });
});

/** Another translation with the same placeholders, spaces at its ends, and letters of every kind. */
function withWords({ key, translation }: PoEntry, added: string): string {
  const words = key.startsWith('ui') || /\n/.test(translation) ? added.replace(/[\n\t]/g, '') : added;
  const [, before = '', text = '', after = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(translation) ?? [];
  return `${before}${text}x${words}x${after}`;
}

describe('an import', () => {
  const imported = (key: string, translation: string, more: Partial<PoEntry> = {}) =>
    importLanguage(read, 'es', [{ ...keyed(key), translation, line: 12, ...more }]);

  test.each<[key: string, text: string, reason: RegExp]>([
    ['tasks.stoppedTask', 'Detenida.', /^tasks\.stoppedTask: \{title\} is missing$/],
    ['tasks.stoppedTask', 'Detenida: {title} de {quien}', /there is no \{quien\}/],
    ['tasks.stoppedTask', 'Detenida: {titel}', /\{title\} is missing/],
    ['tasks.stoppedTask', 'Detenida: {title', /isn't ICU MessageFormat/],
    ['tasks.stoppedTask', "Detenida: '{title}", /an apostrophe before a brace/],
    ['tasks.stoppedTask', 'Detenida: {title}\u0007', /control character, \\x07/],
    ['tasks.messagesWait', '- {n} mensajes', /^$/],
    ['tasks.messagesWait', '- {n, plural, one {# mensaje}}', /isn't ICU MessageFormat/],
    ['tasks.messagesWait', '- {n, plural, one {#} few {#} other {#}}', /es has no plural form "few"/],
    ['tasks.messagesWait', '- {n, plural, many {#} other {#}}', /the plural form "one" is missing/],
    ['tasks.messagesWait', '- {n, select, other {mensajes}}', /\{n\} is a number, and can't be selected by/],
    [
      'questions.isDenied',
      '{who, plural, one {uno} other {varios}} {name}',
      /\{who\} is a choice, and can't be counted/,
    ],
    ['questions.isDenied', '{who, select, yo {Yo} other {{name}}}', /\{who\} is never yo/],
    ['jobs.near', '(¿querías decir {near}?)', /other spaces than the English text/],
    ['ui.task.deleted', 'Se borró.', /\{title\} is missing/],
    ['ui.pane.firstRows', 'Las primeras {n, plural, =1 {fila} one {fila} other {# filas}}.', /counts with one, few/],
    ['ui.nav.now', 'Ahora {x}', /there is no \{x\}/],
  ])('of %s as %j names what is wrong with its line, and changes nothing', (key, text, reason) => {
    const { changed, problems } = imported(key, text);
    if (reason.source === '^$') {
      expect([problems, changed.size]).toEqual([[], 1]);
      return;
    }
    expect(problems[0]).toMatchObject({ line: 12, text: expect.stringMatching(reason) });
    expect(changed.size).toBe(0);
  });

  test('leaves out what is unfinished, was changed in English or is no longer there, and says so', () => {
    const entries = [
      { ...keyed('tasks.fresh'), translation: 'A medias', isFuzzy: true, line: 3 },
      { ...keyed('tasks.yours'), english: 'Your tasks:', translation: 'Tus tareas:', line: 7 },
      { ...keyed('tasks.here'), key: 'tasks.gone', line: 11 },
      { ...keyed('tasks.all'), translation: 'Todas:', line: 15 },
    ];
    const { changed, problems, left } = importLanguage(
      read,
      'es',
      readPo(writePo('es', entries)).map((entry, at) => ({ ...entry, line: entries[at]?.line ?? 0 })),
    );
    expect(problems).toEqual([]);
    expect(left).toEqual([
      { line: 3, text: 'tasks.fresh is marked as unfinished (fuzzy)' },
      { line: 7, text: 'tasks.yours has another English text now; export it again' },
      { line: 11, text: 'tasks.gone is no longer used' },
    ]);
    expect([...changed.keys()]).toEqual(['src/messages/es/tasks.ts']);
    expect(changed.get('src/messages/es/tasks.ts')).toBe(
      read('src/messages/es/tasks.ts')?.replace("'Todas las tareas, las más recientes primero:'", "'Todas:'"),
    );
  });

  test('refuses all of a file of which one text is wrong, and a key that is there twice', () => {
    const good = { ...keyed('tasks.fresh'), translation: 'Nueva.' };
    const wrong = { ...keyed('tasks.stoppedTask'), translation: 'Detenida.' };
    expect(importLanguage(read, 'es', [good, wrong]).changed.size).toBe(0);
    expect(importLanguage(read, 'es', [good, good]).problems[0]?.text).toBe('tasks.fresh is there twice');
  });

  test('finds nothing wrong with the German and Spanish that are there', () => {
    for (const language of ['de', 'es'])
      for (const { key, english, translation } of exportLanguage(read, language)) {
        const unit = { key, english, where: '', own: { file: '', keys: [] } };
        expect([key, problemsOf(unit, translation, language)]).toEqual([key, []]);
      }
  });
});

describe('a PO file', () => {
  const word = fc.string({ unit: fc.constantFrom(...'ab "\\\n\t#~éü日😀:.{}\u2028\u0085', '\r') });

  test('says the same after any way through it', () => {
    const entry = fc.record({
      key: fc.string({ minLength: 1, unit: 'grapheme' }),
      english: word,
      translation: word,
      about: fc.constant(['In chats.']),
      file: fc.constant('src/a.ts'),
    });
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        const found = readPo(writePo('es', entries)).map(({ line: _, ...rest }) => rest);
        expect(found).toEqual(entries);
      }),
    );
  });

  test('is read as other tools write it', () => {
    const text = [
      '\ufeff# Translators: Ana',
      'msgid ""',
      'msgstr ""',
      '"Language: es\\n"',
      '"X-Generator: Poedit 3.5\\n"',
      '#. In chats.',
      '#: src/a.ts:12 src/b.ts',
      '#, fuzzy, no-wrap',
      '#| msgid "Before"',
      'msgctxt "a.b"',
      'msgid ""',
      '"One "',
      '"line\\n"',
      'msgstr "Una \\"línea\\"\\n"',
      'msgctxt "a.c"',
      'msgid "Two"',
      'msgstr "Dos"',
      '',
      '#~ msgctxt "a.old"',
      '#~ msgid "Old"',
      '#~ msgstr "Viejo"',
    ].join('\r\n');
    expect(readPo(text)).toMatchObject([
      { key: 'a.b', english: 'One line\n', translation: 'Una "línea"\n', isFuzzy: true },
      { key: 'a.c', english: 'Two', translation: 'Dos', line: 17 },
    ]);
  });

  test.each<[text: string, line: number, reason: string]>([
    ['msgctxt "a"\nmsgid "b"\nmsgstr "c', 3, 'expected text in double quotes'],
    ['msgid "b"\nmsgstr "c"', 2, 'the entry has no msgctxt, which is its key'],
    ['msgctxt "a"\nmsgid "b"\nmsgid_plural "bs"\nmsgstr[0] "c"', 1, 'plurals are written in the text'],
    ['msgctxt "a"\nmsgid "b"\nmsgstr "\\x"', 3, "\\x isn't an escape that is used here"],
    ['msgctxt "a"\nmsgstr "c"\nmsgstr "d"', 3, 'msgstr is there twice'],
    ['{"a": "b"}', 1, "this isn't a line of a PO file"],
  ])('that is broken is refused with its line: %j', (text, line, reason) => {
    const refused = () => readPo(text);
    expect(refused).toThrow(PoError);
    expect(refused).toThrow(reason);
    try {
      refused();
    } catch (error) {
      expect(error).toMatchObject({ line });
    }
  });
});

test('a function of the Board says what its message says', () => {
  const said = (code: string) => {
    const [statement] = (parse(`const f = ${code};`).body as { declarations: { init: never }[] }[]) ?? [];
    return textOf(statement?.declarations[0]?.init as never);
  };
  // biome-ignore format: a row is a line
  const messages: [text: string, language: string, code: string][] = [
    ['Deleted {title}.', 'en', '(title) => `Deleted ${title}.`'],
    ['{n, plural, one {# step} other {# steps}}', 'en', "(n) => count(n, 'step', 'steps')"],
    ['{n, plural, one {one} other {{n} of it}}', 'es', "(n) => (n === 1 ? 'one' : `${n} of it`)"],
    ['{n, plural, one {# krok} few {# kroki} other {x}}', 'pl', "(n) => choose(n, { one: `${n.toLocaleString('pl')} krok`, few: `${n.toLocaleString('pl')} kroki`, other: 'x' })"],
    ['{s, select, on {On} empty {None} other {{s}}}', 'en', "(s) => (s === 'on' ? 'On' : s === '' ? 'None' : s)"],
  ];
  for (const [text, language, code] of messages) {
    const [, parameter = ''] = /\{(\w+)/.exec(text) ?? [];
    expect(functionOf(text, [parameter], language)).toBe(code);
    expect(said(code)).toBe(text);
  }
  const odd = 'It\'s `back` $ \\ "{a}"';
  expect(said(functionOf(odd, ['a'], 'en'))).toBe(odd);
  expect(said('(a) => a.map(String)')).toBeUndefined();
});
