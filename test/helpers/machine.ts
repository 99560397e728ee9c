/** Runs around all tests: keeps the default port from them, and says in a line each what this machine lacks and how to get it. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { errorCode } from '../../src/errors.ts';
import { CHROMIUM_FILES } from './chromium.ts';
import { defaults } from './defaults.ts';
import { hasPython } from './python.ts';
import { hasRedis } from './redis-installed.ts';

/** In CI the tests that need it fail without it. */
export const hasCurl =
  spawnSync('curl', ['--version'], { stdio: 'ignore' }).status === 0 || process.env.CI !== undefined;
let isSetUp = false;

export default async function setUp(): Promise<(() => void) | undefined> {
  // Each project of the configuration calls this.
  if (isSetUp) return undefined;
  isSetUp = true;
  const lines = [
    await withoutSandbox(),
    !hasRedis && 'the engine for several machines: redis-server is not installed (apt-get install redis-server)',
    withoutBrowser(),
    !hasPython && 'the terminal: python3, which opens one, is not installed (apt-get install python3)',
    spawnSync('git', ['--version'], { stdio: 'ignore' }).error && 'commits: git is not installed (apt-get install git)',
    !hasCurl && 'the calls of docs/protocol.md: curl is not installed (apt-get install curl)',
    process.getuid?.() !== 0 && 'a full disk: only root may mount one; a folder that vanishes stands in for it',
    process.env.PROPERTY_RUNS === undefined &&
      'jobs asked for on Telegram and Discord: set PROPERTY_RUNS=100 to run them too',
  ];
  for (const line of lines) if (line) process.stdout.write(`skipped: ${line}\n`);
  return keepDefaultPort();
}

/** Where the tests of the page look for one. In CI they fail without it. */
function withoutBrowser(): string {
  const isThere = CHROMIUM_FILES.some((file) => existsSync(file));
  return isThere || process.env.CI ? '' : 'the page in a browser: no Chromium is installed (apt-get install chromium)';
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
