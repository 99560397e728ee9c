/** Skills as files: both patterns, the two published formats, what is a tool and what its script is. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { UserError } from '../../src/errors.ts';
import { messagesIn, say } from '../../src/messages/messages.ts';
import { toInputSchema, toVariables } from '../../src/skills/parameters.ts';
import { parseSkill, type Skill } from '../../src/skills/skill.ts';
import { FIXTURES, skillOf, skillText } from './helpers.ts';

function load(file: string): Skill {
  return parseSkill(readFileSync(file, 'utf8'), { file, level: 'user', reserved: new Set(['notify']) });
}

describe('files', () => {
  test('the bundled git-commit is a tool with one parameter and its two lines as script', () => {
    const skill = load(path.join(import.meta.dirname, '../../src/skills/git/commit.skill.md'));
    expect(skill).toMatchObject({
      name: 'git-commit',
      description: 'Stage changes and commit with a message.',
      kind: 'tool',
      parameters: [{ name: 'message', variable: 'message', type: 'string', required: true }],
      script: { shell: 'sh', text: 'git add .\ngit commit -m "$message"\n' },
      network: false,
    });
    expect(skill.folder).toBeUndefined();
  });

  test('a bundle with metadata as JSON in one line is instructions, its blocks are examples', () => {
    const skill = load(path.join(FIXTURES, 'github', 'SKILL.md'));
    expect(skill.kind).toBe('instructions');
    expect(skill.script).toBeUndefined();
    expect(skill.requires).toEqual({ bins: ['gh'], anyBins: [], env: ['GITHUB_TOKEN'], os: ['darwin', 'linux'] });
    expect(skill.folder).toBe(path.join(FIXTURES, 'github'));
    expect(skill.metadata.homepage).toBe('https://cli.github.com');
    expect(skill.body).toContain('gh pr checks 55');
  });

  test('a bundle with metadata as YAML, and a description that YAML alone would refuse', () => {
    const skill = load(path.join(FIXTURES, 'todoist-cli', 'SKILL.md'));
    expect(skill.description).toBe('Tasks, projects and labels. Triggers: "todoist", "my tasks", "add a task"');
    expect(skill.kind).toBe('instructions');
    expect(skill.requires).toEqual({
      bins: ['curl'],
      anyBins: ['jq', 'no-such-program-here'],
      env: ['TODOIST_API_KEY', 'TODOIST_REGION'],
      os: [],
    });
  });

  test('a bundle of Agent Skills keeps its further keys', () => {
    const skill = load(path.join(FIXTURES, 'pdf-forms', 'SKILL.md'));
    expect(skill.kind).toBe('instructions');
    expect(skill.metadata).toMatchObject({
      license: 'Apache-2.0',
      compatibility: 'Needs python3 and pypdf',
      'allowed-tools': 'Bash(python3:*) Read',
      metadata: { author: 'example-org', version: '1.0' },
    });
  });

  test('Windows line ends, fences in lists, several blocks and shells: the blocks in order', () => {
    const skill = load(path.join(FIXTURES, 'deploy', 'SKILL.md'));
    expect(skill).toMatchObject({ kind: 'tool', network: true, timeout: 300 });
    expect(skill.script).toEqual({
      shell: 'bash',
      text: 'echo "branch $branch"\necho "stage $stage, dry run $dry_run"\n',
    });
  });
});

describe('what it is', () => {
  test.each([
    ['parameters: {}', 'echo 1', 'tool', 'echo 1\n'],
    ['parameters:', '# Procedure\necho 1', 'tool', '# Procedure\necho 1\n'],
    ['', 'Say hello.', 'instructions', undefined],
    ['parameters: {}', 'Run:\n```sh\necho 1\n```\nand\n~~~bash title="x"\necho 2\n~~~', 'tool', 'echo 1\necho 2\n'],
    ['', 'Run:\n```sh\necho 1\n```\nand\n~~~bash title="x"\necho 2\n~~~', 'instructions', undefined],
    ['', 'See:\n```console\n$ echo 1\n```\n```\necho\n```', 'instructions', undefined],
    ['', '````markdown\n```sh\nrm -rf x\n```\n````', 'instructions', undefined],
    ['parameters: {}', '```sh\necho "```"\n  ```\n', 'tool', 'echo "```"\n'],
    ['metadata: { openviber: { kind: tool } }', '```sh\necho open', 'tool', 'echo open\n'],
    ['license: MIT', '```sh\necho example\n```', 'instructions', undefined],
    ['license: MIT\nparameters: {}', '```sh\necho 1\n```', 'tool', 'echo 1\n'],
    ['metadata: { openviber: { kind: instructions } }', '```sh\necho\n```', 'instructions', undefined],
    ['metadata: { openclaw: {}, openviber: { kind: tool } }', '```sh\necho 1\n```', 'tool', 'echo 1\n'],
  ])('%s with %j is %s', (front, body, kind, text) => {
    const skill = skillOf(skillText(front, body));
    expect([skill.kind, skill.script?.text]).toEqual([kind, text]);
  });

  test('a name that is missing is the folder, or the file', () => {
    const text = '---\ndescription: Says hello.\n---\nSay hello.';
    expect(skillOf(text, { file: '/s/say-hello/SKILL.md' }).name).toBe('say-hello');
    expect(skillOf(text, { file: '/s/git/push.skill.md' }).name).toBe('push');
    expect(() => skillOf(skillText('parameters: {}', 'echo', 'Say Hello'))).toThrow('kebab-case');
    expect(skillOf(text, { file: '/s/Say Hello/SKILL.md' })).toMatchObject({
      name: 'say-hello',
      warnings: [say('skillFiles.knownAs', { name: 'Say Hello', slug: 'say-hello' })],
    });
  });

  test.each([
    ['Use this: for that', 'Use this: for that'],
    ['See https://example.org/a\n  for more', 'See https://example.org/a for more'],
    ['>-\n  Folded: text\n  of two lines', 'Folded: text of two lines'],
    ['"Quoted: text" # comment', 'Quoted: text'],
    ['Plain # comment', 'Plain'],
    ['Posts to the #deployments channel of Slack', 'Posts to the #deployments channel of Slack'],
    ['Fixes issues such as #12 and #13 # comment', 'Fixes issues such as #12 and #13'],
    ['Sorts C# and F#\n  for #general\n# a line of its own', 'Sorts C# and F# for #general'],
    ['"#general" and #random', '"#general" and #random'],
    ['#general', undefined],
  ])('the description %j', (written, read) => {
    if (read === undefined)
      return expect(() => skillOf(`---\nname: x\ndescription: ${written}\n---\nHi.`)).toThrow('description');
    expect(skillOf(`---\nname: x\ndescription: ${written}\n---\nHi.`).description).toBe(read);
  });

  test('the digest is of the text', () => {
    const [one, two] = [skillOf(skillText('', 'echo 1')), skillOf(skillText('', 'echo 2'))];
    expect(one.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(one.digest).not.toBe(two.digest);
  });
});

/** The reason in another language, which has it from the catalogue. */
function germanOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof UserError) return messagesIn('de').said(error.said);
  }
  return '';
}

describe('what is refused, with the reason', () => {
  test.each([
    ['name: Git-Commit\nparameters: {}', /kebab-case/],
    ['name: a--b\nparameters: {}', /kebab-case/],
    ['name: -a\nparameters: {}', /kebab-case/],
    ['name: ../../etc\nparameters: {}', /kebab-case/],
    ['name: __proto__\nparameters: {}', /kebab-case/],
    ['name: constructor', /built-in tool/],
    [`name: ${'a'.repeat(65)}\nparameters: {}`, /kebab-case/],
    ['name: notify', /built-in tool/],
    ['name: update-plan', /built-in tool/],
    ['name: 7', /name: expected text/],
    ['name: a\nname: b', /line 4: the key "name" appears twice/],
    ['description: ""', /description: is empty/],
    ['parameters: text', /parameters: expected one key/],
    ['parameters: { x: text }', /parameters\.x: expected type/],
    ['parameters: { x: { type: array } }', /parameters\.x\.type: expected string, number or boolean/],
    ['parameters: { x: { description: no type } }', /parameters\.x\.type: expected/],
    ['parameters: { x: { type: string, required: sure } }', /parameters\.x\.required: expected true or false/],
    ['parameters: { x: { type: string, requird: true } }', /unknown key "requird"/],
    ['parameters: { x: { type: number, default: one } }', /parameters\.x\.default: this value/],
    ['parameters: { x: { type: number, enum: [one] } }', /parameters\.x\.enum: this value/],
    ['parameters: { x: { type: string, enum: [a], default: b } }', /parameters\.x\.default: this value/],
    ['parameters: { "x y": { type: string } }', /isn't a valid name/],
    ['parameters: { "1x": { type: string } }', /isn't a valid name/],
    ['parameters: { "x=1": { type: string } }', /isn't a valid name/],
    ['parameters: { "BASH_FUNC_ls%%": { type: string } }', /isn't a valid name/],
    ['parameters: { a-b: { type: string }, a_b: { type: string } }', /another parameter has this name/],
    ['parameters: { X: { type: string }, x: { type: string } }', /another parameter has this name/],
    [
      'parameters: { KEY: { type: string } }\nmetadata: { openclaw: { requires: { env: [KEY] } } }',
      /requires a variable/,
    ],
    ['metadata: "{not json"', /metadata: the text isn't JSON/],
    ['metadata: { openviber: { network: "yes" } }', /metadata\.openviber\.network: expected/],
    ['metadata: { openviber: { timeout: 99999 } }', /metadata\.openviber\.timeout: at most/],
  ])('%j', (front, reason) => {
    const base = ['name', 'description'].filter((key) => !front.startsWith(key)).map((key) => `${key}: sample`);
    const text = `---\n${[...base, front].join('\n')}\n---\necho`;
    const read = () => skillOf(text, { reserved: ['notify', 'update_plan'] });
    expect(read).toThrow(reason);
    expect(germanOf(read)).not.toMatch(reason);
  });

  test.each([
    ['', /doesn't begin with a front matter/],
    ['# Only text', /doesn't begin/],
    ['---\nname: x\ndescription: y\n', /no end/],
    ['---\nname: x\ndescription: y\n---', /half-written/],
    ['---\nname: x\ndescription: y\n--', /no end/],
    ['---\nname: x\ndescription: y\n---x\necho', /must be "---"/],
    ['---\n- a list\n---\necho', /no keys/],
    ['---\n---\necho', /description: expected text/],
    ['---\nname: [x\n---\necho', /^line \d/],
  ])('the file %j', (text, reason) => {
    expect(() => skillOf(text)).toThrow(reason);
    expect(germanOf(() => skillOf(text))).toMatch(/Front Matter|erwartet|^Zeile \d/);
  });

  test('the same bad file is bad again, not an empty front matter', () => {
    const text = '---\nname: [x\n---\necho';
    for (let round = 0; round < 3; round++) expect(() => skillOf(text)).toThrow(/^line/);
  });

  test('every prefix of the bundled example is refused until its body begins', () => {
    const text = readFileSync(path.join(import.meta.dirname, '../../src/skills/git/commit.skill.md'), 'utf8');
    const body = text.indexOf('git add');
    const loaded = Array.from({ length: body }, (_, length) => text.slice(0, length)).filter((prefix) => {
      try {
        return skillOf(prefix);
      } catch (error) {
        return error instanceof Error && error.name !== 'UserError';
      }
    });
    expect(loaded).toEqual([]);
  });
});

describe('the schema of a call', () => {
  const skill = load(path.join(FIXTURES, 'deploy', 'SKILL.md'));

  test('defaults, choices, absent ones', () => {
    const schema = toInputSchema(skill);
    expect(schema.parse({ branch: 'main' })).toEqual({ branch: 'main', stage: 'test' });
    expect(toVariables(skill, schema.parse({ branch: 'main', 'dry-run': true }))).toEqual({
      branch: 'main',
      stage: 'test',
      dry_run: 'true',
    });
    for (const bad of [
      {},
      { branch: 1 },
      { branch: 'x', stage: 'prod' },
      { branch: 'x', more: 1 },
      { branch: 'x', 'dry-run': 'yes' },
    ]) {
      expect(schema.safeParse(bad).success, JSON.stringify(bad)).toBe(false);
    }
  });

  test('texts without NUL and broken characters, at most 100 KB; numbers finite; all together at most 1 MB', () => {
    const schema = toInputSchema(skillOf(skillText('parameters: { s: { type: string }, n: { type: number } }')));
    for (const s of ['a\0b', 'x'.repeat(100 * 1024 + 1), 'é'.repeat(60 * 1024), '\ud800']) {
      expect(schema.safeParse({ s }).success).toBe(false);
    }
    for (const n of [Number.NaN, Number.POSITIVE_INFINITY, '1']) expect(schema.safeParse({ n }).success).toBe(false);
    expect(schema.parse({ s: 'x'.repeat(100 * 1024), n: 0.5 })).toMatchObject({ n: 0.5 });
    const many = Array.from({ length: 12 }, (_, index) => `p${index}`);
    const wide = toInputSchema(
      skillOf(skillText(`parameters:\n${many.map((name) => `  ${name}: { type: string }`).join('\n')}`)),
    );
    const input = Object.fromEntries(many.map((name) => [name, 'x'.repeat(100 * 1024)]));
    expect(wide.safeParse(input).error?.issues[0]?.message).toContain('1 MB');
  });

  test('the model is told types, descriptions, choices and what is required', () => {
    expect(z.toJSONSchema(toInputSchema(skill), { io: 'input' })).toMatchObject({
      properties: {
        branch: { type: 'string', description: 'The branch' },
        stage: { enum: ['test', 'live'], default: 'test' },
        'dry-run': { type: 'boolean' },
      },
      required: ['branch'],
      additionalProperties: false,
    });
  });
});
