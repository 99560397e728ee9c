/** `viber memory`: searches a viber's memory and rebuilds its search index. Works while the gateway is running. */

import fs from 'node:fs';
import { type Config, loadConfig } from '../../../config.ts';
import { UserError } from '../../../errors.ts';
import { createLog } from '../../../log.ts';
import { say } from '../../../messages/messages.ts';
import { type CliContext, type CliServices, EXIT } from '../../../runtime/contract/cli.ts';
import type { Embedder, MemoryHit } from '../../../runtime/contract/memory.ts';
import type { Spending } from '../../../runtime/contract/spending.ts';

export async function run(context: CliContext, { spending }: CliServices): Promise<number> {
  const { args, values, home: root, config: file, env, json, print, messages } = context;
  const { config } = await loadConfig({ file, home: root, env });
  const [verb, ...words] = args;
  const query = words.join(' ').trim();
  const [{ openHome, isId, DEFAULT_VIBER }, { MemorySearch }] = await Promise.all([
    import('../../../workspace/home.ts'),
    import('../store/search.ts'),
  ]);
  const home = await openHome(root);
  const viber = values.viber ?? DEFAULT_VIBER;
  if (!isId(viber) || !fs.existsSync(home.viberDir(viber)))
    throw new UserError(say('cli.noSuchViber', { name: viber.slice(0, 80) }));
  const log = createLog({ level: 'warn', pretty: true, write: (line) => void process.stderr.write(line) });
  const memory = new MemorySearch({
    home,
    settings: config.memory,
    log,
    embedder: await embedderOf(config, env, () => spending({ home, config, log })),
  });
  try {
    if (verb === 'search') showHits(await memory.searchMemory(viber, query));
    else await index();
    return EXIT.ok;
  } finally {
    await memory.close();
  }

  function showHits(hits: MemoryHit[]): void {
    if (json) print(JSON.stringify({ results: hits }));
    else if (hits.length === 0) print(messages.text('cli.noHits'));
    else for (const hit of hits) print(`${hitPlace(hit)}\n${hit.content.replace(/^/gm, '  ')}\n`);
  }

  async function index(): Promise<void> {
    const counts = await memory.rebuildIndex(viber);
    const { files, chunks, embedded } = counts;
    if (json) return print(JSON.stringify(counts));
    const vectors = embedded > 0 ? say('cli.withVectors', { n: embedded }) : '';
    print(messages.text('cli.indexed', { files, chunks, vectors }));
    if (config.memory.index === 'off') print(messages.text('cli.indexOff'));
  }
}

const hitPlace = ({ source_file, metadata: { line, section } }: MemoryHit): string =>
  `${source_file}:${line}${section === undefined ? '' : `  ${section}`}`;

async function embedderOf(
  config: Config,
  env: NodeJS.ProcessEnv,
  spending: () => Promise<Spending>,
): Promise<Embedder | undefined> {
  const { embedding } = config.memory;
  if (embedding === undefined) return undefined;
  const [{ createModels }, counted, { meteredEmbedder }] = await Promise.all([
    import('../../../runtime/model/models.ts'),
    spending(),
    import('../metered-embedder.ts'),
  ]);
  return meteredEmbedder(createModels({ providers: config.providers, env }).embedder(embedding), counted);
}
