/** The other half of the shapes: agents beside OpenClaw, what would install something, who may call it, names, tools, and what is no bundle. */
import { bundle, READ, type Shape, shape } from './shapes.ts';

const install = (...entries: object[]): string =>
  bundle(`metadata: ${JSON.stringify({ openclaw: { install: entries } })}`);

/** Hermes, and what is said outside of any agent's own block. */
// biome-ignore format: a row is a line
const OTHERS: Shape[] = [
  shape(
    'hermes, with platforms and variables of the front matter',
    bundle(
      'platforms: [linux, macos, windows]\nrequired_environment_variables:\n  - name: TENOR_KEY\n    prompt: Tenor key\n  - OTHER_KEY\nmetadata:\n  hermes:\n    tags: [a]\n    related_skills: [b]',
    ),
    {...READ,...{ os: ['linux', 'darwin', 'win32'], env: ['TENOR_KEY', 'OTHER_KEY'] } },
  ),
  shape(
    'hermes, with what must be there before',
    bundle('prerequisites:\n  commands: [himalaya]\n  env_vars: [MAIL_KEY]\nmetadata:\n  hermes:\n    category: email'),
    {...{ bins: ['himalaya'], env: ['MAIL_KEY'] } },
  ),
  shape('hermes, with its own block of needs', bundle('metadata:\n  hermes:\n    requires: { bins: [tmux] }\n    config:\n      - key: a.b'), { bins: ['tmux'] }),
  shape('platforms that are agents and no systems', bundle('platforms: [openclaw, cursor, claude-code]'), {...READ, os: [] }),
  shape(
    'plain metadata',
    bundle('metadata:\n  os: [linux]\n  requires:\n    bins: [jq]\n    anyBins: [rg, grep]\n    env: [A_KEY]'),
    {...{ os: ['linux'], bins: ['jq'], anyBins: ['rg', 'grep'], env: ['A_KEY'] } },
  ),
  shape(
    'plain metadata without the word requires',
    bundle('metadata:\n  bins: [jq]\n  env: [A_KEY]\n  install: brew install jq'),
    {...{ bins: ['jq'], env: ['A_KEY'], install: ['brew install jq'] } },
  ),
  shape('needs in the front matter itself', bundle('os: [macos, linux]\nrequires:\n  bins: [curl]\n  env: [B_KEY]'), {
    ...{ os: ['darwin', 'linux'], bins: ['curl'], env: ['B_KEY'] },
  }),
  shape('any system', bundle('metadata: {"openclaw":{"os":["any"]}}'), { os: [] }),
  shape(
    'variables with what they are for, one of them optional',
    bundle('metadata:\n  openclaw:\n    requires:\n      env:\n        - name: MUST\n          description: the key\n        - { name: MAY, required: false }'),
    { env: ['MUST'] },
  ),
  shape('variables as keys', bundle('env:\n  MUST: { description: the key }\n  MAY: { description: another, required: false }'), { env: ['MUST'] }),
  shape('a variable in prose is none', bundle('env: BOT_TOKEN (optional, or --token)'), { ...READ, env: [] }),
  shape('programs that are no names', bundle('metadata: {"openclaw":{"requires":{"bins":["a b","../sh","$(id)","git"]}}}'), { bins: ['git'] }),
];

// biome-ignore format: a row is a line
const HINTS: Shape[] = [
  shape(
    'brew, npm and pip',
    install({ kind: 'brew', formula: 'gh', bins: ['gh'] }, { kind: 'node', package: '@x/tool' }, { kind: 'pip', packages: ['a', 'b'] }),
    { install: ['brew install gh', 'npm install -g @x/tool', 'pip install a b'] },
  ),
  shape(
    'uv, go, apt and a cask',
    install({ kind: 'uv', package: 'nano' }, { kind: 'go', module: 'example.org/x@latest' }, { kind: 'apt', package: 'jq' }, { kind: 'brew', cask: 'app' }),
    { install: ['uv tool install nano', 'go install example.org/x@latest', 'apt install jq', 'brew install --cask app'] },
  ),
  shape(
    'a download, a command, words',
    install({ kind: 'download', url: 'https://example.org/x.tgz' }, { kind: 'shell', command: 'make install' }, { kind: 'manual', label: 'Ask the vendor' }),
    { install: ['download https://example.org/x.tgz', 'make install', 'Ask the vendor'] },
  ),
  shape('an installer that commands a terminal', install({ kind: 'shell', command: 'x\u001b[2J\u202e\n rm -rf /' }), { install: ['x [2J rm -rf /'] }),
  shape('an installer that is no object', bundle('metadata: {"openclaw":{"install":[7, null, ["x"]]}}'), {...READ, install: [] }),
];

// biome-ignore format: a row is a line
const CALLED: Shape[] = [
  shape('not for the model', bundle('disable-model-invocation: true'), { forModel: false, forPeople: true }),
  shape('not for the model, in other words', bundle('disable-model-invocation: "yes"'), { forModel: false }),
  shape('not for people', bundle('user-invocable: false'), { forModel: true, forPeople: false }),
  shape('for neither', bundle('user-invocable: false\ndisable-model-invocation: true'), { forModel: false, forPeople: false }),
  shape('said below the metadata', bundle('metadata: {"openclaw":{"user-invocable":false,"disableModelInvocation":true}}'), {...{ forModel: false, forPeople: false } }),
  shape('said so that nobody understands it', bundle('user-invocable: maybe\ndisable-model-invocation: 7'), {...{ forModel: true, forPeople: true } }),
];

// biome-ignore format: a row is a line
const NAMES: Shape[] = [
  shape('a name in words', bundle('', 'Do it in this order.', 'Vibe Coding Mastery'), {...{ name: 'vibe-coding-mastery', warnings: [/isn't kebab-case/] } }),
  shape('a name with underlines and capitals', bundle('', 'Do it in this order.', 'Retirement_Age'), { name: 'retirement-age' }),
  shape('a name in letters that none of ours are', bundle('', 'Do it in this order.', '海螺语音'), { name: 'sea-shell' }, 'sea-shell/SKILL.md'),
  shape('a name that is a path', bundle('', 'Do it in this order.', '../../etc/passwd'), /kebab-case/),
  shape('no name', '---\ndescription: Says hello.\n---\nSay hello.', { name: 'greet', warnings: [] }, 'greet/SKILL.md'),
  shape('the name of one of our tools', bundle('', 'Do it in this order.', 'notify'), /is the name of a built-in tool/),
];

// biome-ignore format: a row is a line
const TOOLS: Shape[] = [
  shape(
    'parameters make a tool',
    bundle('parameters:\n  message: { type: string, description: Words, required: true }', 'echo "$message"'),
    {...{ kind: 'tool', script: 'echo "$message"\n' } },
  ),
  shape('no parameters, and a tool all the same', bundle('parameters: {}', 'date'), { kind: 'tool', script: 'date\n' }),
  shape(
    'a bundle that says that it is a tool',
    bundle('metadata:\n  openclaw: {}\n  openviber: { kind: tool }', '```sh\ndate\n```\nand more'),
    {...{ kind: 'tool', script: 'date\n' } },
  ),
  shape('parameters, and yet only to be read', bundle('parameters: {}\nmetadata: { openviber: { kind: instructions } }'), READ),
  shape('a tool with a name in words', bundle('parameters: {}', 'date', 'Good Tool'), /kebab-case/),
  shape(
    'the example of the first design, word for word',
    '---\nname: git-commit\ndescription: Stage changes and commit with a message.\nparameters:\n  message:\n    type: string\n    description: The commit message\n    required: true\n---\ngit add .\ngit commit -m "$message"\n',
    {...{ kind: 'tool', name: 'git-commit', script: 'git add .\ngit commit -m "$message"\n' } },
  ),
];

// biome-ignore format: a row is a line
const ODD: Shape[] = [
  shape(
    'a description with the stars of Markdown',
    '---\nname: sample\ndescription: **Checks keys**, and more.\nversion: 1\n---\nText.',
    {...READ, description: '**Checks keys**, and more.' },
  ),
  shape(
    'a description of two lines that is no YAML',
    '---\nname: sample\ndescription: **Fetches.**\nSums up: well.\nversion: 1\n---\nText.',
    {...READ, description: '**Fetches.** Sums up: well.' },
  ),
  shape(
    'keys that mean nothing here and are no YAML, beside those that do',
    '---\nslug: sample\nname: sample\ndisplayName: Sample Mus\n  of any kind.\nsummary: "makes it"\n  user asks to make it, ...\ndescription: |-\n  Makes music: of any kind.\nlicense: MIT\ntools:\n  - - read\n- exec\nallowed-tools: read exec\nuser-invocable: false\n---\nText.',
    {...READ,...{ name: 'sample', description: 'Makes music: of any kind.' },...{ allowedTools: ['read', 'exec'], forPeople: false, warnings: [/^summary, tools: left out/] } },
  ),
  shape(
    'a description and a key beside it that are both no YAML',
    '---\nname: sample\ndescription: **Makes it.** Use when: asked.\nsummary: "made" for all\n---\nText.',
    { ...READ, description: '**Makes it.** Use when: asked.', warnings: [/^summary: left out/] },
  ),
  ...['allowed-tools', 'disable_model_invocation', 'userInvocable', 'metadata', 'requires', 'parameters', 'os'].map(
    (key) => shape(`no YAML below ${key}, which says what it needs or who may call it`, bundle(`${key}:\n  - - read\n- exec`), /^line \d+: /),
  ),
  shape('no front matter', '# A title\n\nText of a readme.\n', /doesn't begin with a front matter/),
  shape('no description', '---\nname: sample\nsummary: Something.\n---\nText.', /description: expected text/),
  shape('metadata that are no JSON', bundle(`metadata: '{openclaw: '`), /metadata: the text isn't JSON/),
];

export const MORE_SHAPES: readonly Shape[] = [...OTHERS, ...HINTS, ...CALLED, ...NAMES, ...TOOLS, ...ODD];
