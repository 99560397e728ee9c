/** What somebody may have meant, by the slips that fingers make. */
import { expect, it } from 'vitest';
import { nearest } from '../../src/lib/nearest.ts';

const COMMANDS = ['new', 'start', 'status', 'stop', 'tasks', 'think', 'plan', 'play', 'jobs', 'doctor'];

it.each([
  ['stauts', 'status'],
  ['stpo', 'stop'],
  ['nwe', 'new'],
  ['taks', 'tasks'],
  ['jbos', 'jobs'],
  ['docotr', 'doctor'],
  ['Plann', 'plan'],
  ['thnik', 'think'],
])('%s is %s', (word, meant) => {
  expect(nearest(word, COMMANDS)).toBe(meant);
});

it.each(['', 'no', 'gym', 'memory leak in X', 'x'.repeat(1_000)])('%s is none of them', (word) => {
  expect(nearest(word, COMMANDS)).toBeUndefined();
});
