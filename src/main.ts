#!/usr/bin/env node
/** Entry point: argv, config, start, signals; nothing else. */
const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 24) {
  process.stderr.write(
    `viber needs Node 24 or newer and this is ${process.version}: install one from https://nodejs.org (or with: nvm install 24) and try again; inside the repository \`npm start\` brings its own.\n`,
  );
  process.exit(1);
}

// Node's compile cache beside the built program halves later starts; if it can't be written, each start compiles again.
if (import.meta.filename.endsWith('.js')) {
  const { enableCompileCache, flushCompileCache } = await import('node:module');
  enableCompileCache(`${import.meta.dirname}/.compiled`);
  // A process that is killed doesn't write the cache at its end.
  setTimeout(flushCompileCache, 5_000).unref();
}
const { runCli } = await import('./cli/index.ts');
process.exitCode = await runCli(process.argv.slice(2));
