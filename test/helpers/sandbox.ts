/**
 * Whether scripts run in a sandbox on this machine, for tests of the sandbox. If bubblewrap is installed they run, and
 * fail if it doesn't work. They are skipped without bubblewrap, or if the kernel doesn't allow the name spaces that it
 * needs.
 */
import { spawnSync } from 'node:child_process';
import { findBubblewrap, hasSandbox } from '../../src/skills/sandbox.ts';

export const isSandboxed = await hasSandbox();
const isInstalled = (await findBubblewrap()) !== undefined;

/** Asks the kernel for what bubblewrap needs, without bubblewrap: separate name spaces with a /proc in them. */
function kernelForbids(): boolean {
  const own = ['--user', '--map-root-user', '--mount', '--pid', '--fork', '--mount-proc', 'true'];
  const { error, status } = spawnSync('unshare', own, { stdio: 'ignore', timeout: 10_000 });
  return error === undefined && status !== 0;
}

/** Why the tests of the sandbox are skipped; '' if they run. */
export const WITHOUT_SANDBOX = reason();

function reason(): string {
  if (isSandboxed) return '';
  if (process.platform !== 'linux') return 'there is none on this system';
  if (!isInstalled) return 'bubblewrap is not installed (apt-get install bubblewrap)';
  if (kernelForbids()) return 'this kernel forbids user namespaces';
  throw new Error('bubblewrap is installed and does not work, though the kernel would let it');
}

/** For names of tests: where they run, or why they don't. */
export const IN_SANDBOX = isSandboxed ? 'in the sandbox' : `in the sandbox (skipped: ${WITHOUT_SANDBOX})`;
