/** What people type, copy from a browser, or are sent by a chat, as the source that is meant. */
import os from 'node:os';
import { expect, test } from 'vitest';
import { parseSource, sourceText } from '../../../src/skills/add/source.ts';

const GITHUB = 'https://github.com/anthropics/skills';

test.each([
  ['./pdf', { kind: 'folder', path: '/here/pdf' }],
  ['.', { kind: 'folder', path: '/here' }],
  ['../pdf.zip', { kind: 'zip', path: '/pdf.zip' }],
  ['/there/pdf.skill', { kind: 'zip', path: '/there/pdf.skill' }],
  ['~/pdf', { kind: 'folder', path: `${os.homedir()}/pdf` }],
  ['"/there/my pdf"', { kind: 'folder', path: '/there/my pdf' }],
  ['anthropics/skills', { kind: 'git', url: GITHUB }],
  ['anthropics/skills/skills/pdf#v1.2', { kind: 'git', url: GITHUB, ref: 'v1.2', inside: 'skills/pdf' }],
  ['`anthropics/skills`', { kind: 'git', url: GITHUB }],
  [`<${GITHUB}>`, { kind: 'git', url: GITHUB }],
  [`<${GITHUB}|github.com/anthropics/skills>`, { kind: 'git', url: GITHUB }],
  [`${GITHUB}/`, { kind: 'git', url: GITHUB }],
  [`${GITHUB}.git#feature/x`, { kind: 'git', url: `${GITHUB}.git`, ref: 'feature/x' }],
  [`${GITHUB}/tree/main/skills/pdf`, { kind: 'git', url: GITHUB, ref: 'main', inside: 'skills/pdf' }],
  [`${GITHUB}/blob/main/skills/pdf/SKILL.md`, { kind: 'git', url: GITHUB, ref: 'main', inside: 'skills/pdf' }],
  [`${GITHUB}/tree/main`, { kind: 'git', url: GITHUB, ref: 'main' }],
  [
    'https://gitlab.com/a/b/c/-/tree/main/x',
    { kind: 'git', url: 'https://gitlab.com/a/b/c', ref: 'main', inside: 'x' },
  ],
  ['https://git.example.org/tree/main/x', { kind: 'git', url: 'https://git.example.org/tree/main/x' }],
  [`${GITHUB}/archive/refs/heads/main.zip`, { kind: 'web', url: `${GITHUB}/archive/refs/heads/main.zip` }],
  ['npm:pdf', { kind: 'npm', name: 'pdf' }],
  ['npm:@acme/pdf@1.2.3-beta.1', { kind: 'npm', name: '@acme/pdf', version: '1.2.3-beta.1' }],
  ['@acme/pdf', { kind: 'npm', name: '@acme/pdf' }],
  ['https://www.npmjs.com/package/@acme/pdf/v/1.2.3', { kind: 'npm', name: '@acme/pdf', version: '1.2.3' }],
])('%s', (typed, source) => {
  const parsed = parseSource(typed, '/here');
  expect(parsed).toEqual(source);
  // What is noted of it means the same for an update, from any folder.
  expect(parseSource(sourceText(parsed), '/')).toEqual(parsed);
});

test.each(
  // biome-ignore format: a list is filled
  [
    'npm:../../etc', 'npm:a b', 'npm:@acme/../x', '@acme/x@$(id)', 'https://', 'https://example.org/x#--upload-pack=x',
    'https://example.org/x#a b', 'https://example.org/x#main:../../x', 'javascript:alert(1)', 'data:text/plain,x',
    'C:\\skills', '\\\\server\\share', `a/${'b'.repeat(3_000)}`,
  ],
)('%s is refused', (typed) => {
  expect(() => parseSource(typed, '/here')).toThrow();
});
