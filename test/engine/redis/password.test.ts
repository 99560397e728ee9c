/** A server that scripts can reach must ask for a password; else a script could take the place of a gateway there. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { scriptsReach } from '../../../src/skills/script-proxy.ts';
import { PROGRAM } from '../../helpers/program.ts';
import { hasRedis, SAFE, startRedis, WITHOUT_REDIS } from '../../helpers/redis.ts';
import { isSandboxed } from '../../helpers/sandbox.ts';
import { tempFolder } from '../../helpers/temp.ts';

/** Where the PATH names no sandbox there is none. */
async function program(command: string, url: string) {
  const home = tempFolder();
  const config = `model: offline/viber\nengine: { kind: redis, url: "${url}" }\n`;
  writeFileSync(path.join(home, 'config.yaml'), config, { mode: 0o600 });
  const child = spawn(process.execPath, [PROGRAM, command, '--home', home], {
    env: { PATH: tempFolder(), HOME: home },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

const PROTECTED = [...SAFE, '--requirepass', 's3cret-word'];
const OPEN = /engine\.url: the server at 127\.0\.0\.1:\d+ accepts connections without a password/;

describe.skipIf(!hasRedis)(`a server that scripts reach${WITHOUT_REDIS}`, () => {
  it.each([
    ['no password in our address', ''],
    ['a password in our address that it never asks for', 'default:never-asked@'],
  ])('is refused at the start and by the doctor: %s', async (_what, credentials) => {
    const { url } = await startRedis();
    for (const command of ['start', 'doctor']) {
      const child = await program(command, url.replace('//', `//${credentials}`));
      const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
      expect((out + err).replaceAll(/\s+/g, ' '), command).toMatch(OPEN);
      expect(child.exitCode ?? (await once(child, 'exit'))[0], command).not.toBe(0);
      expect(out + err).not.toContain('never-asked');
    }
  });

  it('is taken when it asks for one', async () => {
    const { url } = await startRedis(PROTECTED);
    const child = await program('doctor', url.replace('//', '//:s3cret-word@'));
    const said = (await text(child.stdout)).replaceAll(/\s+/g, ' ');
    expect(said).toMatch(/the server at 127\.0\.0\.1:\d+ \(version [\d.]+\) keeps its data safely/);
    expect(said).not.toMatch(OPEN);
  });
});

describe('a host', () => {
  it.skipIf(!isSandboxed).each([
    ['127.0.0.1', false],
    ['10.1.2.3', false],
    ['[fd00::1]', false],
    ['redis.internal', false],
    ['1.1.1.1', true],
    ['[2606:4700::1111]', true],
    ['redis.example', true],
    ['both.example', true],
    ['nowhere.example', true],
  ])('is reached from the sandbox where it is public: %s %s', async (host, isReached) => {
    const names: Record<string, string[]> = {
      'redis.internal': ['192.168.1.2'],
      'redis.example': ['8.8.8.8'],
      'both.example': ['10.0.0.1', '8.8.8.8'],
    };
    const resolve = async (name: string) => {
      const addresses = names[name];
      if (!addresses) throw new Error('not found');
      return addresses.map((address) => ({ address, family: 4 }));
    };
    expect(await scriptsReach(host, resolve)).toBe(isReached);
  });
});
