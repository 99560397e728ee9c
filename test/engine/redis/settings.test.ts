/** A server that would lose what it is given is refused, with the setting and what mends it. */
import { describe, expect, it } from 'vitest';
import { checkServer } from '../../../src/engine/redis/settings.ts';
import { ConfigError } from '../../../src/errors.ts';
import { freePort, hasCopies, hasRedis, startRedis, WITHOUT_REDIS } from '../../helpers/redis.ts';

async function problems(url: string, replicas = 0): Promise<string[]> {
  const error: unknown = await checkServer({ url, replicas }).catch((thrown: unknown) => thrown);
  if (!(error instanceof ConfigError)) return [];
  return error.problems.map(({ path, message }) => `${path}: ${message}`);
}

describe.skipIf(!hasRedis)(`a server of an engine${WITHOUT_REDIS}`, () => {
  it('is taken when it keeps what it is given', async () => {
    const { url, port } = await startRedis();
    expect(await checkServer({ url, replicas: 0 })).toEqual([
      expect.stringMatching(new RegExp(`^the server at 127.0.0.1:${port} \\(version 7`)),
    ]);
  });

  it('is refused for each setting by which it would lose something, with the command that mends it', async () => {
    const { url, port } = await startRedis(['--appendonly', 'no', '--maxmemory-policy', 'allkeys-lru']);
    const found = await problems(url);
    expect(found).toEqual([
      `engine.url: appendonly of the server at 127.0.0.1:${port} is no: what was accepted would be lost with the server; run "CONFIG SET appendonly yes" there, and put "appendonly yes" into its redis.conf`,
      expect.stringContaining('appendfsync of the server'),
      expect.stringContaining('run "CONFIG SET maxmemory-policy noeviction"'),
    ]);
    expect(found[1]).toContain('is everysec');
    expect(found[1]).toContain('CONFIG SET appendfsync always');
  });

  it.skipIf(hasCopies)('is refused when it has replicas to wait for and cannot', async () => {
    const { url } = await startRedis();
    expect(await problems(url, 1)).toEqual([
      expect.stringMatching(/^engine\.replicas: needs WAITAOF.* from version 7\.2/),
    ]);
  });

  it('is named without its password when it is not there, or does not let us in', async () => {
    const port = await freePort();
    const away = await problems(`redis://:s3cret-word@127.0.0.1:${port}`);
    expect(away).toEqual([
      expect.stringMatching(`^engine.url: the server at 127.0.0.1:${port} cannot be used: .*ECONNREFUSED`),
    ]);
    const { url } = await startRedis(['--requirepass', 'other-word', '--appendonly', 'yes', '--appendfsync', 'always']);
    const closed = await problems(url.replace('//', '//:s3cret-word@'));
    expect(closed).toEqual([expect.stringMatching(/cannot be used: .*(WRONGPASS|NOAUTH)/)]);
    expect([...away, ...closed].join()).not.toContain('s3cret-word');
    const open = url.replace('//', '//:other-word@');
    expect(await problems(open)).toEqual([]);
  });
});
