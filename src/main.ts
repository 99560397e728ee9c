#!/usr/bin/env node
/** argv, config, start, signals; nothing else. */
const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 24) {
  process.stderr.write(
    `This program needs Node 24 or newer; this is ${process.version}. Inside the repository \`npm start\` brings its own.\n`,
  );
  process.exit(1);
}

const { runCli } = await import('./cli/index.ts');
process.exitCode = await runCli(process.argv.slice(2));
