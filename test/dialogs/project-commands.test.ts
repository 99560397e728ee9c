/** Commands in a project, told from a chat: seen, stopped, and cut off by a killed gateway. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { IN_SANDBOX, isSandboxed } from '../helpers/sandbox.ts';
import { tempFolder } from '../helpers/temp.ts';
import { openChat, press } from '../kit/kit.ts';
import { ask, waitFor } from '../platforms/platform.ts';
import type { PlatformWorldOptions } from '../platforms/world.ts';

const call = (name: string, given: object) => ({ toolCalls: [{ name, arguments: { ...given } }] });

async function open(options: PlatformWorldOptions = {}, test = 'node --test') {
  const root = fs.realpathSync(tempFolder());
  const shop = path.join(root, 'shop');
  fs.mkdirSync(shop);
  const manifest = { name: 'shop', scripts: { test } };
  fs.writeFileSync(path.join(shop, 'package.json'), JSON.stringify(manifest));
  fs.writeFileSync(path.join(shop, 'sum.test.js'), "require('node:test')('adds up', () => undefined);\n");
  const { world, platform: telegram } = await openChat(
    {
      channel: { live: 'off', injection: 'followup' },
      ...options,
      config: { projects: { roots: [root] } },
    },
    'telegram',
  );
  return { world, shop, telegram, dm: telegram.dm('alex') };
}

/** Whether a process runs whose arguments contain this. */
const isRunning = (text: string): boolean =>
  fs.readdirSync('/proc').some((pid) => /^\d+$/.test(pid) && argumentsOf(pid).includes(text));

function argumentsOf(pid: string): string {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

describe.skipIf(!isSandboxed)(`a command ${IN_SANDBOX}`, () => {
  it('runs the tests of the project after a yes, and its output comes back', async () => {
    const { world, telegram, dm } = await open();
    const steps = [call('use_project', { project: 'shop' }), call('run_command', { command: 'npm test' })];
    world.llm.script(({ toolResults }) => steps[toolResults.length] ?? { text: `I got ${toolResults.at(-1)}` });
    telegram.say(dm, 'In shop, run the tests.');
    const asked = await waitFor(telegram, dm, { text: /npm test/ });
    const { text } = await press(telegram, dm, asked.buttons[0] ?? '', /I got/);
    expect(text).toMatch(/"exit":0/);
    expect(text).toContain('pass 1');
  });

  it('serves in the background until /stop, which /status shows', async () => {
    const { world, telegram, dm } = await open();
    const steps = [
      call('use_project', { project: 'shop' }),
      call('run_command', { command: 'sleep 7654321', background: true }),
    ];
    world.llm.script(({ toolResults, lastUser }) => {
      if (!lastUser.includes('shop')) return { text: `Here it says ${lastUser}` };
      return steps[toolResults.length] ?? { text: 'It runs.' };
    });
    telegram.say(dm, 'In shop, start it.');
    const asked = await waitFor(telegram, dm, { text: /sleep 7654321/ });
    await press(telegram, dm, asked.buttons[0] ?? '', /It runs/);
    expect(isRunning('sleep\x007654321')).toBe(true);
    expect((await telegram.command(dm, 'status')).text).toContain('in the background: sleep 7654321 (p1)');
    await ask(telegram, dm, 'And now?');
    expect(JSON.stringify(world.llm.requests().at(-1))).toContain('p1 `sleep 7654321` is running');
    expect((await telegram.command(dm, 'stop')).text).toContain('Stopped');
    expect(isRunning('sleep\x007654321')).toBe(false);
  });

  it('ends with a gateway that is killed, isn’t run again, and the model hears that it was cut', async () => {
    const { world, telegram, dm, shop } = await open({ process: true }, 'echo run >> runs.txt; sleep 7654322');
    const steps = [call('use_project', { project: 'shop' }), call('run_command', { command: 'npm test' })];
    world.llm.script(({ toolResults }) => steps[toolResults.length] ?? { text: `I got ${toolResults.at(-1)}` });
    telegram.say(dm, 'In shop, run the tests.');
    const asked = await waitFor(telegram, dm, { text: /npm test/ });
    const before = telegram.answers(dm).length;
    await telegram.press(dm, asked.buttons[0] ?? '');
    await eventually(() => expect(isRunning('sleep\x007654322')).toBe(true));
    await world.kill();
    await eventually(() => expect(isRunning('sleep\x007654322')).toBe(false));
    const { text } = await waitFor(telegram, dm, { after: before, text: /I got/ });
    expect(text).toContain('The gateway restarted while this command ran');
    expect(JSON.stringify(world.llm.requests().at(-1))).toContain('p1 `npm test` ended when the gateway restarted');
    expect(fs.readFileSync(path.join(shop, 'runs.txt'), 'utf8')).toBe('run\n');
  });
});
