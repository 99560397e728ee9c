/** What is on its way, where it waits on a server, and in the spool that a home had before. */

import { expect, it } from 'vitest';
import { run } from '../../src/cli/queue.ts';
import { run as trace } from '../../src/cli/trace/trace.ts';
import { openSpool } from '../../src/engine/local/spool.ts';
import { openStore } from '../../src/engine/local/store.ts';
import { NO_OPTIONS } from '../helpers/cli.ts';
import { hasRedis, WITHOUT_REDIS } from '../helpers/redis.ts';
import type { Platform } from '../platforms/platform.ts';
import { openFleet } from './fleet.ts';

it.runIf(hasRedis)(
  `viber queue and trace tell what waits on a server, and what is left in the spool of before${WITHOUT_REDIS}`,
  async () => {
    const fleet = await openFleet();
    const [telegram] = fleet.platforms as [Platform];
    const queue = async (config: string) => {
      const lines: string[] = [];
      const context = { args: [], config, home: fleet.home, json: false, ...NO_OPTIONS, env: {} };
      expect(await run({ ...context, print: (line) => void lines.push(line) })).toBe(0);
      return lines;
    };
    fleet.llm.script(() => ({ text: 'never', delayMs: 60_000 }));
    const config = `${fleet.home}/config-1.json`;
    const one = await fleet.start(['ingress', 'work', 'deliver']);
    expect(await queue(config)).toEqual(['Nothing is waiting, and nothing was given up.']);
    telegram.say(telegram.dm('alex'), 'write the report');
    await fleet.llm.waitFor(({ lastUser }) => /report/.test(lastUser));
    telegram.say(telegram.dm('alex'), 'and another');
    await expect.poll(async () => (await queue(config)).length).toBe(2);
    expect((await queue(config)).join('\n')).toMatch(/in progress .*"write the report"/);
    const [row = ''] = (await queue(config)).filter((line) => line.includes('write the report'));
    const [id = ''] = /[0-9a-f]{12}/.exec(row) ?? [];
    const told: string[] = [];
    const context = { config, home: fleet.home, json: false, ...NO_OPTIONS, env: {} };
    await trace({ ...context, args: [id], print: (line) => void told.push(line) });
    expect(told.join('\n')).toMatch(/accepted +from telegram/);
    await fleet.redis.kill();
    await expect(queue(config)).rejects.toThrow(/^the server at 127\.0\.0\.1:\d+ cannot be asked/);
    await fleet.redis.start();
    await telegram.command(telegram.dm('alex'), 'stop');
    await telegram.command(telegram.dm('alex'), 'stop');
    await one.stop();

    // What came while the home was for one machine alone.
    const store = openStore({ root: `${fleet.home}/spool`, freeBytes: 0 });
    const spool = await openSpool<object>({ store, onDead: () => undefined });
    const by = { person: 'alex', isOwner: true };
    await spool.enqueue('task:1', { message: { text: 'of before' } }, { by, dedupeId: 'before' });
    await store.close();
    const two = await fleet.start(['ingress']);
    expect(two.logs.find(({ left }) => left === 1)?.msg).toContain('start once with that');
    const lines = await queue(config);
    expect(lines.join('\n')).toMatch(/waiting .*"of before"/);
    expect(lines.at(-1)).toBe(
      'Some of it waits in the spool of this home: a gateway with engine.kind local continues it.',
    );
  },
);
