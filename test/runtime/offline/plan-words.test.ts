/** Steps that are added and moved in plain words, English and German; and sentences that mean something else. */
import { describe, expect, it } from 'vitest';
import { parseRequests } from '../../../src/runtime/offline/requests.ts';

const LAST = { at: 'last', n: 0 };
const add = (titles: string[], to: object = LAST) => ({ kind: 'add-steps', titles, to });
const move = (step: number, at: string, n = 0) => ({ kind: 'move-step', step, to: { at, n } });

const TABLE: [text: string, request: object][] = [
  ['add a step: call Ana', add(['call Ana'])],
  ['Add another step: call Ana, then Ben.', add(['call Ana, then Ben'])],
  ['please add a new step to the plan: call Ana please', add(['call Ana'])],
  ['add a step to call Ana', add(['call Ana'])],
  ['add a step before step 2: call Ana', add(['call Ana'], { at: 'before', n: 2 })],
  ['add a step after the third step: "wash: all"', add(['wash: all'], { at: 'after', n: 3 })],
  ['add a step at the top: call Ana', add(['call Ana'], { at: 'first', n: 0 })],
  ['add steps: a; b, c; d', add(['a', 'b, c', 'd'])],
  ['add these steps: a, b', add(['a', 'b'])],
  ['add call Ana to the plan', add(['call Ana'])],
  ['new step: call Ana', add(['call Ana'])],
  ['could you add a step: call Ana?', add(['call Ana'])],
  ['füge einen Schritt hinzu: Ana anrufen', add(['Ana anrufen'])],
  ['füg bitte einen neuen Schritt vor Schritt 2 hinzu: Ana anrufen', add(['Ana anrufen'], { at: 'before', n: 2 })],
  ['füge einen Schritt am Anfang hinzu: Ana anrufen', add(['Ana anrufen'], { at: 'first', n: 0 })],
  ['Neuer Schritt: Ana anrufen', add(['Ana anrufen'])],
  ['noch ein Schritt: Ana anrufen', add(['Ana anrufen'])],
  ['ergänze den Plan um: Ana anrufen; Ben fragen', add(['Ana anrufen', 'Ben fragen'])],
  ['nimm Ana anrufen in den Plan auf', add(['Ana anrufen'])],
  ['move step 3 to the top', move(3, 'first')],
  ['move the third step to the top of the plan', move(3, 'first')],
  ['put step 2 at the end', move(2, 'last')],
  ['move step 4 to position 2', move(4, 'place', 2)],
  ['move step 4 to 2', move(4, 'place', 2)],
  ['move step 1 after step 3', move(1, 'after', 3)],
  ['move step 3 before the first step', move(3, 'before', 1)],
  ['move step 3 up', move(3, 'up')],
  ['please move step 3 down one.', move(3, 'down')],
  ['schieb Schritt 3 an den Anfang', move(3, 'first')],
  ['verschiebe den dritten Schritt ans Ende', move(3, 'last')],
  ['setze Schritt 3 an die erste Stelle', move(3, 'first')],
  ['Schritt 3 ganz nach oben', move(3, 'first')],
  ['schieb Schritt 3 nach oben', move(3, 'up')],
  ['stell Schritt 2 hinter Schritt 4', move(2, 'after', 4)],
  ['verschieb Schritt 5 auf Platz 2', move(5, 'place', 2)],
  ['add milk to list.md', { kind: 'add', file: 'list.md', line: 'milk' }],
  ['skip step 2', { kind: 'mark', steps: [2], title: '', status: 'skipped' }],
  ['Schritt 3 ist erledigt', { kind: 'mark', steps: [3], title: '', status: 'done' }],
  ['move step 3 to the garage roof', { kind: 'unknown', text: 'move step 3 to the garage roof' }],
  ['move the sofa to the top', { kind: 'unknown', text: 'move the sofa to the top' }],
  ['add a step', { kind: 'unknown', text: 'add a step' }],
];

it.each(TABLE)('%s', (text, request) => {
  expect(parseRequests(text)).toEqual([request]);
});

describe('hostile words', () => {
  it.each([
    ['blanks', `add a step${' '.repeat(40_000)}: x`],
    ['numbers', `move step ${'3 '.repeat(20_000)}to the top`],
    ['colons', `add a step before ${': '.repeat(20_000)}`],
  ])('%s cost no time', (_what, text) => {
    const began = performance.now();
    parseRequests(text);
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});
