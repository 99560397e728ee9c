import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, extname, join } from 'node:path';
import { defineConfig, type Plugin } from 'rolldown';
import { isolatedDeclarationSync } from 'rolldown/experimental';
import { licences, manifestIn } from './rolldown.licences.ts';
import { COMMIT_FILE, commitOfCheckout } from './src/cli/commit.ts';
import { ASSETS, installedAsset } from './src/lib/asset.ts';
import { prepare } from './src/skills/prepared.ts';
import { parseSkill } from './src/skills/skill.ts';

/** Libraries become a part of the program and are installed with nobody, but for those that package.json lists as dependencies. */
const installed = Object.keys(manifestIn(import.meta.dirname).dependencies ?? {});
/** Libraries that a library tries for and does without. */
const OPTIONAL = ['zlib-sync'];
/** What runs the tests of a package that holds a channel. */
const TESTS = ['vitest'];
const isInstalled = (id: string) => installed.some((name) => id === name || id.startsWith(`${name}/`));

/** The bundled skills are files that are read at run time: they stand beside the program as they stand in the source, and as read. */
export const copySkills = {
  name: 'copy-skills',
  writeBundle({ dir = 'dist' }: { dir?: string }) {
    const copies = join(dir, 'skills');
    rmSync(copies, { recursive: true, force: true });
    cpSync('src/skills', copies, { recursive: true, filter: (file) => extname(file) !== '.ts' });
    const { file, text } = prepare(copies, parseSkill);
    writeFileSync(file, text);
  },
};

/** The commit is built in, since a package has no git to ask. A builder without git gives it (VIBER_COMMIT), or it stays unknown. */
const nameCommit: Plugin = {
  name: 'name-commit',
  writeBundle({ dir = 'dist' }) {
    const commit = process.env.VIBER_COMMIT?.trim() || commitOfCheckout(import.meta.dirname);
    if (commit !== undefined && /^[0-9a-f]{7,40}(-dirty)?$/.test(commit))
      writeFileSync(join(dir, COMMIT_FILE), `${commit.replace(/^([0-9a-f]{12})[0-9a-f]*/, '$1')}\n`);
  },
};

/** Scripts for the server of an engine are files that are read when it is used. */
const copyScripts: Plugin = {
  name: 'copy-scripts',
  writeBundle({ dir = 'dist' }) {
    const copies = join(dir, 'lua');
    rmSync(copies, { recursive: true, force: true });
    cpSync('src/engine/redis/lua', copies, { recursive: true });
  },
};

const copyAssets: Plugin = {
  name: 'copy-assets',
  writeBundle({ dir = 'dist' }) {
    mkdirSync(join(dir, 'assets'), { recursive: true });
    for (const asset of ASSETS) copyFileSync(installedAsset(asset), join(dir, 'assets', basename(asset)));
  },
};

/** Front matter in JavaScript is never read (`src/skills/front-matter.ts`): the program holds nothing that could run it. */
const withoutEval: Plugin = {
  name: 'without-eval',
  transform: {
    filter: { id: /[\\/]gray-matter[\\/]lib[\\/]engines\.js$/ },
    handler(code) {
      const safe = code.replace(
        'return eval(str) || {};',
        "throw new Error('front matter in JavaScript is not read');",
      );
      if (/\beval\(/.test(safe)) throw new Error('gray-matter evaluates in another way than is known here');
      return safe;
    },
  },
};

/**
 * Libraries bring these along whether a program uses them or not, and they would be read at every start: zod's messages in fifty
 * languages (people read ours), and the client of Vercel's AI Gateway, which answers for models that are given by name (ours never are).
 */
const withoutUnused: Plugin = {
  name: 'without-unused',
  load: {
    filter: { id: /[\\/](?:zod[\\/]v4[\\/]locales|@ai-sdk[\\/]gateway[\\/]dist)[\\/]index\.js$/ },
    handler(id) {
      if (/locales[\\/]index\.js$/.test(id)) return "export { default as en } from './en.js';";
      return [
        'class GatewayError extends Error { static isInstance() { return false; } }',
        'export { GatewayError, GatewayError as GatewayAuthenticationError };',
        "export function createGateway() { throw new Error('the AI Gateway is left out of this program'); }",
        'export const gateway = undefined;',
      ].join('\n');
    },
  },
};

/** Each other language is a chunk of its own, and what only commands say in it another one. */
const otherLanguages = Object.fromEntries(
  globSync('src/messages/*-later.ts').flatMap((file) => {
    const language = basename(file, '-later.ts');
    if (language === 'en') return [];
    const parts = [language, `${language}-later`];
    return parts.map((part) => [`messages-${part}`, `src/messages/${part}.ts`]);
  }),
);

/** What nobody installs must not be asked for at run time. */
const refuseStrangers: Plugin = {
  name: 'refuse-strangers',
  writeBundle(_options, bundle) {
    const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
    const asked = chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports]);
    const strangers = asked.filter((id) => {
      return !Object.hasOwn(bundle, id) && !isBuiltin(id) && !isInstalled(id) && ![...OPTIONAL, ...TESTS].includes(id);
    });
    if (strangers.length > 0) throw new Error(`not bundled and not among the dependencies: ${strangers.join(', ')}`);
  },
};

/** Writes the types of files into the program's folder, where they all stand beside each other. */
const typesOf = (name: string, files: readonly string[]): Plugin => ({
  name,
  writeBundle({ dir = 'dist' }) {
    for (const file of files) {
      const { code, errors } = isolatedDeclarationSync(file, readFileSync(file, 'utf8'), {});
      if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
      const beside = code.replaceAll(/(["']\.)[^"'\n]*(\/[\w-]+)\.ts(?=["'])/g, '$1$2.js');
      writeFileSync(join(dir, `${basename(file, '.ts')}.d.ts`), beside);
    }
  },
});

/** The types of what `openviber-gateway/client` exports, beside it. */
const clientTypes = typesOf(
  'client-types',
  ['client', 'frames', 'viber-error'].map((name) => join('src/client', `${name}.ts`)),
);

const SUITE = 'test/testing/testing.ts';

/** The types of what `openviber-gateway/testing` exports, beside it. */
const testingTypes = typesOf('testing-types', [SUITE, 'test/testing/host.ts', 'test/platforms/platform.ts']);

/** The types of what `openviber-gateway/plugin` exports, and of all that they name. */
const pluginTypes: Plugin = {
  name: 'plugin-types',
  writeBundle({ dir = 'dist' }) {
    const types = join(dir, 'types');
    execFileSync(process.execPath, [
      ...[join(import.meta.dirname, 'node_modules/typescript/bin/tsc'), '-p', 'src/plugin', '--outDir', types],
    ]);
    for (const name of readdirSync(types, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.d.ts')) continue;
      const file = join(types, name);
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(['"]\.[^'"\n]*)\.tsx?(?=['"])/g, '$1.js'));
    }
  },
};

/** What commands need that run no gateway (`test/cli/light.test.ts`). */
const LIGHT = [
  ...['config', 'workspace/home', 'features/costs/cli/run', 'cli/backup/restoring', 'cli/service/service'],
  ...['ask', 'logs', 'pair', 'queue', 'running', 'starting', 'status', 'tasks', 'trace/trace', 'update'].map(
    (name) => `cli/${name}`,
  ),
];

/**
 * The code that a start loads is two files: each file more costs Node about half a millisecond. What every command needs is the first, so
 * that those that run no gateway don't load one. The command line, which must print its help at once, has its own; channels, providers
 * and libraries that a start does not need keep theirs.
 */
const chunks = {
  groups: [
    { name: 'command-line', test: /[\\/]src[\\/]cli[\\/]index\.ts$/, priority: 3 },
    {
      name: 'commands',
      test: new RegExp(`[\\\\/]src[\\\\/](?:${LIGHT.join('|').replaceAll('/', '[\\\\/]')})\\.ts$`),
      priority: 2,
    },
    {
      name: 'gateway',
      test: /[\\/]src[\\/](?:app|runtime[\\/]agent[\\/]loop|features[\\/][a-z]+[\\/]index)\.ts$/,
      priority: 1,
    },
  ],
};

const shared = {
  platform: 'node',
  // Its build for the web is the same without an HTTP client of its own; requests go through Node's.
  resolve: { alias: { '@discordjs/rest': join(import.meta.dirname, 'node_modules/@discordjs/rest/dist/web.mjs') } },
  external: (id: string) => isInstalled(id) || OPTIONAL.includes(id),
  // A build on a busy machine takes its time, and that is no fault of the build.
  // Within one of the two files that a start loads, an import at run time moves nothing, on purpose.
  checks: { bundlerTimings: false, ineffectiveDynamicImport: false },
} as const;
/**
 * Without comments and in plain ASCII the program takes half the memory: V8 keeps each source, with two bytes a character if a single
 * one of them needs two.
 */
const output = {
  dir: 'dist',
  format: 'esm',
  minify: false,
  sourcemap: false,
  comments: false,
  charset: 'ascii',
} as const;

/** Builds the program, and beside it the processes that read documents and draw: they must stay small, so they share no file with it. */
export default defineConfig([
  {
    ...shared,
    // Plurals, other languages and the texts of the terminal are loaded by name when the first one is shown, because nothing can be imported in the middle of a sentence.
    input: {
      main: 'src/main.ts',
      'messages-format': 'src/messages/format.ts',
      'messages-en-later': 'src/messages/en-later.ts',
      ...otherLanguages,
      client: 'src/client/client.ts',
      plugin: 'src/plugin/plugin.ts',
    },
    plugins: [
      withoutEval,
      withoutUnused,
      copySkills,
      copyScripts,
      copyAssets,
      nameCommit,
      clientTypes,
      pluginTypes,
      refuseStrangers,
      licences(),
    ],
    output: { ...output, cleanDir: true, codeSplitting: chunks },
  },
  {
    ...shared,
    input: {
      'document-worker': 'src/features/documents/formats/worker.ts',
      'chart-worker': 'src/features/charts/worker.ts',
      'search-worker': 'src/features/projects/search-worker.ts',
      'picture-worker': 'src/runtime/reading/pictures/worker.ts',
    },
    plugins: [withoutEval, withoutUnused, refuseStrangers, licences()],
    output,
  },
  // The suite of every channel, for packages that hold one: it starts the program, and shares no file with it. The container is built
  // without the tests.
  ...(existsSync(SUITE)
    ? [
        {
          ...shared,
          external: (id: string) => TESTS.includes(id),
          input: { testing: SUITE },
          plugins: [testingTypes, refuseStrangers],
          output,
        },
      ]
    : []),
]);
