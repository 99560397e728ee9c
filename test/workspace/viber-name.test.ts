/** The name that an IDENTITY.md gives, in the ways in which people and other programs write one. */
import { expect, it } from 'vitest';
import { TEMPLATES } from '../../src/workspace/templates.ts';
import { nameIn } from '../../src/workspace/viber-name.ts';

it.each([
  [TEMPLATES['IDENTITY.md'] ?? '', 'Viber'],
  ['# IDENTITY.md\n\n- **Name:** Pim\n- **Creature:** robot', 'Pim'],
  ['Name: Ada Lovelace', 'Ada Lovelace'],
  ['**Name**: _Kim_', 'Kim'],
  ['- **Name:**\n  _(pick something you like)_\n- **Vibe:** calm', undefined],
  ['You are Ada, and you write programs.', 'Ada'],
  ['Hello! Your name is Bo.', 'Bo'],
  ['Du bist Kim, und hilfst.', 'Kim'],
  ['Dein Name ist „Lena“.', 'Lena'],
  ['You are a helpful assistant.', undefined],
  ['You are The Best.', undefined],
  ['Nothing about it.', undefined],
  [`Name: ${'x'.repeat(31)}`, undefined],
  ['', undefined],
])('%j', (identity, name) => {
  expect(nameIn(identity)).toBe(name);
});
