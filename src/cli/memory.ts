/** `viber memory`: searches what a viber remembers, and makes its search index anew. Works while the gateway runs. */
import { type Config, loadConfig } from '../config.ts';
import { UserError } from '../errors.ts';
import { createLog } from '../log.ts';
import type { Embedder, MemoryHit, MemorySearch } from '../workspace/memory/search.ts';
import { type CliContext, EXIT } from './command.ts';

const USAGE = 'usage: viber memory search QUERY | index';

export async function run({ args, home: root, config: file, env, json, print }: CliContext): Promise<number> {
  const { config } = await loadConfig({ file, home: root, env });
  const [verb, ...words] = args;
  const query = words.join(' ').trim();
  if (verb !== 'index' && (verb !== 'search' || query === '')) throw new UserError(USAGE);
  const [{ openHome, DEFAULT_VIBER }, { createMemorySearch }] = await Promise.all([
    import('../workspace/home.ts'),
    import('../workspace/memory/search.ts'),
  ]);
  const log = createLog({ level: 'warn', pretty: true, write: (line) => void process.stderr.write(line) });
  const memory = createMemorySearch({
    ...{ home: await openHome(root), settings: config.memory, log },
    embedder: await embedderOf(config, env),
  });
  try {
    if (verb === 'search') showHits(await memory.searchMemory(DEFAULT_VIBER, query));
    else await index(memory, DEFAULT_VIBER);
    return EXIT.ok;
  } finally {
    await memory.close();
  }

  function showHits(hits: MemoryHit[]): void {
    if (json) print(JSON.stringify({ results: hits }));
    else if (hits.length === 0) print('Nothing in memory fits these words.');
    else for (const hit of hits) print(`${placeOf(hit)}\n${hit.content.replace(/^/gm, '  ')}\n`);
  }

  async function index(search: MemorySearch, viber: string): Promise<void> {
    const counts = await search.rebuildIndex(viber);
    const { files, chunks, embedded } = counts;
    const isUnused = config.memory.index === 'off';
    if (json) print(JSON.stringify(counts));
    else print(`Indexed ${files} files: ${chunks} pieces, ${embedded} of them with a vector.`);
    if (isUnused) log.warn('the index is not used and will be removed: set memory.index to auto or on');
  }
}

const placeOf = ({ source_file, metadata: { line, section } }: MemoryHit): string =>
  `${source_file}:${line}${section === undefined ? '' : `  ${section}`}`;

async function embedderOf(config: Config, env: NodeJS.ProcessEnv): Promise<Embedder | undefined> {
  const { embedding } = config.memory;
  if (embedding === undefined) return undefined;
  const { createModels } = await import('../runtime/model/models.ts');
  return createModels({ providers: config.providers, env }).embedder(embedding);
}
