#!/usr/bin/env node
/** argv, config, start, signals; nothing else. */
const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 24) {
  process.stderr.write(
    `viber needs Node 24 or newer and this is ${process.version}: install one from https://nodejs.org (or with: nvm install 24) and try again; inside the repository \`npm start\` brings its own.\n`,
  );
  process.exit(1);
}

// What Node makes of the built program is kept beside it and halves later starts; where nothing can be written it is made anew.
if (import.meta.filename.endsWith('.js')) {
  const { enableCompileCache, flushCompileCache } = await import('node:module');
  enableCompileCache(`${import.meta.dirname}/.compiled`);
  // A process that is killed writes nothing at its end.
  setTimeout(flushCompileCache, 5_000).unref();
}
const { runCli } = await import('./cli/index.ts');
process.exitCode = await runCli(process.argv.slice(2));
