/**
 * Lists what the program is made of: `npm run supply`. Builds it, which writes the licences of every shipped package to
 * `dist/LICENSES.txt` and their list to `dist/sbom.cdx.json`, counts both, and asks npm for known vulnerabilities of
 * what the lock file names.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { type Bom, lockedIn } from '../rolldown.licences.ts';

const root = path.join(import.meta.dirname, '..');
const out = (line: string) => process.stdout.write(`${line}\n`);

const { components }: Bom = JSON.parse(fs.readFileSync(path.join(root, 'dist/sbom.cdx.json'), 'utf8'));
const counts = new Map<string, number>();
for (const { licenses } of components) {
  const [{ license, expression } = {}] = licenses;
  const name = expression ?? license?.id ?? license?.name ?? '';
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
const sorted = [...counts].sort(([, a], [, b]) => b - a);
out(`shipped ${components.length} packages: ${sorted.map(([name, count]) => `${name} ${count}`).join(', ')}`);
const lock = lockedIn(root);
const scripts = [...lock].filter(([, { hasInstallScript }]) => hasInstallScript).map(([at]) => at);
const { allowScripts }: { allowScripts: Record<string, boolean> } = JSON.parse(
  fs.readFileSync(path.join(root, 'package.json'), 'utf8'),
);
const run = scripts.filter((at) => allowScripts[at.replace(/^node_modules\//, '')] !== false);
out(`the lock names ${lock.size} packages; scripts that run at install: ${run.join(', ')}`);

const auditSchema = z.object({ metadata: z.object({ vulnerabilities: z.object({ total: z.number() }) }) });
const audit = spawnSync('npm', ['audit', '--json'], { cwd: root, encoding: 'utf8' });
const answer = auditSchema.safeParse(JSON.parse(audit.stdout || '{}'));
const total = answer.data?.metadata.vulnerabilities.total;
out(
  total === undefined ? 'npm audit: the registry gave no answer, nothing is known' : `npm audit: ${total} known faults`,
);
process.exit(run.length > 1 || (total ?? 0) > 0 ? 1 : 0);
