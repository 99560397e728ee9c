/** Hostile commands of a project, told from a chat and run in a real sandbox: what they end, reach, read and leave. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { IN_SANDBOX, isSandboxed } from '../helpers/sandbox.ts';
import { tempFolder } from '../helpers/temp.ts';
import { openChat } from '../kit/kit.ts';
import { ask, waitFor } from '../platforms/platform.ts';

const call = (name: string, given: object) => ({ toolCalls: [{ name, arguments: { ...given } }] });

/** A project whose scripts are the attacks. */
async function open(scripts: Record<string, string>) {
  const root = fs.realpathSync(tempFolder());
  const shop = path.join(root, 'projects', 'shop');
  fs.mkdirSync(shop, { recursive: true });
  fs.writeFileSync(path.join(shop, 'package.json'), '{"name":"shop"}');
  for (const [name, text] of Object.entries(scripts)) fs.writeFileSync(path.join(shop, name), text);
  const {
    world,
    platform: telegram,
    dm,
  } = await openChat(
    {
      channel: { live: 'off', injection: 'followup' },
      config: { projects: { roots: [path.join(root, 'projects')] } },
    },
    'telegram',
  );
  const run = (command: string, given: object = {}) => call('run_command', { command, ...given });
  /** Lets a scripted model do these; one press allows all commands. Returns what it got of each. */
  async function attack(steps: ReturnType<typeof call>[]): Promise<string[]> {
    let results: string[] = [];
    const all = [call('use_project', { project: 'shop' }), ...steps];
    world.llm.script(({ toolResults, lastUser }) => {
      if (lastUser.includes('there')) return { text: 'Still here.' };
      results = toolResults;
      return all[toolResults.length] ?? { text: 'That was all.' };
    });
    telegram.say(dm, 'In shop, run it.');
    const asked = await waitFor(telegram, dm, { text: /Run/ });
    const before = telegram.answers(dm).length;
    await telegram.press(dm, 'All commands in shop');
    expect(asked.buttons).toContain('All commands in shop');
    await waitFor(telegram, dm, { after: before, text: /That was all/, timeoutMs: 240_000 });
    return results.slice(1);
  }
  return { world, telegram, dm, run, attack };
}

describe.skipIf(!isSandboxed)(`a hostile command ${IN_SANDBOX}`, () => {
  it('that takes all memory, or starts processes without end, ends alone', { timeout: 300_000 }, async () => {
    const { telegram, dm, run, attack } = await open({
      'memory.sh': `for i in 1 2 3 4; do (head -c 1500000000 /dev/zero; sleep 600) | tail -c 1500000000 >/dev/null & done; wait`,
      'forks.sh': 'f() { f | f & }; f; sleep 600',
      'forks-away.sh': 'f() { setsid env -i bash -c "$(declare -f f); f" & f & sleep 600; }; f',
    });
    const [memory, forks, away] = await attack([
      run('bash memory.sh'),
      run('bash forks.sh'),
      run('bash forks-away.sh'),
    ]);
    expect(memory).toMatch(/used more than [\d,]+ MB of memory and was ended/);
    for (const result of [forks, away]) expect(result).toMatch(/ran more than 768 processes at once and was ended/);
    expect((await ask(telegram, dm, 'Are you there?')).text).toContain('Still here.');
  });

  it('that writes 50 MB is shown by its beginning and end, and kept within a limit', async () => {
    const { world, run, attack } = await open({
      'much.sh': 'echo first; head -c 50000000 /dev/zero | tr "\\0" x | fold -w 1000; echo last',
    });
    const [result = ''] = await attack([run('bash much.sh')]);
    expect(result.length).toBeLessThan(25_000);
    expect(result).toMatch(/"exit":0.*first.*characters left out.*last/s);
    const [, whole = ''] = /"whole":"([^"]+)"/.exec(result) ?? [];
    const [task = ''] = world.tasks();
    const kept = fs
      .readdirSync(path.join(world.home, 'artifacts', task), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.includes(whole) && file.endsWith('.txt'))
      .map((file) => fs.statSync(path.join(world.home, 'artifacts', task, file)).size);
    expect(kept).toEqual([expect.any(Number)]);
    expect(kept[0]).toBeGreaterThan(4_000_000);
    expect(kept[0]).toBeLessThan(9_000_000);
  });

  it('reaches no process, no secret, no terminal and no socket of this machine', async () => {
    const name = `viber-test-${process.pid}`;
    const server = net.createServer((socket) => socket.end('reached'));
    await new Promise<void>((resolve) => server.listen(`\0${name}`, resolve));
    onTestFinished(() => void server.close());
    process.env.SHOP_TEST_TOKEN = 'token-of-the-gateway';
    onTestFinished(() => void Reflect.deleteProperty(process.env, 'SHOP_TEST_TOKEN'));
    const { run, attack } = await open({
      'socket.js': `require('net').connect({ path: '\\0${name}' }).on('data', (d) => console.log(String(d))).on('error', (e) => console.log('no socket', e.code));`,
      'processes.sh': `for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline; echo; cat $p/environ | tr '\\0' '\\n'; done; kill -9 ${process.pid} ${process.ppid}; kill -CONT -1; cat /proc/${process.pid}/environ; env; echo checked`,
      'terminal.sh': 'echo typed > /dev/tty; ls /dev/pts /dev/console; echo checked',
      'setuid.sh':
        'grep NoNewPrivs /proc/self/status; su -c id; sudo -n id; mount -t tmpfs none /mnt; unshare -U true && echo made; mknod disk b 8 0; echo checked',
      'stubborn.sh': `trap '' TERM INT HUP; sleep 1 & while :; do wait; sleep 600 & done`,
    });
    const [socket, processes, terminal, setuid] = await attack([
      run('node socket.js'),
      run('bash processes.sh'),
      run('bash terminal.sh'),
      run('bash setuid.sh'),
    ]);
    expect(socket).toContain('no socket ECONNREFUSED');
    expect(processes).toContain('checked');
    expect(processes).not.toMatch(/token-of-the-gateway|vitest|TELEGRAM|API_KEY/i);
    expect(terminal).toMatch(/\/dev\/tty: No such device or address.*checked/s);
    expect(setuid).toMatch(/NoNewPrivs:\\t1.*checked/s);
    expect(setuid).not.toMatch(/uid=|made/);
  });

  it('that ignores signals, or leaves others behind, ends with /stop', async () => {
    const { telegram, dm, run, attack } = await open({
      'stubborn.sh': `trap '' TERM INT HUP; setsid env -i sleep 7654311 & echo started; while :; do sleep 7654312; done`,
    });
    const [started] = await attack([run('bash stubborn.sh', { background: true })]);
    expect(started).toContain('"id":"p1"');
    expect(running('7654311')).toHaveLength(1);
    expect((await telegram.command(dm, 'stop')).text).toContain('Stopped');
    expect([...running('7654311'), ...running('7654312')]).toEqual([]);
  });
});

function running(text: string): string[] {
  return execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(`sleep ${text}`) && !line.includes('bash'));
}
