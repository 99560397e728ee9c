/** Around the whole of the tests: keeps the default port from all of them, and says in one line each what is left out and why. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { defaults } from '../../src/config/defaults.ts';
import { errorCode } from '../../src/errors.ts';

let isSetUp = false;

export default async function setUp(): Promise<(() => void) | undefined> {
  // Each project of the configuration calls this.
  if (isSetUp) return undefined;
  isSetUp = true;
  const lines = [
    await withoutSandbox(),
    process.getuid?.() !== 0 && 'a disk that is full: only root may mount one; a folder that vanishes stands for it',
    spawnSync('git', ['--version'], { stdio: 'ignore' }).error && 'commits by git-commit: git is not installed',
    process.env.PROPERTY_RUNS === undefined &&
      'jobs asked for on Telegram and Discord: set PROPERTY_RUNS to run them too',
  ];
  for (const line of lines) if (line) process.stdout.write(`skipped: ${line}\n`);
  return keepDefaultPort();
}

async function withoutSandbox(): Promise<string> {
  try {
    const { WITHOUT_SANDBOX } = await import('./sandbox.ts');
    return WITHOUT_SANDBOX && `the sandbox of scripts: ${WITHOUT_SANDBOX}`;
  } catch {
    return ''; // its own tests fail with the reason
  }
}

/** A gateway that a test starts there finds it taken; whoever calls there is not answered. */
async function keepDefaultPort(): Promise<() => void> {
  const server = createServer((socket) => void socket.destroy());
  server.listen(defaults.http.port, defaults.http.host).unref();
  try {
    await once(server, 'listening');
  } catch (error) {
    // Taken by a gateway of this machine, or by tests beside these, it is kept from ours as well.
    if (errorCode(error) !== 'EADDRINUSE') throw error;
  }
  return () => void server.close();
}
