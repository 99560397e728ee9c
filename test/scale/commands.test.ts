/** Commands in the background where several gateway processes share a home. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasRedis, WITHOUT_REDIS } from '../helpers/redis.ts';
import { isSandboxed } from '../helpers/sandbox.ts';
import { tempFolder } from '../helpers/temp.ts';
import { ask, waitFor } from '../platforms/platform.ts';
import { openFleet } from './fleet.ts';

const call = (name: string, given: object) => ({ toolCalls: [{ name, arguments: { ...given } }] });

describe.skipIf(!hasRedis || !isSandboxed)(`a command in the background${WITHOUT_REDIS}`, () => {
  it('is shown and stopped by any process, and the task hears of one that ended with its process', async () => {
    const root = fs.realpathSync(tempFolder());
    fs.mkdirSync(path.join(root, 'shop/.git'), { recursive: true });
    const fleet = await openFleet({
      config: { projects: { roots: [root] }, limits: { freeBytes: 0, messagesPerMinute: 1000 } },
    });
    const [telegram] = fleet.platforms;
    if (!telegram) throw new Error('there is no platform');
    const dm = telegram.dm('alex');
    const command = `sleep 76543${process.pid}`;
    fleet.llm.script(({ toolResults, lastUser }) => {
      if (!/start/.test(lastUser)) return { text: 'Noted.' };
      const steps = [call('use_project', { project: 'shop' }), call('run_command', { command, background: true })];
      return steps[toolResults.length] ?? { text: `It runs: ${toolResults.at(-1)}` };
    });
    await fleet.start(['ingress', 'deliver']);
    const workers = [await fleet.start(['work'], { process: true })];
    const begin = async () => {
      telegram.say(dm, 'In shop, start it.');
      const asked = await waitFor(telegram, dm, { after: telegram.answers(dm).length, text: new RegExp(command) });
      const before = telegram.answers(dm).length;
      await telegram.press(dm, asked.buttons[0] ?? '');
      await waitFor(telegram, dm, { after: before, text: /It runs/ });
    };
    await begin();
    workers.push(await fleet.start(['work'], { process: true }));
    for (let n = 0; n < 4; n++)
      expect((await telegram.command(dm, 'status')).text).toContain(`in the background: ${command} (p1)`);
    for (let n = 0; n < 3; n++) await ask(telegram, dm, `And now, ${n}?`);
    expect(JSON.stringify(fleet.llm.requests().at(-1))).toContain(`p1 \`${command}\` is running`);
    expect((await telegram.command(dm, 'stop')).text).toContain('Stopped');
    expect(isRunning(command)).toBe(false);

    await begin();
    const [task = ''] = fs.readdirSync(path.join(fleet.home, 'artifacts'));
    const folder = path.join(fleet.home, 'artifacts', task);
    const pids = fs.readdirSync(folder).flatMap((name) => {
      if (!name.startsWith('processes-')) return [];
      const { pid, processes } = JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8'));
      return processes.some(({ hasEnded }: { hasEnded?: boolean }) => !hasEnded) ? [pid] : [];
    });
    expect(pids).toHaveLength(1);
    expect(isRunning(command)).toBe(true);
    await workers.find(({ child }) => child?.pid === pids[0])?.signal('SIGKILL');
    await expect.poll(() => isRunning(command)).toBe(false);
    await ask(telegram, dm, 'And after that?');
    expect(JSON.stringify(fleet.llm.requests().at(-1))).toMatch(/p\d `sleep \d+` ended when the gateway restarted/);
  });
});

function isRunning(command: string): boolean {
  return fs.readdirSync('/proc').some((pid) => {
    try {
      return (
        /^\d+$/.test(pid) && fs.readFileSync(`/proc/${pid}/cmdline`, 'latin1') === `${command.replace(' ', '\0')}\0`
      );
    } catch {
      return false;
    }
  });
}
