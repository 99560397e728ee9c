/**
 * Runs around all tests: keeps the default port away from them, says first for each missing program how to get it, and
 * at the end what else this run has left out.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { TestProject } from 'vitest/node';
import { errorCode } from '../../src/errors.ts';
import { defaults } from './defaults.ts';
import { lineOf, missingTools } from './tools.ts';

/** What is left out though every program is there, and in which files. */
const LEFT_OUT = [
  {
    isLeftOut: process.getuid?.() !== 0,
    files: /\/(disk-full|projects\/run-command|cli\/init)\./,
    line: 'a full disk (only root may mount one; a folder that vanishes stands in for it)',
  },
];

let isSetUp = false;

export default async function setUp(project: TestProject): Promise<(() => void) | undefined> {
  // Called by each project of the configuration.
  if (isSetUp) return undefined;
  isSetUp = true;
  const tools = missingTools();
  // In CI, tests that need one of these fail without it.
  const shown = tools.filter((tool) => !(process.env.CI && tool.isWanted));
  const hasBubblewrap = tools.every((tool) => tool.package !== 'bubblewrap');
  const lines = [...shown.map(lineOf), hasBubblewrap && (await withoutSandbox())];
  for (const line of lines) if (line) process.stdout.write(`${line}\n`);
  const end = await keepDefaultPort();
  return () => {
    const files = project.vitest.state.getFiles().map(({ filepath }) => filepath);
    for (const { isLeftOut, files: of, line } of LEFT_OUT)
      if (isLeftOut && files.some((file) => of.test(file))) process.stdout.write(`skipped: ${line}\n`);
    end();
  };
}

/** Why bubblewrap can't work though it isn't missing. */
async function withoutSandbox(): Promise<string> {
  try {
    const { WITHOUT_SANDBOX } = await import('./sandbox.ts');
    return WITHOUT_SANDBOX && `skipped: the sandbox of scripts (${WITHOUT_SANDBOX})`;
  } catch {
    return ''; // its own tests fail with the reason
  }
}

/** Occupies the default port, so that a gateway started by a test can't use it; it answers nobody. */
async function keepDefaultPort(): Promise<() => void> {
  const server = createServer((socket) => void socket.destroy());
  server.listen(defaults.http.port, defaults.http.host).unref();
  try {
    await once(server, 'listening');
  } catch (error) {
    // If a gateway on this machine, or other tests, use the port, our tests can't use it either.
    if (errorCode(error) !== 'EADDRINUSE') throw error;
  }
  return () => void server.close();
}
