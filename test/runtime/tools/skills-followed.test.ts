/** The tools that a skill wants used, in the words of other agents, and which of ours are beyond them. */
import { expect, test } from 'vitest';
import { followSkills, namesGivenTo } from '../../../src/features/skills/followed.ts';
import { featureSet } from '../../../src/runtime/features.ts';
import type { SessionEntry } from '../../../src/workspace/types.ts';
import { FEATURES } from '../../helpers/features.ts';

featureSet(FEATURES);

test.each([
  [['Bash'], ['shell', 'run_skill_file'], ['notify', 'write_file', 'mark']],
  [['terminal', 'Write'], ['shell', 'write_file', 'create_artifact'], ['notify']],
  [['Read', 'Grep'], [], ['shell', 'run_skill_file', 'write_file', 'docs_find']],
  [['mcp__docs__find'], ['docs_find'], ['docs_drop', 'shell']],
  [['notify', 'WebSearch', 'WebFetch'], ['notify', 'web_search', 'web-fetch'], ['shell']],
  [[], [], ['shell', 'notify']],
  [['constructor', '__proto__'], [], ['shell']],
])('%j allows %j, not %j', (allowedTools, inside, beyond) => {
  const followed = followSkills([{ allowedTools }]);
  expect(inside.filter((name) => followed.isBeyond(name))).toEqual([]);
  expect(beyond.filter((name) => !followed.isBeyond(name))).toEqual([]);
});

test('a skill without a list limits nothing, and no list lifts the limit of another', () => {
  const followed = followSkills([{}]);
  expect(followed.isBeyond('shell')).toBe(false);
  followed.add({ allowedTools: ['Read'] });
  followed.add({ allowedTools: ['Bash'] });
  expect(followed.isBeyond('shell')).toBe(true);
});

test('what an earlier process has read is found in the steps of the run', () => {
  const step = (toolName: string, input: unknown) =>
    ({
      type: 'step',
      messages: [{ role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName, input }] }],
    }) as unknown as SessionEntry;
  const entries = [step('read_skill', { name: 'tea' }), step('read_file', { name: 'x' }), step('read_skill', 'odd')];
  expect(namesGivenTo('read_skill', entries)).toEqual(['tea']);
});
