/** The rules the source is built by: who may import whom, where each library lives, and what is never written. */
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Figures, figuresOf } from './house.ts';

const root = join(import.meta.dirname, '..');

/** The ground floor: everybody may stand on it. */
const GROUND = /^(errors|log)\.ts$|^(lib|messages)\//;
/** Counters, timings and crash points: only the moving parts use them. */
const SUPPORT = /^crash-points\.ts$|^telemetry\//;
const SEAM = /^channels\/(channel|kept|lead|offers|programs|progress)\.ts$/;
/** The table of channel kinds, and what a kind is: everybody may ask, except the channels themselves. */
const KINDS = /^channels\/(index|kind)\.ts$/;
const CONFIG = /^config(\.ts$|\/)/;
const ENGINE = /^engine\/engine\.ts$/;
const CONTRACT = /^runtime\/contract\//;
/** What routes of features answer with, in the shapes that programs know. */
const BOARD_SEAM =
  /^board\/((fresh|guard|respond|route|speakers)|api\/(twin|chat-messages)|protocol\/(decisions|edits|parts|refusals|schemas))\.ts$|^client\/shapes\.ts$/;
const FEATURE_SEAM = /^features\/gateway\.ts$/;

/** The rooms of the runtime, the lowest first: each may use those below it. `delivery.ts` stands on the engine alone. */
const ROOMS = [
  ...['contract', 'reply', 'context', 'model', 'conversations', 'reading', 'tools', 'live', 'agent'],
  ...['approvals', 'run', 'commands', 'intake'],
];

/** What a file of the runtime may use of the runtime. */
function belowIn(file: string): RegExp[] {
  const room = /^runtime\/([^/]+)\//.exec(file)?.[1];
  // The landing: worker, readiness.
  if (room === undefined) return file === 'runtime/delivery.ts' ? [CONTRACT] : [/^runtime\//];
  const below = ROOMS.slice(0, ROOMS.indexOf(room));
  return [/^runtime\/delivery\.ts$/, ...below.map((name) => new RegExp(`^runtime/${name}/`))];
}

/**
 * Who may import whom, the first row that fits a file decides. Types obey it as well, and so do lazy imports.
 * The seam, channels/channel.ts with address.ts and files.ts, holds types and pure functions; it imports nothing, so it pulls nothing in.
 */
// biome-ignore format: a row is a line
const LAYERS: { from: RegExp; to: RegExp[] }[] = [
  { from: /^main\.ts$/, to: [/^app\.ts$/, /^cli\//, CONFIG, GROUND] },
  { from: /^app(\.ts$|\/)/, to: [/^(?!main\.ts)/] },
  // The table of features names each by its index and its commands, and nothing else does.
  { from: /^features\.ts$/, to: [/^features\/[a-z]+\/(index|cli)\.ts$/, CONTRACT, /^runtime\/run\/gateway\.ts$/] },
  {
    from: /^features\//,
    to: [FEATURE_SEAM, SEAM, KINDS, /^channels\/markdown\//, /^(runtime|workspace|skills|access)\//, BOARD_SEAM, /^client\//, ENGINE, CONFIG, SUPPORT, GROUND],
  },
  { from: SEAM, to: [SEAM] },
  { from: /^channels\/index\.ts$/, to: [SEAM, KINDS, /^channels\/[a-z]+\/(index|adapter)\.ts$/] },
  { from: /^channels\/kind\.ts$/, to: [SEAM, /^channels\/shared\/webhook\.ts$/, GROUND] },
  { from: /^channels\/[a-z]+\//, to: [SEAM, /^channels\/(kind\.ts$|(markdown|shared)\/)/, /^config\/schema-parts\.ts$/, GROUND] },
  { from: /^runtime\//, to: [SEAM, KINDS, /^engine\//, /^(workspace|skills|access)\//, SUPPORT, GROUND] },
  {
    from: /^cli\//,
    to: [/^app\.ts$/, /^features\.ts$/, /^(runtime|engine)\//, SEAM, KINDS, /^channels\/(local|terminal)\//, /^(access|workspace|cli|skills)\//, CONFIG, SUPPORT, GROUND],
  },
  { from: /^board\/ui\//, to: [/^client\//, /^channels\/markdown\//] },
  { from: /^board\//, to: [CONTRACT, /^runtime\/readiness\.ts$/, /^client\//, SEAM, /^channels\/shared\/webhook\.ts$/, /^(access|workspace)\//, CONFIG, GROUND] },
  // What packages from outside stand on, and what loads them.
  { from: /^plugin\//, to: [KINDS, SEAM, CONTRACT, /^channels\/(markdown|shared)\//, /^config\/schema-parts\.ts$/, GROUND] },
  // It runs in browsers and in other programs.
  { from: /^client\//, to: [/^client\//] },
  // What adds skills stands on those that are there, and on the rules of fetches.
  { from: /^skills\/add\//, to: [/^skills\//, SUPPORT, GROUND] },
  { from: /^skills\//, to: [GROUND] },
  { from: /^engine\//, to: [SEAM, SUPPORT, GROUND] },
  { from: /^access\//, to: [SEAM, KINDS, GROUND] },
  { from: /^workspace\//, to: [GROUND] },
  { from: CONFIG, to: [CONFIG, KINDS, SEAM, /^plugin\/load\.ts$/, GROUND] },
  { from: SUPPORT, to: [SUPPORT, GROUND] },
  { from: GROUND, to: [GROUND] },
];

/** Where each library may be imported. One that is not here has no place yet: give it one. */
const LIBRARIES: { name: RegExp; in: RegExp }[] = [
  { name: /^(grammy|@grammyjs\/.+)$/, in: /^channels\/telegram\// },
  { name: /^(discord\.js|@discordjs\/(ws|rest)|discord-api-types)$/, in: /^channels\/discord\// },
  { name: /^@slack\//, in: /^channels\/slack\// },
  {
    name: /^(ai|@ai-sdk\/.+)$/,
    in: /^(runtime\/(agent|contract|model|tools)|features)\//,
  },
  { name: /^ws$/, in: /^(board\/protocol|channels\/hub)\// },
  { name: /^(bullmq|ioredis)$/, in: /^engine\/redis\// },
  { name: /^keyv$/, in: /^engine\/cache\.ts$/ },
  { name: /^gray-matter$/, in: /^skills\/skill\.ts$/ },
  { name: /^yaml$/, in: /^(config|workspace|skills|features|cli\/(setup|backup))\// },
  { name: /^@clack\/prompts$/, in: /^cli\/setup\// },
  { name: /^uqr$/, in: /^((cli|features)\/setup|features\/board\/cli)\// },
  { name: /^croner$/, in: /^features\/jobs\// },
  { name: /^chokidar$/, in: /^lib\/watch-roots\.ts$/ },
  { name: /^tar$/, in: /^(cli\/backup|skills\/add)\// },
  { name: /^diff$/, in: /^(skills\/add|board\/ui\/pane)\// },
  { name: /^(lowlight|highlight\.js.*)$/, in: /^board\/ui\/pane\// },
  { name: /^pino$/, in: /^log\.ts$/ },
  { name: /^@opentelemetry\//, in: /^telemetry\/otlp\.ts$/ },
  { name: /^(mdast|micromark)/, in: /^channels\/markdown\// },
  { name: /^(preact|@preact\/signals|@codemirror\/.+)$/, in: /^board\/ui\// },
  { name: /^node-diff3$/, in: /^(board\/ui|workspace\/tasks)\// },
  { name: /^zod$/, in: /^(config|runtime|plugin|channels|skills|board|workspace|features)\// },
  { name: /^tokenx$/, in: /^lib\/tokens\.ts$|^(runtime|features)\// },
  { name: /^@resvg\//, in: /^(features\/charts\/canvas|runtime\/reading\/pictures\/worker)/ },
  { name: /^ignore$/, in: /^features\/projects\// },
  { name: /^htmlparser2$/, in: /^(runtime\/reading|features\/(web|documents))\// },
  { name: /^(mammoth|unpdf)$/, in: /^(runtime\/reading|features)\/documents\// },
  { name: /^fflate$/, in: /^((runtime\/reading|features)\/documents|skills\/add)\// },
  { name: /^intl-messageformat$/, in: /^messages\/format\.ts$/ },
  { name: /^mime$/, in: /^(runtime|workspace|channels|features)\// },
];

const MAX_LINES = 500;

/** How the source is coupled. Each figure may only fall: whoever lowers one writes the lower one here. */
const AT_MOST: Figures = {
  functionsAbove80: 0,
  biggestBag: 14,
  bagsAbove14: 0,
  groupingSpreads: 0,
  picks: 82,
  filesNamingAPlatform: 1,
  filesNamingATool: 4,
  commentsWithoutSubject: 3,
  participleTypes: 0,
  sharedFunctionNames: 444,
  filesSharingAFunctionName: 4,
};

interface Import {
  from: string;
  /** A path below src/ for our own files, else the package. */
  to: string;
  own: boolean;
  typeOnly: boolean;
}

const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => /\.tsx?$/.test(name))
  .sort();
const sources = new Map(files.map((name) => [name, readFileSync(join(root, 'src', name), 'utf8')]));

const TOKENS = new RegExp(
  [
    String.raw`\/\/[^\n]*|\/\*[\s\S]*?\*\/`, // comments
    String.raw`'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"`,
    String.raw`${'`'}(?:\\[\s\S]|[^${'`'}\\])*${'`'}`,
    String.raw`(?<=[(,=:[!&|?{};+>]\s*|\breturn\s+)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*`, // regular expressions
  ].join('|'),
  'g',
);

/** The code alone: comments gone, every text and regular expression blank, except the names of imported modules. */
function codeOf(source: string): string {
  return source.replace(TOKENS, (token: string, offset: number) => {
    const lines = token.replace(/[^\n]/g, '');
    if (token.startsWith('//') || token.startsWith('/*')) return ` ${lines}`;
    const isModule = /\b(from|import)\s*\(?\s*$/.test(source.slice(Math.max(0, offset - 40), offset));
    return isModule && /^['"]/.test(token) ? token : `""${lines}`;
  });
}

function importsOf(file: string, source: string): Import[] {
  const code = codeOf(source);
  const found: { to: string; typeOnly: boolean }[] = [];
  const statements = [
    /\bimport\s+(type\s)?[\w$*{}\s,]+?\sfrom\s*['"]([^'"]+)['"]/g,
    /\bexport\s+(type\s+)?(?:\{[\w$\s,]*\}|\*(?:\s+as\s+[\w$]+)?)\s*from\s*['"]([^'"]+)['"]/g,
    /\bimport()\s*['"]([^'"]+)['"]/g,
  ];
  for (const statement of statements) {
    for (const [, type, to = ''] of code.matchAll(statement)) found.push({ to, typeOnly: Boolean(type) });
  }
  for (const [, isTypeof, to = '', member] of code.matchAll(
    /(\btypeof\s+)?\bimport\(\s*['"]([^'"]+)['"]\s*\)(\.[A-Z])?/g,
  )) {
    found.push({ to, typeOnly: Boolean(isTypeof ?? member) });
  }
  return found.map(({ to, typeOnly }) => {
    const own = to.startsWith('.');
    const path = own ? posix.join(posix.dirname(file), to) : to.split('/', to.startsWith('@') ? 2 : 1).join('/');
    return { from: file, to: path, own, typeOnly };
  });
}

const imports = files.flatMap((name) => importsOf(name, sources.get(name) ?? ''));

/** The folder that is one unit: `channels/telegram`, `runtime`, or '' for files of src itself. */
function unitOf(file: string): string {
  const [first = '', second = '', third] = file.split('/');
  if ((first === 'channels' || first === 'runtime' || first === 'features') && third !== undefined)
    return `${first}/${second}`;
  if (first === 'runtime') return file;
  if (first === 'skills' && third !== undefined) return `${first}/${second}`;
  // What runs in a browser has nothing of the server.
  if (first === 'board' && second === 'ui') return 'board/ui';
  return first === 'channels' || second === '' ? file : first;
}

function isAllowed({ from, to }: Import): boolean {
  const layer = LAYERS.find((candidate) => candidate.from.test(from));
  if (layer === undefined) return false;
  const below = /^runtime\//.test(from) ? belowIn(from) : [];
  return unitOf(from) === unitOf(to) || [...layer.to, ...below].some((target) => target.test(to));
}

/** The first cycle among imports, types too, as a chain of files. */
function cycle(): string[] {
  const done = new Set<string>();
  const walk = (file: string, above: string[]): string[] => {
    if (above.includes(file)) return [...above.slice(above.indexOf(file)), file];
    if (done.has(file)) return [];
    for (const { to } of imports.filter((edge) => edge.from === file && edge.own)) {
      const found = walk(to, [...above, file]);
      if (found.length > 0) return found;
    }
    done.add(file);
    return [];
  };
  return files.map((file) => walk(file, [])).find((found) => found.length > 0) ?? [];
}

/** `file:line` of each place where the code matches. */
function places(pattern: RegExp, all = sources): string[] {
  return [...all].flatMap(([name, source]) => {
    const code = codeOf(source);
    return [...code.matchAll(pattern)].map(({ index }) => `${name}:${code.slice(0, index).split('\n').length}`);
  });
}

describe('imports', () => {
  test('the reader of imports sees every form', () => {
    const source = [
      "import a from './a.ts'; import type { B } from '../b.ts';",
      "import {\n  type C,\n  d,\n} from 'pack';\nimport * as e from '@scope/pack/deep';",
      "export { f } from './f.ts';\nexport type { G } from './g.ts';\nexport * from './h.ts';\nimport './i.ts';",
      "const j = await import('./j.ts');\ntype K = typeof import('./k.ts');\nlet l: import('./l.ts').L;",
      "// import x from './no.ts'\nconst s = \"import x from './no.ts'\"; /* import('./no.ts') */ const r = /'/; const t = `import('./no.ts')`;",
      "export interface M {}\nconst from = 'no';\nexport const n = /[/'\"]/.test(from) ? './no.ts' : import('./n.ts');",
    ].join('\n');
    const seen = importsOf('x/y.ts', source).map(({ to, typeOnly }) => `${typeOnly ? 'type ' : ''}${to}`);
    const expected = ['x/a.ts', 'type b.ts', 'pack', '@scope/pack', 'x/f.ts', 'type x/g.ts', 'x/h.ts', 'x/i.ts'];
    expect(seen.sort()).toEqual([...expected, 'x/j.ts', 'type x/k.ts', 'type x/l.ts', 'x/n.ts'].sort());
  });

  test('lead to files that are there, with their extension', () => {
    const lost = imports.filter(({ own, to }) => own && !sources.has(to) && !to.endsWith('.json'));
    expect(lost.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  test('go downward only', () => {
    const upward = imports.filter((edge) => edge.own && !isAllowed(edge));
    expect(upward.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  test('the table refuses what it must refuse', () => {
    const edge = (from: string, to: string) => isAllowed({ from, to, own: true, typeOnly: true });
    expect(edge('channels/telegram/adapter.ts', 'runtime/live/bus.ts')).toBe(false);
    expect(edge('channels/telegram/adapter.ts', 'channels/terminal/render.ts')).toBe(false);
    expect(edge('channels/telegram/adapter.ts', 'channels/index.ts')).toBe(false);
    expect(edge('channels/telegram/adapter.ts', 'channels/telegram/decode/decode.ts')).toBe(true);
    expect(edge('runtime/reply/failure.ts', 'runtime/run/run.ts')).toBe(false);
    expect(edge('runtime/run/run.ts', 'runtime/reply/failure.ts')).toBe(true);
    expect(edge('runtime/contract/entry.ts', 'runtime/tools/index.ts')).toBe(false);
    expect(edge('engine/engine.ts', 'runtime/contract/entry.ts')).toBe(false);
    expect(edge('runtime/worker.ts', 'channels/telegram/adapter.ts')).toBe(false);
    expect(edge('runtime/worker.ts', 'config.ts')).toBe(false);
    expect(edge('runtime/worker.ts', 'app.ts')).toBe(false);
    expect(edge('workspace/home.ts', 'channels/channel.ts')).toBe(false);
    expect(edge('access/people.ts', 'workspace/home.ts')).toBe(false);
    expect(edge('config/schema.ts', 'runtime/model/models.ts')).toBe(false);
    expect(edge('board/server.ts', 'runtime/tools/index.ts')).toBe(false);
    expect(edge('board/ui/main.tsx', 'board/server.ts')).toBe(false);
    expect(edge('board/server.ts', 'board/ui/main.tsx')).toBe(false);
    expect(edge('new-thing.ts', 'errors.ts')).toBe(false);
    expect(edge('app.ts', 'main.ts')).toBe(false);
  });

  test('of a feature are in the table of features alone', () => {
    const foreign = imports.filter(({ from, to }) => /^features\/[a-z]+\//.test(to) && unitOf(from) !== unitOf(to));
    const named = foreign.filter(({ from }) => from !== 'features.ts');
    expect(named.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  test('of the commands of features lead to nothing of a feature until a command runs', () => {
    const light = files.filter((name) => /^features\/[a-z]+\/cli\.ts$/.test(name));
    expect(light.length).toBeGreaterThan(0);
    for (const name of light) expect(codeOf(sources.get(name) ?? ''), name).not.toMatch(/from\s*'\.\//);
  });

  test('form no cycle, counting types', () => {
    expect(cycle()).toEqual([]);
  });

  const TASKS = /^workspace\/tasks\//;
  const isPastTheIndex = ({ from, to }: Pick<Import, 'from' | 'to'>) =>
    TASKS.test(to) && to !== 'workspace/tasks/index.ts' && !TASKS.test(from);

  test('the files of a task are reached through one index', () => {
    expect(imports.filter(isPastTheIndex).map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
    expect(isPastTheIndex({ from: 'runtime/run/run.ts', to: 'workspace/tasks/session.ts' })).toBe(true);
    expect(isPastTheIndex({ from: 'workspace/usage.ts', to: 'workspace/tasks/plan.ts' })).toBe(true);
    expect(isPastTheIndex({ from: 'runtime/run/run.ts', to: 'workspace/tasks/index.ts' })).toBe(false);
    expect(isPastTheIndex({ from: 'workspace/tasks/plan.ts', to: 'workspace/tasks/current.ts' })).toBe(false);
  });

  test('nobody else builds the path of a file of a task', () => {
    const PATHS = /\.(?:taskDir|sessionPath)\(|\bhome\.artifacts\b/g;
    const outside = new Map([...sources].filter(([name]) => !TASKS.test(name)));
    expect(places(PATHS, outside)).toEqual([]);
    const source = "a(home.taskDir(id));\nb(gw.home.sessionPath('v', id));\nc(home.artifacts);\nd(task.artifacts);";
    expect(places(PATHS, new Map([['x.ts', source]]))).toEqual(['x.ts:1', 'x.ts:2', 'x.ts:3']);
  });

  test('the seam imports nothing but itself', () => {
    expect(imports.filter(({ from, to }) => SEAM.test(from) && !SEAM.test(to))).toEqual([]);
  });

  test('each library has its one place', () => {
    const misplaced = imports.filter(({ from, to, own }) => {
      return !own && !to.startsWith('node:') && !LIBRARIES.some((row) => row.name.test(to) && row.in.test(from));
    });
    expect(misplaced.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  test('channels are loaded only when they are on', () => {
    const adapters = imports.filter(({ to, typeOnly }) => /^channels\/[a-z]+\/adapter\.ts$/.test(to) && !typeOnly);
    for (const { from } of adapters) {
      expect(codeOf(sources.get(from) ?? ''), from).not.toMatch(/from\s*'[^']*adapter\.ts'/);
    }
  });

  test('the engine of several machines is loaded only when it is configured', () => {
    const users = imports.filter(
      ({ from, to, typeOnly }) => /^engine\/redis\//.test(to) && !/^engine\/redis\//.test(from) && !typeOnly,
    );
    expect(users.length).toBeGreaterThan(0);
    for (const { from } of users)
      expect(codeOf(sources.get(from) ?? ''), from).not.toMatch(/from\s*'[^']*engine\/redis\//);
  });
});

describe('the source', () => {
  test('the eight files a message crosses are there', () => {
    // biome-ignore format: a list is filled
    const path = [
      'channels/telegram/adapter', 'runtime/intake/accept', 'engine/local/spool', 'runtime/worker', 'runtime/run/run',
      'runtime/agent/agent', 'runtime/delivery', 'channels/telegram/send/send',
    ];
    expect(path.map((name) => `${name}.ts`).filter((name) => !sources.has(name))).toEqual([]);
  });

  test(`no file is longer than ${MAX_LINES} lines`, () => {
    const long = files.filter((name) => (sources.get(name) ?? '').split('\n').length - 1 > MAX_LINES);
    expect(long).toEqual([]);
  });

  test('each file says at its top what it is', () => {
    expect(files.filter((name) => !/^(#!.*\n)?\s*\/(\*\*|\/)/.test(sources.get(name) ?? ''))).toEqual([]);
  });

  const ANY = /(?:[:<|&,=]|=>|\bas|\bextends)\s*any\b(?!\s*[:(.?])/g;
  const EMPTY_CATCH = /\bcatch\s*(\([^)]*\)\s*)?\{\s*\}/g;
  const IGNORED = /\.catch\(\s*\(?\w*\)?\s*=>\s*(\{\s*\}|undefined|null|void 0)\s*\)/g;
  const CONSOLE = /\bconsole\s*\./g;

  test('nothing has the type any', () => {
    expect(places(ANY)).toEqual([]);
  });

  test('no error is swallowed', () => {
    expect(places(EMPTY_CATCH)).toEqual([]);
    const unexplained = places(IGNORED).filter((place) => {
      const [name = '', line] = place.split(':');
      return !/^\s*(\/\/|\*)/.test((sources.get(name) ?? '').split('\n')[Number(line) - 2] ?? '');
    });
    expect(unexplained, 'a promise whose failure does not matter has the reason in a comment above').toEqual([]);
  });

  test('nothing is written past the log', () => {
    expect(places(CONSOLE)).toEqual([]);
  });

  test('the searches find what they must and nothing else', () => {
    const bad =
      'let a: any;\nf(x as any);\ntry {} catch {\n// why\n}\np.catch(() => {});\np.catch((e) => undefined);\nconsole.log(1);';
    const good =
      "// any: any, catch {}\nconst s = ': any console.log';\nawait Promise.any(p); AbortSignal.any([]);\ntry {} catch { stop(); }\np.catch(() => stop());";
    const found = (source: string) =>
      [ANY, EMPTY_CATCH, IGNORED, CONSOLE].map((pattern) => places(pattern, new Map([['f', source]])));
    expect(found(bad)).toEqual([['f:1', 'f:2'], ['f:3'], ['f:6', 'f:7'], ['f:8']]);
    expect(found(good)).toEqual([[], [], [], []]);
  });
});

describe('the coupling of the source', () => {
  test('only falls', () => {
    const figures = figuresOf(sources);
    expect(Object.entries(figures).filter(([name, figure]) => figure > AT_MOST[name as keyof Figures])).toEqual([]);
  });

  test('is counted in every form it has', () => {
    const members = (count: number) => Array.from({ length: count }, (_, n) => `m${n}: string;`).join(' ');
    const long = `function f() {\n${'g();\n'.repeat(80)}}`;
    const source = [
      `interface AServices { ${members(10)} } interface BOptions extends AServices, Pick<C, 'a' | 'b'> { ${members(5)} }`,
      `/** What is said. */ const d = { ...{ a, b }, e };\n// A comment.\n${long}`,
      "defineTool({ name: 'dig' }); const f = { dig: 'digging' }; // slack",
    ].join('\n');
    const of = figuresOf(new Map([['c.ts', source]]));
    expect(of).toEqual({
      ...{ functionsAbove80: 1, biggestBag: 17, bagsAbove14: 1, groupingSpreads: 1, picks: 1 },
      ...{ filesNamingAPlatform: 0, filesNamingATool: 1, commentsWithoutSubject: 50 },
      ...{ participleTypes: 0, sharedFunctionNames: 0, filesSharingAFunctionName: 1 },
    });
    const named =
      'interface Found {}\ntype Unseen = 1;\nclass Feed {}\nexport const list = () => 1;\nexport async function run() {}';
    expect(figuresOf(new Map(['a.ts', 'b.ts', 'cli/c.ts'].map((file) => [file, named])))).toMatchObject({
      ...{ participleTypes: 6, sharedFunctionNames: 2, filesSharingAFunctionName: 3 },
    });
    expect(figuresOf(new Map([['a.ts', "const a = 'Slack'; f('dig');"]])).filesNamingAPlatform).toBe(1);
  });
});

test('every dependency is pinned to one version', () => {
  const manifest: Record<string, Record<string, string>> = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const groups = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];
  const loose = groups.flatMap((group) =>
    Object.entries(manifest[group] ?? {}).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)),
  );
  // The Node of a checkout, whose own list test/publishing.test.ts looks at.
  expect(loose).toEqual([['openviber-node', 'file:deploy/node']]);
});

test('every test is run by one of the projects', async () => {
  const { default: config } = await import('../vitest.config.ts');
  const patterns = (config.test?.projects ?? []).flatMap((project) =>
    typeof project === 'object' && 'test' in project ? (project.test?.include ?? []) : [],
  );
  const found = new Set(patterns.flatMap((pattern) => globSync(pattern, { cwd: root })));
  const all = globSync('test/**/*.test.ts', { cwd: root });
  expect(all.length).toBeGreaterThan(180);
  expect(all.filter((file) => !found.has(file))).toEqual([]);
});

describe('the tests', () => {
  const tests = globSync('**/*.ts', { cwd: join(root, 'test') }).map((name) => join(root, 'test', name));

  test('run on every platform where platforms differ, as few as those are: logic runs once, on the channel of test/kit', () => {
    const sourceOf = (file: string) => readFileSync(file, 'utf8');
    const marked = tests.flatMap((file) => {
      const blocks = sourceOf(file).match(/\.each\((onEveryPlatform|onThreads)\b/g) ?? [];
      return blocks.map(() => file.slice(root.length + 1));
    });
    expect(marked.length, marked.join('\n')).toBeLessThanOrEqual(44);
    const worlds = tests.filter((file) => sourceOf(file).includes('platforms/world.ts'));
    const unmarked = worlds.filter((file) => /\.each\((NAMES\b|\['(telegram|discord|slack)')/.test(sourceOf(file)));
    expect(unmarked).toEqual([]);
  });

  test('wait by one limit alone, which guards against hanging: a machine with busy cores is slow, and nothing is wrong with it', () => {
    const short = [
      /\bvi\.wait(For|Until)\(|\btimeout: [0-5]?[0-9]_?[0-9]{3}\b(?=[^)]*\)\s*\.(not\.)?to)/,
      /\b(wait|waitFor|ask)\([^;]*\btimeoutMs: [1-5]?[0-9]_000\b/,
      // A test as a whole: its last argument, or its options.
      /\n *\}, (?:1?\d?\d|2[0-3]\d)_000\);|\},\n *(?:1?\d?\d|2[0-3]\d)_000,?\n *\);/,
      /, \{ timeout: (?:1?\d?\d|2[0-3]\d)_000 \}, (?:async )?\(/,
    ];
    const own = join(root, 'test', 'helpers', 'eventually.ts');
    const isShort = (file: string) => {
      const source = readFileSync(file, 'utf8').replaceAll(/ +/g, ' ');
      return short.some((form) => form.test(source));
    };
    const found = tests.filter((file) => file !== own && isShort(file));
    expect(found.map((file) => file.slice(root.length + 1))).toEqual([]);
  });

  // A wait that proves nothing by its length: somebody takes their time, or something goes on for so long.
  const WAITS = /\b(?:sleep|waitForTimeout)\(|\bnew Promise\S*\(\((\w+)\) => setTimeout\(\1\b|\bAtomics\.wait\(/;
  const PLACES_THAT_WAIT = 111;

  /** Lines that wait for a fixed time, each with whether it or the line above says why. */
  function fixedWaits(source: string): { line: number; isExplained: boolean }[] {
    const lines = source.split('\n');
    return lines.flatMap((text, index) => {
      if (!WAITS.test(text)) return [];
      return [{ line: index + 1, isExplained: /^\s*(\/\/|\/?\*)/.test(lines[index - 1] ?? '') }];
    });
  }

  test('wait for a fixed time only as a part of what happens, and never as a proof that something did not: test/kit/quiet.ts', () => {
    // The emulators delay what a test tells them to.
    const own = /^test\/(emulators\/|kit\/timers\.ts|architecture\.test\.ts)/;
    const found = tests.flatMap((file) => {
      const name = file.slice(root.length + 1);
      return own.test(name) ? [] : fixedWaits(readFileSync(file, 'utf8')).map((each) => ({ ...each, name }));
    });
    const unexplained = found.filter(({ isExplained }) => !isExplained).map(({ name, line }) => `${name}:${line}`);
    expect(unexplained, 'the line above says what takes so long').toEqual([]);
    expect(found.length).toBeLessThanOrEqual(PLACES_THAT_WAIT);
    const source =
      'await sleep(5);\n// The disk takes its time.\nawait sleep(5);\nawait new Promise((go) => setTimeout(go, 5));';
    expect(fixedWaits(source).map(({ isExplained }) => isExplained)).toEqual([false, true, false]);
  });
});
