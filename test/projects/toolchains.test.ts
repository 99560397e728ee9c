/** What commands see of a person's tools, and which hosts they reach as registries. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { isRegistry } from '../../src/features/projects/commands/registries.ts';
import { findToolchains } from '../../src/features/projects/commands/toolchains.ts';
import { tempFolder } from '../helpers/temp.ts';

it('shows the programs on the PATH, and no secrets beside them', () => {
  const home = fs.realpathSync(tempFolder());
  for (const name of ['.nvm/versions/node/v24.1.0/bin', '.cargo/bin', '.rustup/toolchains', 'bin', '.ssh', 'elsewhere'])
    fs.mkdirSync(path.join(home, name), { recursive: true });
  fs.writeFileSync(path.join(home, '.cargo/credentials.toml'), 'token');
  fs.mkdirSync(path.join(home, '.bun'));
  fs.symlinkSync(path.join(home, '.ssh'), path.join(home, '.bun/bin'));
  const on = ['.nvm/versions/node/v24.1.0/bin', '.cargo/bin', 'bin', '.ssh', '.bun/bin', 'elsewhere'];
  const { mounts, programs, variables } = findToolchains(
    [...on.map((name) => path.join(home, name)), '/usr/bin'],
    home,
  );
  const shown = new Set(mounts.filter((word) => word.startsWith('/')).map((file) => path.relative(home, file)));
  expect([...shown]).toEqual(['.nvm/versions/node/v24.1.0', '.cargo/bin', '.rustup/toolchains']);
  expect(programs).toEqual([...on.slice(0, 2).map((name) => path.join(home, name)), '/usr/bin']);
  expect(variables).toEqual({ RUSTUP_HOME: path.join(home, '.rustup') });
});

it('knows registries by their whole names and ports', () => {
  for (const [host, port] of [
    ['registry.npmjs.org', 443],
    ['release-assets.githubusercontent.com', 443],
    ['deb.debian.org', 80],
  ] as const)
    expect(isRegistry(host, port), host).toBe(true);
  for (const [host, port] of [
    ['registry.npmjs.org', 80],
    ['registry.npmjs.org.example.com', 443],
    ['evilgithub.com', 443],
    ['githubusercontent.com', 443],
    ['127.0.0.1', 443],
    ['gist.github.com', 443],
  ] as const)
    expect(isRegistry(host, port), host).toBe(false);
});
