/** When a task is taken for coding work, and that it stays so. */
import { expect, it } from 'vitest';
import { codingOf, isCodingTask } from '../../../src/runtime/context/coding.ts';
import { openHome } from '../../../src/workspace/home.ts';
import { newTaskId, readTask, saveTask } from '../../../src/workspace/tasks.ts';
import { ownTime } from '../../helpers/own-time.ts';
import { tempFolder } from '../../helpers/temp.ts';

const CODING = [
  'fix the bug in the login page',
  'implement a function that reverses a list',
  'refactor this',
  'please review src/main.ts and find what is slow',
  'the build fails:\nerror TS2345: Argument of type',
  'what is this?\n```python\nprint(1)\n```',
  'it crashes\nTraceback (most recent call last):\n  File "a.py", line 3, in <module>',
  'it says\n    at run (/app/src/worker.js:12:7)\n    at main (index.js:1:1)',
  'write a bash script that renames files',
  'add a test for the parser in parse.test.ts',
  'debug why the server does not start',
  'diff --git a/x b/x\n@@ -1,2 +1,3 @@',
  'behebe den Bug im Anmeldeformular',
  'schreibe eine Funktion, die Listen sortiert',
  'corrige le bug dans la page de connexion',
  'arregla el código de la página',
  'correggi il codice del modulo',
  'исправь баг в форме входа',
  'напиши функцию сортировки',
  '修复登录页面的代码',
  'ログインのバグを修正して',
];

const OTHER = [
  'write a letter to my landlord',
  'Write a short friendly email to the developers about the bug in the code',
  'schreibe einen Brief an meine Mutter',
  'escribe una carta a mi abuela',
  'implement our marketing plan for spring',
  'fix an appointment with the dentist',
  'plan a birthday party and make a list',
  'what is the zip code of Bern? add it to the list',
  'write the code of conduct for our club',
  'is Python or Java better for my daughter?',
  'what is the function of the heart?',
  'summarise report.pdf',
  'tell me about the history of Java',
  'change the access code of the door to 4711',
  'write a poem about a python',
  'remember that I like tea',
  'make a plan: one; two',
  'write a file a.txt: hello',
  'hello',
  '',
];

it.each(CODING)('is coding work: %s', (words) => {
  expect(isCodingTask(words, [])).toBe(true);
  expect(isCodingTask('hello', ['thanks', words])).toBe(true);
});

it.each(OTHER)('is not: %s', (words) => {
  expect(isCodingTask(words, [words])).toBe(false);
});

it('does not put the signals of two messages together', () => {
  expect(isCodingTask('make me a plan', ['what is a function?'])).toBe(false);
});

it('looks at long and hostile texts for a moment only', () => {
  const nasty = [
    'write '.repeat(20_000),
    `at ${'x:'.repeat(50_000)}`,
    '`'.repeat(100_000),
    'a.'.repeat(50_000),
    ' '.repeat(1e5),
  ];
  const begun = ownTime();
  for (const text of nasty) isCodingTask(text, [text]);
  expect(ownTime() - begun).toBeLessThan(500);
});

it('stays coding work whatever is said later', async () => {
  const home = await openHome(tempFolder());
  const id = newTaskId(new Date());
  const at = new Date().toISOString();
  const record = { id, viber: 'default', goal: 'hello', title: 'hello', state: 'pending' as const, runs: 0 };
  await saveTask(home, { ...record, people: [], conversations: [], createdAt: at, updatedAt: at });
  const task = async () => (await readTask(home, id)) ?? Promise.reject(new Error('no task'));
  expect(await codingOf(home, await task(), ['write a letter'])).toBe(false);
  expect((await task()).coding).toBeUndefined();
  expect(await codingOf(home, await task(), ['fix the bug'])).toBe(true);
  expect(await codingOf(home, await task(), ['thanks, now a letter'])).toBe(true);
});
