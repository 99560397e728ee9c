/** What is shipped of others and what is installed to build it, against the lock: hashes, licences, scripts that run at an install. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin, type RolldownOptions } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import board from '../rolldown.board.config.ts';
import program from '../rolldown.config.ts';
import { type Bom, isAllowed, licenceOf, lockedIn, packageOf, pathOf } from '../rolldown.licences.ts';
import { tempFolder } from './helpers/temp.ts';

const root = join(import.meta.dirname, '..');
const lock = lockedIn(root);

describe('the lock', () => {
  test('installs nothing that runs a script', () => {
    expect([...lock].filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([]);
  });

  test('has a hash of each package, and a licence that is allowed', () => {
    expect(lock.size).toBeGreaterThan(300);
    expect([...lock].filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
    const others = [...lock].filter(([at, locked]) => !isAllowed(licenceOf(at, locked)));
    expect(others.map(([at, { license }]) => [at, license])).toEqual([]);
  });

  test.each(['GPL-3.0-only', 'AGPL-3.0', 'SSPL-1.0', 'BUSL-1.1', 'CC-BY-NC-4.0', 'UNLICENSED', '', 'MIT AND GPL-2.0'])(
    'is refused with %j',
    (licence) => expect(isAllowed(licence)).toBe(false),
  );
});

describe('the build', () => {
  const dist = join(tempFolder(afterAll), 'dist');
  /** Every package with a module in it. */
  const taken = new Set<string>();
  const note: Plugin = {
    name: 'note',
    writeBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
      for (const at of modules.flatMap((file) => packageOf(file, root) ?? [])) taken.add(at);
    },
  };
  const make = async (options: RolldownOptions, dir: string) => {
    await build({ ...options, plugins: [options.plugins, note], output: { ...options.output, dir } });
  };
  let bom: Bom;
  let texts = '';

  beforeAll(async () => {
    for (const part of program) await make(part, dist);
    await make(board, join(dist, 'board'));
    bom = JSON.parse(readFileSync(join(dist, 'sbom.cdx.json'), 'utf8'));
    texts = readFileSync(join(dist, 'LICENSES.txt'), 'utf8');
  });

  test('lists each package that it takes in, of program and page, and no other', () => {
    expect(taken.size).toBeGreaterThan(100);
    // Their files stand beside the program.
    for (const asset of ['@resvg/resvg-wasm', 'dejavu-fonts-ttf']) taken.add(`node_modules/${asset}`);
    const installed = [...lock].flatMap(([at, { dev }]) => (dev ? [] : at));
    expect(bom.components.map(pathOf)).toEqual([...new Set([...taken, ...installed])].sort());
    expect(readdirSync(join(dist, 'board'))).not.toContain('LICENSES.txt');
  });

  test('gives each the version and the hash of the lock, and its licence in full', () => {
    for (const component of bom.components) {
      const at = pathOf(component);
      const locked = lock.get(at);
      expect(component.version, at).toBe(locked?.version);
      const [hash] = component.hashes;
      expect(`sha512-${Buffer.from(hash?.content ?? '', 'hex').toString('base64')}`, at).toBe(locked?.integrity);
      const name = component.group ? `${component.group}/${component.name}` : component.name;
      expect(texts.includes(`${name} ${component.version} (`), name).toBe(true);
    }
  });

  test('is of the form that readers of CycloneDX take: each reference leads somewhere', () => {
    expect(bom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 });
    const refs = bom.components.map((component) => component['bom-ref']);
    expect(new Set(refs).size).toBe(refs.length);
    const asked = bom.dependencies.flatMap(({ dependsOn }) => dependsOn);
    expect(asked.filter((ref) => !refs.includes(ref))).toEqual([]);
    expect(bom.dependencies.map(({ ref }) => ref).slice(1)).toEqual(refs);
  });

  test('is the same however often it is made', async () => {
    await make(board, join(dist, 'board'));
    expect(JSON.parse(readFileSync(join(dist, 'sbom.cdx.json'), 'utf8'))).toEqual(bom);
  });
});
