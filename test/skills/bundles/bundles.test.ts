/** What published bundles are here, shape by shape. */
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { messagesIn } from '../../../src/messages/messages.ts';
import { skillOf } from '../helpers.ts';
import { MORE_SHAPES } from './more-shapes.ts';
import { FIRST_SHAPES, type Is } from './shapes.ts';

const SHAPES = [...FIRST_SHAPES, ...MORE_SHAPES];

/** What is asked of a skill, of all that it is. */
function seen(text: string, file: string, { description, warnings }: Is): Is {
  const skill = skillOf(text, { file });
  const { kind, name, requires, install, allowedTools, forModel, forPeople, script } = skill;
  return {
    ...{ kind, name, ...requires, allowedTools, forModel, forPeople },
    install: install.map(({ how }) => how),
    ...(script ? { script: script.text } : {}),
    description: description instanceof RegExp && description.test(skill.description) ? description : skill.description,
    warnings: skill.warnings
      .map(messagesIn('en').said)
      .map((said, index) => (warnings?.[index]?.test(said) ? warnings[index] : new RegExp(said))),
  };
}

describe('a bundle', () => {
  test('of each kind stands in the table', () => {
    expect(SHAPES.length).toBeGreaterThanOrEqual(60);
    expect(new Set(SHAPES.map(({ title }) => title)).size).toBe(SHAPES.length);
  });

  test.each(SHAPES.map((shape) => [shape.title, shape] as const))('%s', (_title, { text, is, file }) => {
    const at = path.join('/skills', file ?? 'sample/SKILL.md');
    if (is instanceof RegExp) expect(() => skillOf(text, { file: at, reserved: ['notify'] })).toThrow(is);
    else expect(seen(text, at, is)).toMatchObject(is);
  });
});
