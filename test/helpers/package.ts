/** The package as npm makes it. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { isNewerThan } from './program.ts';

const root = path.join(import.meta.dirname, '..', '..');
const run = promisify(execFile);
export const QUIET = ['--offline', '--no-audit', '--no-fund'];

export interface Packed {
  filename: string;
  unpackedSize: number;
  files: { path: string }[];
}

/** What a newcomer's npm has: Node 24 and the system's programs, a home, and nothing of ours. */
export const npmEnvironment = (folder: string, home = folder) => ({
  PATH: `${path.dirname(fs.realpathSync(process.execPath))}:${process.env.PATH}`,
  HOME: home,
  npm_config_cache: path.join(folder, 'npm'),
  npm_config_update_notifier: 'false',
});

/** Puts what belongs to the package into a new folder, but for the program. */
export function stagePackage(stage: string): void {
  fs.mkdirSync(stage);
  const { files } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as { files: string[] };
  const plain = files.filter((name) => !/^!?dist/.test(name));
  for (const name of ['package.json', 'README.md', 'LICENSE', ...plain])
    fs.copyFileSync(path.join(root, name), path.join(stage, name));
}

/** Builds the program into the stage, and returns what the build has printed. */
export async function buildInto(stage: string, ...more: string[]): Promise<string> {
  const options = { cwd: root, env: { ...process.env, NO_COLOR: '1' } };
  const made = await run(path.join(root, 'node_modules/.bin/rolldown'), ['-c', ...more, '-d', stage], options);
  return made.stdout + made.stderr;
}

/** Copies the program that is built already, if it is newer than all that is built in. */
export async function programInto(dist: string): Promise<void> {
  if (!isNewerThan('src', 'test/testing', 'test/platforms')) await buildInto(dist);
  else fs.cpSync(path.join(root, 'dist'), dist, { recursive: true, filter: (name) => !name.includes('.compiled') });
}

/** Makes the package of a folder in another. */
export async function pack(from: string, to: string, env: NodeJS.ProcessEnv, ...more: string[]): Promise<Packed> {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', to, ...more], { cwd: from, env });
  const [packed] = Object.values<Packed>(JSON.parse(stdout.slice(stdout.search(/^[[{]/m))));
  if (!packed) throw new Error(`npm made no package of ${from}`);
  return packed;
}
