import { defineConfig } from 'rolldown';

/** One folder of plain JavaScript: what is needed at start in one file, each channel and provider in a file of its own. */
export default defineConfig({
  input: { main: 'src/main.ts', 'disk-thread': 'src/runtime/queue/disk-thread.ts' },
  platform: 'node',
  output: { dir: 'dist', format: 'esm', cleanDir: true, minify: false, sourcemap: false },
});
