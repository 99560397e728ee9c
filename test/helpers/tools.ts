/** The programs that some tests need: what is left out without them, and the Debian package that has them. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { CHROMIUM_FILES } from './chromium.ts';

export interface Tool {
  package: string;
  /** What is left out without it. */
  tests: string;
  /** In CI these tests fail without it. */
  isWanted?: true;
  isThere(): boolean;
}

/** Whether a program runs on this machine. */
const runs = (program: string, ...args: string[]): boolean =>
  spawnSync(program, args.length > 0 ? args : ['--version'], { stdio: 'ignore' }).status === 0;

export const TOOLS: readonly Tool[] = [
  {
    package: 'bubblewrap',
    tests: 'the sandbox of scripts',
    isThere: () => process.platform !== 'linux' || runs('bwrap'),
  },
  {
    ...{ package: 'redis-server', tests: 'the engine for several machines', isWanted: true as const },
    isThere: () => runs(process.env.REDIS_SERVER || 'redis-server'),
  },
  {
    ...{ package: 'chromium', tests: 'the page in a browser', isWanted: true as const },
    isThere: () => CHROMIUM_FILES.some((file) => existsSync(file)),
  },
  { package: 'python3', tests: 'the terminal', isWanted: true, isThere: () => runs('python3') },
  {
    ...{ package: 'python3-venv', tests: 'environments of Python' },
    isThere: () => runs('python3', '-c', 'import ensurepip, venv'),
  },
  { package: 'git', tests: 'commits and clones', isThere: () => runs('git') },
  { package: 'curl', tests: 'the calls of docs/protocol.md', isWanted: true, isThere: () => runs('curl') },
  { package: 'vim', tests: 'a plan edited in vim', isThere: () => runs('vim') },
  { package: 'zsh', tests: 'completion in zsh', isThere: () => runs('zsh') },
  { package: 'fish', tests: 'completion in fish', isThere: () => runs('fish') },
];

/** The tools that are not on this machine. */
export const missingTools = (): Tool[] => TOOLS.filter((tool) => !tool.isThere());

/** One line for a tool that is missing: what is left out, and how to get it. */
export const lineOf = ({ package: name, tests }: Tool): string =>
  `skipped without ${name}: ${tests} (npm run test:setup, or apt-get install ${name})`;

/** In CI, tests that need it fail without it. */
export const hasCurl = Boolean(process.env.CI) || runs('curl');
