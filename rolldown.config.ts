import { defineConfig, type Plugin } from 'rolldown';

/** grammY is given our own transport (src/channels/telegram/transport.ts): its default one need not be carried along. */
const withoutNodeFetch: Plugin = {
  name: 'without-node-fetch',
  resolveId: (source) => (source === 'node-fetch' ? '\0node-fetch' : null),
  load: (id) => (id === '\0node-fetch' ? 'export default function fetch() { throw new Error("no transport"); }' : null),
};

/** One folder of plain JavaScript: what is needed at start in one file, each channel and provider in a file of its own. */
export default defineConfig({
  input: { main: 'src/main.ts' },
  platform: 'node',
  plugins: [withoutNodeFetch],
  output: { dir: 'dist', format: 'esm', cleanDir: true, minify: false, sourcemap: false },
});
