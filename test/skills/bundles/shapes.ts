/**
 * Sixty shapes of bundles as they are published for other agents, and what each is here: how front matters are written, what they say they need,
 * and what they ask of whoever reads them. All are our own words in the public shapes.
 */

/** What a shape must be; keys that are absent are not looked at. */
export interface Is {
  kind?: 'tool' | 'instructions';
  name?: string;
  description?: string | RegExp;
  bins?: string[];
  anyBins?: string[];
  env?: string[];
  os?: string[];
  /** What it says would install what it needs, in the words of the fix. */
  install?: string[];
  /** What is read although it is not as it should be, in order. */
  warnings?: RegExp[];
  allowedTools?: string[] | undefined;
  forModel?: boolean;
  forPeople?: boolean;
  script?: string;
}

export interface Shape {
  title: string;
  text: string;
  is: Is | RegExp;
  /** Its folder and file, where they matter. */
  file?: string;
}

const BODY = 'Do it in this order.\n\n```bash\nrm -rf build && ship --prod -y\n```\n';

/** A bundle with these lines below name and description. */
export const bundle = (front: string, body = BODY, name = 'sample'): string =>
  `---\nname: ${name}\ndescription: Does one thing well. Use when asked.\n${front}${front === '' ? '' : '\n'}---\n\n${body}`;

export const shape = (title: string, text: string, is: Shape['is'], file?: string): Shape => ({
  ...{ title, text, is },
  ...(file === undefined ? {} : { file }),
});

export const READ: Is = { kind: 'instructions' };

/** Of the kind of agentskills.io: name, description, and little else. */
// biome-ignore format: a row is a line
const AGENT_SKILLS: Shape[] = [
  shape('the smallest there is', bundle(''), { ...READ, warnings: [], forModel: true, forPeople: true }),
  shape('a licence in words', bundle('license: Complete terms in LICENSE.txt'), READ),
  shape('author and version below metadata', bundle('metadata:\n  author: somebody\n  version: "3.0.0"'), READ),
  shape('metadata that are all texts', bundle('metadata:\n  os-notes: works best on a desk\n  tags: a, b'), {...READ,...{ os: [], bins: [] } }),
  shape('what it is compatible with, as prose', bundle('compatibility: Requires python3 and uv, and the network'), {...READ, bins: [] }),
  shape('the tools it is allowed, in one line', bundle('allowed-tools: Bash(git:*) Read  Grep'), {...READ, allowedTools: ['Bash', 'Read', 'Grep'] }),
  shape('with commas, and commas inside of one', bundle('allowed-tools: Bash(curl *, x), Read, mcp__docs__find'), { allowedTools: ['Bash', 'Read', 'mcp__docs__find'] }),
  shape('as a list', bundle('allowed-tools:\n  - "Bash(npx tool@latest status*)"\n  - Bash(npx tool *)\n  - Write'), { allowedTools: ['Bash', 'Write'] }),
  shape('as a list in brackets', bundle('allowed-tools: [Read, Write, "Edit"]'), { allowedTools: ['Read', 'Write', 'Edit'] }),
  shape('no tool at all', bundle('allowed-tools: []'), { allowedTools: [] }),
  shape('tools that it does not speak of', bundle('allowed-tools:'), { allowedTools: undefined }),
  shape(
    'a description between quotation marks, with a colon',
    '---\nname: sample\ndescription: "Word files: read, write."\n---\nText.',
    {...READ, description: 'Word files: read, write.' },
  ),
  shape(
    'a description with colons and quotes, unquoted',
    '---\nname: sample\ndescription: Notes. Triggers: "note", "memo: x"\n---\nText.',
    {...READ, description: 'Notes. Triggers: "note", "memo: x"' },
  ),
  shape('a folded description', '---\nname: sample\ndescription: >-\n  Audits pages.\n  Use on request.\nversion: 2\n---\nText.', { description: 'Audits pages. Use on request.' }),
  shape(
    'a description of many lines kept as they are',
    '---\nname: sample\ndescription: |\n  Reference.\n  TRIGGER when asked.\n---\nText.',
    { description: 'Reference.\nTRIGGER when asked.' },
  ),
  shape('a description of 1,024 characters', `---\nname: sample\ndescription: ${'d'.repeat(1024)}\n---\nText.`, {...READ, warnings: [] }),
  shape('a longer description', `---\nname: sample\ndescription: ${'d'.repeat(1025)}\n---\nText.`, {...READ, description: /^d{1025}$/, warnings: [/description.*1,024/] }),
  shape('a description beyond any measure', `---\nname: sample\ndescription: ${'word '.repeat(1500)}\n---\nText.`, {...READ, warnings: [/description.*1,024/] }),
  shape('Windows line ends and a mark of the byte order', `\ufeff${bundle('license: MIT').replaceAll('\n', '\r\n')}`, READ),
  shape(
    'a deployment whose text says preview',
    bundle('metadata:\n  author: vercel', '```bash\nvercel deploy [path] -y --no-wait\n```\n', 'deploy-app'),
    {...READ, name: 'deploy-app' },
  ),
];

/** Gates of the OpenClaw family, under each of its names. */
// biome-ignore format: a row is a line
const OPENCLAW: Shape[] = [
  shape(
    'openclaw, as JSON in one line',
    bundle('metadata: {"openclaw":{"emoji":"x","requires":{"bins":["gh"],"env":["GH_TOKEN"]},"primaryEnv":"GH_TOKEN"}}'),
    {...READ,...{ bins: ['gh'], env: ['GH_TOKEN'] } },
  ),
  shape(
    'openclaw, as JSON of several lines with commas at the ends',
    bundle('metadata:\n  {\n    "openclaw":\n      {\n        "requires": { "bins": ["uv"], "config": ["browser.enabled"], },\n        "os": ["darwin", "linux",],\n      },\n  }'),
    { ...READ, bins: ['uv'], os: ['darwin', 'linux'] },
  ),
  shape(
    'openclaw, as YAML',
    bundle('metadata:\n  openclaw:\n    os: [macos, windows]\n    requires:\n      anyBins:\n        - claude\n        - codex'),
    {...{ os: ['darwin', 'win32'], anyBins: ['claude', 'codex'], bins: [] } },
  ),
  shape('clawdbot', bundle('metadata: {"clawdbot":{"requires":{"bins":["tmux"]},"os":["linux"]}}'), {...{ bins: ['tmux'], os: ['linux'] } }),
  shape('clawdis', bundle('metadata: {"clawdis":{"os":["darwin"],"requires":{"bins":["peekaboo"]}}}'), {...{ bins: ['peekaboo'], os: ['darwin'] } }),
  shape('moltbot', bundle('metadata: {"moltbot":{"requires":{"env":["MAIL_KEY","MAIL_ACCOUNT"],"bins":["curl"]}}}'), {...{ bins: ['curl'], env: ['MAIL_KEY', 'MAIL_ACCOUNT'] } }),
  shape('moltbot, only to be seen', bundle('metadata: {"moltbot":{"emoji":"x","api_base":"https://example.org/v1"}}'), {...READ,...{ bins: [], env: [] } }),
  shape('a newer name beside an older one counts', bundle('metadata: {"openclaw":{"requires":{"bins":["new"]}},"clawdbot":{"requires":{"bins":["old"]}}}'), { bins: ['new'] }),
  shape('metadata as a text that holds JSON', bundle(`metadata: '{"openclaw":{"requires":{"bins":["jq"]}}}'`), { bins: ['jq'] }),
  shape(
    'always there, but on its systems alone',
    bundle('metadata: {"openclaw":{"always":true,"os":["linux"],"requires":{"bins":["x"],"env":["Y"]}}}'),
    {...{ bins: [], env: [], os: ['linux'] } },
  ),
];

/** Written before the parser knew them. */
export const FIRST_SHAPES: readonly Shape[] = [...AGENT_SKILLS, ...OPENCLAW];
