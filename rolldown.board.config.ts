/** The Board's page: what a browser loads, in dist/board, under names that change with their content. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type OutputChunk, type Plugin } from 'rolldown';
import { licences } from './rolldown.licences.ts';
import { shortHash, writeManifest, writeWorker } from './rolldown.shell.ts';

const SOURCE = join(import.meta.dirname, 'src/board/ui');

/** The style sheets in the order of their names, as one file without comments and blanks. */
function styleSheet(): string {
  const folder = join(SOURCE, 'styles');
  // Editors put their locks and copies beside the files.
  const names = readdirSync(folder).filter((name) => /^[^.].*\.css$/.test(name));
  return names
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s*\n\s*/g, '')
    .replace(/ *([{};,]) */g, '$1')
    .replace(/;\}/g, '}');
}

/** All that a chunk loads before it runs. */
function withImports(
  chunk: OutputChunk,
  chunks: ReadonlyMap<string, OutputChunk>,
  found = new Set<string>(),
): Set<string> {
  found.add(chunk.fileName);
  for (const name of chunk.imports) {
    const imported = chunks.get(name);
    if (imported !== undefined && !found.has(name)) withImports(imported, chunks, found);
  }
  return found;
}

/** `index.html`, which names the entry, what it needs and the style sheet: one round of requests until something is seen. */
const shell: Plugin = {
  name: 'board-shell',
  async writeBundle({ dir = 'dist/board' }, bundle) {
    const chunks = new Map<string, OutputChunk>();
    for (const file of Object.values(bundle)) if (file.type === 'chunk') chunks.set(file.fileName, file);
    const entry = [...chunks.values()].find(({ isEntry }) => isEntry);
    if (entry === undefined) throw new Error('the page has no entry');
    const css = styleSheet();
    const sheet = `assets/board-${shortHash(css)}.css`;
    writeFileSync(join(dir, sheet), css);
    const preloads = [...withImports(entry, chunks)].filter((name) => name !== entry.fileName);
    const html = readFileSync(join(SOURCE, 'index.html'), 'utf8')
      .replace('%STYLES%', `/board/${sheet}`)
      .replaceAll('%ICON%', writeManifest(dir))
      .replace('%ENTRY%', `/board/${entry.fileName}`)
      .replace('%PRELOADS%', preloads.map((name) => `<link rel="modulepreload" href="/board/${name}">`).join(''));
    writeFileSync(join(dir, 'index.html'), html);
    await writeWorker(dir);
  },
};

/** Of libraries that are loaded whole when they are first needed, only what is used: reading Markdown, not writing it. */
const USED: Readonly<Record<string, string>> = {
  'mdast-util-gfm': 'gfmFromMarkdown',
  'micromark-extension-gfm': 'gfm',
  'mdast-util-from-markdown': 'fromMarkdown',
};
const onlyUsed: Plugin = {
  name: 'only-used',
  resolveId(source, importer) {
    const isOurs = importer?.endsWith('channels/markdown/parse.ts') && Object.hasOwn(USED, source);
    return isOurs ? join(import.meta.dirname, `src/channels/markdown/used:${source}`) : undefined;
  },
  load(id) {
    const source = /used:(.+)$/.exec(id)?.[1];
    return source === undefined ? undefined : `export { ${USED[source]} } from '${source}';`;
  },
};

export default defineConfig({
  input: { board: join(SOURCE, 'main.tsx') },
  platform: 'browser',
  checks: { bundlerTimings: false },
  tsconfig: join(SOURCE, 'tsconfig.json'),
  resolve: {
    // Its form for browsers asks the page's own parser of HTML, which Trusted Types forbid.
    alias: { 'decode-named-character-reference': join(SOURCE, 'parts/entities.ts') },
  },
  plugins: [onlyUsed, shell, licences('..')],
  output: {
    dir: 'dist/board',
    format: 'esm',
    cleanDir: true,
    minify: true,
    sourcemap: false,
    entryFileNames: 'assets/[name]-[hash].js',
    chunkFileNames: 'assets/[name]-[hash].js',
    // One request for all of Markdown, one for all of the editor.
    codeSplitting: {
      groups: [
        {
          name: 'markdown',
          test: /[\\/](micromark|mdast|unist|decode-named|character-entities|ccount|devlop|longest-streak|zwitch|trim-lines|get-east|escape-string|markdown-table)/,
        },
        { name: 'editor', test: /[\\/](@codemirror|@lezer|style-mod|w3c-keyname|crelt|@marijn)[\\/]/ },
      ],
    },
    // Nothing is imported from the page, so nothing has to keep its name.
    minifyInternalExports: true,
  },
});
