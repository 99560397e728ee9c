/** The worst cells of the table that `npm run damage` prints: people are answered, and somebody is told. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isOwnName } from '../src/workspace/home.ts';
import { type FileKind, runCase } from './damage/case.ts';
import { DAMAGES } from './damage/damages.ts';
import { kindsOf } from './damage/kinds.ts';
import { fillHome } from './damage/rich-home.ts';
import { type DamageWorld, openDamageWorld } from './damage/world.ts';
import { tempFolder } from './helpers/temp.ts';

const root = tempFolder(afterAll);
const template = path.join(root, 'template');
let world: DamageWorld;
let kinds: FileKind[] = [];

beforeAll(async () => {
  world = await openDamageWorld(template);
  await fillHome(world);
  kinds = kindsOf(template);
});
afterAll(() => world.close());

test('a home that was used has no name at its top that isn’t known to be of the gateway', () => {
  expect(fs.readdirSync(template).filter((name) => !isOwnName(name))).toEqual([]);
});

test.each([
  ['run/lock.sqlite', 'zeroed', 'said'],
  ['run/lock.sqlite', 'pipe', 'refused'],
  ['access/paired.json', 'twisted', 'said'],
  ['access/links.json', 'folder', 'said'],
  ['access/approvals', 'twisted', 'said'],
  ['conversations', 'twisted', 'said'],
  ['task.json', 'cut', 'said'],
  ['session', 'folder', 'said'],
  ['spool/log', 'cut', 'said'],
  ['spool/ledger', 'folder', 'said'],
  ['cache/cache.sqlite', 'cut', 'said'],
])('%s (%s): %s', async (name, damageName, verdict) => {
  const kind = kinds.find((each) => each.name === name);
  const damage = DAMAGES.find((each) => each.name === damageName);
  if (!kind || !damage) throw new Error(`there is no ${name} or no damage ${damageName}`);
  const home = path.join(root, `${name}-${damageName}`.replace(/\W+/g, '-'));
  fs.cpSync(template, home, { recursive: true, verbatimSymlinks: true });
  world.use(home);
  const result = await runCase(world, kind, damage);
  expect(result, result.detail).toMatchObject({ verdict });
});
