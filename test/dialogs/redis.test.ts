/** A whole gateway on the engine of several machines: the same dialogue, and one that goes on in another process's place. */
import { describe, expect, it } from 'vitest';
import { hasRedis, startRedis, WITHOUT_REDIS } from '../helpers/redis.ts';
import { openWorld } from './harness.ts';

describe.skipIf(!hasRedis)(`a message on Telegram, with a server as the engine${WITHOUT_REDIS}`, () => {
  it('is worked on with a tool and answered, and goes on after a restart', async () => {
    const { url } = await startRedis();
    const world = await openWorld({ config: { engine: { kind: 'redis', url } } });
    world.llm.script(({ toolResults, lastUser }) => {
      if (lastUser.includes('again')) return { text: 'It is still here.' };
      if (toolResults.length > 0) return { text: 'Here is the report.' };
      const file = { title: 'report.md', type: 'text/markdown', content: 'Sales went up 4%.' };
      return { toolCalls: [{ name: 'create_artifact', arguments: file }] };
    });
    const reply = await world.ask('write the report');
    expect(reply.text).toBe('Here is the report.');
    expect(world.telegram.bytes(reply.files[0]?.fileId ?? '').toString()).toBe('Sales went up 4%.');
    await world.restart();
    expect((await world.ask('again please')).text).toBe('It is still here.');
    expect((await world.ask('/status')).text).toContain('write the report');
    await expect.poll(() => world.app.readiness()).toMatchObject({ ready: true, waiting: 0 });
    expect(world.logs.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });

  it('is not acknowledged while the server is away, and answered once it is back', async () => {
    const server = await startRedis();
    const world = await openWorld({ config: { engine: { kind: 'redis', url: server.url } }, offline: true });
    await world.ask('make a plan: collect numbers; write the report');
    await server.kill();
    const told = world.ask('done 1');
    await expect
      .poll(async () => (await world.app.readiness()).engine)
      .toEqual({
        ok: false,
        detail: `the server at 127.0.0.1:${server.port} does not answer`,
      });
    expect((await world.app.readiness()).ready).toBe(false);
    await server.start();
    expect((await told).text).toContain('collect numbers');
    await expect.poll(async () => (await world.app.readiness()).ready).toBe(true);
  });
});
