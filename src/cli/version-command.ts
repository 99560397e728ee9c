/** `viber version`: prints the versions of this program and of Node, and the commit if it is known. */
import { type CliContext, EXIT } from '../runtime/contract/cli.ts';
import { commitOf } from './commit.ts';
import { versionOf } from './version.ts';

/** `viber 0.1.0 (Node 24.21.0, commit 0123456789ab)`. */
export function versionLine(): string {
  const commit = commitOf();
  return `viber ${versionOf()} (Node ${process.versions.node}${commit === undefined ? '' : `, commit ${commit}`})`;
}

export async function run({ json, print }: CliContext): Promise<number> {
  const { platform, arch, versions } = process;
  const facts = { version: versionOf(), commit: commitOf(), node: versions.node, platform, arch };
  print(json ? JSON.stringify(facts) : versionLine());
  return EXIT.ok;
}
