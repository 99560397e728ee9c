/**
 * What is shipped of others, as their licences and those who look for known faults ask: each build adds the packages it has taken in
 * to `LICENSES.txt` and to `sbom.cdx.json` (CycloneDX 1.6), and refuses one whose licence is not known here. Versions and hashes are the lock's.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Plugin } from 'rolldown';
import { ASSETS, installedAsset } from './src/lib/asset.ts';

interface Manifest {
  name?: string;
  version?: string;
  license?: string;
  homepage?: string;
  repository?: string | { url: string };
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}
export const manifestIn = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

export interface Locked {
  version: string;
  integrity?: string;
  license?: string;
  dev?: boolean;
  hasInstallScript?: boolean;
  link?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

/** By the path of each package, as the lock names them: `node_modules/a/node_modules/b`. */
export function lockedIn(root: string): ReadonlyMap<string, Locked> {
  const { packages }: { packages: Record<string, Locked> } = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  );
  // The others are our own: the program, and what a checkout installs.
  return new Map(Object.entries(packages).filter(([at, { link }]) => at.startsWith('node_modules/') && !link));
}

/** What may be shipped: no licence that asks the program around it to be given away, or that forbids a use. */
const ALLOWED: ReadonlySet<string> = new Set([
  ...[
    'MIT',
    'ISC',
    '0BSD',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'Apache-2.0',
    'BlueOak-1.0.0',
    'Zlib',
    'Unlicense',
    'CC0-1.0',
  ],
  // Asks for the source of its own files alone, which are shipped as they are.
  'MPL-2.0',
]);
/** Packages whose manifest says it in words of its own, read by hand. */
const READ: Readonly<Record<string, string>> = {
  'dejavu-fonts-ttf': 'LicenseRef-Bitstream-Vera',
  // Names no number of clauses; its text has two.
  duck: 'BSD-2-Clause',
};

/** As SPDX has it; '' when nothing is said. */
export const licenceOf = (at: string, { license = '' }: Locked): string => READ[nameAt(at)] ?? license;

/** Of alternatives one is enough; of what holds together all must be allowed. */
export function isAllowed(licence: string): boolean {
  if (Object.values(READ).includes(licence)) return true;
  const alternatives = licence.replace(/^\((.*)\)$/, '$1').split(' OR ');
  return alternatives.some((one) => one.split(' AND ').every((id) => ALLOWED.has(id)));
}

const nameAt = (at: string): string => at.slice(at.lastIndexOf('node_modules/') + 'node_modules/'.length);
const purl = (at: string, { version }: Locked): string => `pkg:npm/${nameAt(at).replace('@', '%40')}@${version}`;
const PATH = 'cdx:npm:package:path';

export interface Component {
  'bom-ref': string;
  name: string;
  group?: string;
  version: string;
  licenses: { license?: { id?: string; name?: string }; expression?: string }[];
  hashes: { alg: string; content: string }[];
  properties: { name: string; value: string }[];
}
export interface Bom {
  bomFormat: string;
  specVersion: string;
  version: number;
  metadata: object;
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}
export const pathOf = ({ properties }: Component): string => properties.find(({ name }) => name === PATH)?.value ?? '';

function component(at: string, locked: Locked): Component {
  const [name = '', group] = nameAt(at).split('/').reverse();
  const licence = licenceOf(at, locked);
  const kind = licence.startsWith('LicenseRef-') ? { name: licence } : { id: licence };
  const isExpression = / (OR|AND) /.test(licence);
  return {
    ...{ type: 'library', 'bom-ref': `${purl(at, locked)}#${at}`, name, ...(group ? { group } : {}) },
    ...{ version: locked.version, purl: purl(at, locked) },
    licenses: [isExpression ? { expression: licence } : { license: kind }],
    hashes: [
      {
        alg: 'SHA-512',
        content: Buffer.from(locked.integrity?.slice('sha512-'.length) ?? '', 'base64').toString('hex'),
      },
    ],
    properties: [{ name: PATH, value: at }],
  };
}

/** Where Node finds a package that another asks for: beside it or in a folder above. */
function found(from: string, name: string, lock: ReadonlyMap<string, Locked>): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const at = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (lock.has(at)) return at;
    if (folder === '') return undefined;
  }
}

/** The same for the same packages: it has no date and no number of its own. */
function bomOf(paths: readonly string[], lock: ReadonlyMap<string, Locked>, root: string): Bom {
  const { name, version, dependencies, devDependencies } = manifestIn(root);
  const lockedAt = (at: string): Locked => {
    const locked = lock.get(at);
    if (!locked?.integrity?.startsWith('sha512-')) throw new Error(`${at} is not in the lock, or without a hash`);
    return locked;
  };
  const refs = new Map(paths.map((at) => [at, `${purl(at, lockedAt(at))}#${at}`]));
  const refsOf = (from: string, asked: object) =>
    [...new Set(Object.keys(asked).flatMap((name) => refs.get(found(from, name, lock) ?? '') ?? []))].sort();
  const dependsOn = (at: string) => {
    const locked = lockedAt(at);
    return refsOf(at, { ...locked.dependencies, ...locked.optionalDependencies, ...locked.peerDependencies });
  };
  const own = `pkg:npm/${name}@${version}`;
  const top = { type: 'application', 'bom-ref': own, name, version, purl: own };
  return {
    ...{ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata: { component: top } },
    components: paths.map((at) => component(at, lockedAt(at))),
    dependencies: [
      { ref: own, dependsOn: refsOf('', { ...dependencies, ...devDependencies }) },
      ...paths.map((at) => ({ ref: refs.get(at) ?? '', dependsOn: dependsOn(at) })),
    ],
  };
}

/** @param into where the two files stand, seen from the output: a second build adds to those of the first */
export const licences = (into = '.'): Plugin => ({
  name: 'licences',
  writeBundle({ dir = 'dist' }, bundle) {
    const root = import.meta.dirname;
    const lock = lockedIn(root);
    const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
    const files = [...chunks.flatMap(({ moduleIds }) => moduleIds), ...ASSETS.map(installedAsset)];
    const sbom = join(dir, into, 'sbom.cdx.json');
    const before: Bom | undefined = existsSync(sbom) ? JSON.parse(readFileSync(sbom, 'utf8')) : undefined;
    const paths = new Set([
      ...files.flatMap((file) => packageOf(file, root) ?? []),
      ...(before?.components.map(pathOf) ?? []),
      // What the build cannot take in is installed beside the program.
      ...[...lock].flatMap(([at, { dev }]) => (dev ? [] : at)),
    ]);
    const refused = [...paths].filter((at) => !isAllowed(licenceOf(at, lock.get(at) ?? { version: '' })));
    if (refused.length > 0) throw new Error(`their licences may not be shipped: ${refused.join(', ')}`);
    const sorted = [...paths].sort();
    writeFileSync(sbom, `${JSON.stringify(bomOf(sorted, lock, root), null, 1)}\n`);
    const texts = new Map(sorted.map((at) => [titleOf(join(root, at)), textsIn(join(root, at))]));
    const sections = [...texts].sort(([a], [b]) => a.localeCompare(b)).map(([title, text]) => `${title}\n\n${text}`);
    writeFileSync(join(dir, into, 'LICENSES.txt'), `${sections.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`);
  },
});

/** The package that a module belongs to, as the lock names it. */
export function packageOf(file: string, root: string): string | undefined {
  const inside = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file.replaceAll('\\', '/'))?.[1];
  return inside === undefined ? undefined : relative(root, resolve(inside)).replaceAll('\\', '/');
}

const titleOf = (folder: string): string => {
  const { name, version, license } = manifestIn(folder);
  return `${name} ${version} (${license ?? 'see below'})`;
};

/** Its own text; of a package of a monorepo that has none, that of a sibling, else what its manifest says. A notice comes with it. */
function textsIn(folder: string): string {
  const notice = textIn(folder, /^notice([.-].+)?$/i);
  return [licenceIn(folder), ...(notice === undefined ? [] : [notice])].join('\n\n');
}

function licenceIn(folder: string): string {
  const own = textIn(folder);
  if (own !== undefined) return own;
  const siblings = basename(dirname(folder)).startsWith('@') ? readdirSync(dirname(folder)) : [];
  for (const sibling of siblings) {
    const text = textIn(join(dirname(folder), sibling));
    if (text !== undefined) return text;
  }
  const { license, homepage, repository } = manifestIn(folder);
  const source = homepage ?? (typeof repository === 'object' ? repository.url : repository);
  return `Licensed under ${license ?? 'terms its manifest does not name'}; the package brings no text. Source: ${source ?? 'see its page at npm'}`;
}

function textIn(folder: string, called = /^(licen[cs]e|copying)([.-].+)?$/i): string | undefined {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const name = names.find((candidate) => called.test(candidate));
  return name === undefined ? undefined : readFileSync(join(folder, name), 'utf8').trim();
}
