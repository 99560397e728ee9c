/** A script, or a server of tools, that takes too much memory with all that it has started is ended, and nothing else is. */

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openStdio } from '../../src/features/mcp/stdio.ts';
import { scriptResultForModel } from '../../src/features/skills/tools/script.ts';
import { runScript } from '../../src/skills/script.ts';
import { IN_SANDBOX, isSandboxed } from '../helpers/sandbox.ts';
import { folder, processesWith, run, uniqueSleep } from './helpers.ts';

const onLinux = test.skipIf(process.platform !== 'linux');
const LIMIT = { memoryMb: 200, timeoutMs: 60_000 };

/** A process that holds so many megabytes until its `sleep` ends. */
const holding = (megabytes: number, sleep: string) =>
  `(head -c ${megabytes}000000 /dev/zero; sleep ${sleep}) | tail -c ${megabytes}000000 > /dev/null`;

for (const sandbox of [false, ...(isSandboxed ? [true] : [])]) {
  describe(`the memory of a script ${sandbox ? 'in' : 'without'} the sandbox`, () => {
    onLinux('ends it where its children take more than its limit together, each of them less', async () => {
      const unique = uniqueSleep();
      const text = `for i in 1 2 3 4 5 6; do ${holding(60, unique)} & done; wait`;
      const result = await run(text, { cwd: folder(), sandbox, ...LIMIT });
      expect(result).toMatchObject({ usedMemory: 'used more than 200 MB of memory', timedOut: false });
      expect(scriptResultForModel(result, 60_000)).toMatchObject({
        error: 'It used more than 200 MB of memory and was stopped; what it did before that may have taken effect.',
      });
      expect(processesWith(unique)).toEqual([]);
    });

    onLinux('counts those that leave their group, their parent and their environment', async () => {
      const unique = uniqueSleep();
      // Its parents end at once, so that it is never seen below them.
      const away = `setsid sh -c "setsid env -i sh -c '${holding(60, unique)}' &" > /dev/null 2>&1`;
      const text = `for i in 1 2 3 4 5 6; do ${away}; done; sleep ${unique}`;
      const result = await run(text, { cwd: folder(), sandbox, ...LIMIT });
      expect(result.usedMemory).toBe('used more than 200 MB of memory');
      expect(processesWith(unique)).toEqual([]);
    });

    onLinux('leaves one alone that stays below it', async () => {
      const text = `for i in 1 2 3; do ${holding(40, '1')} & done; wait; echo done`;
      expect(await run(text, { cwd: folder(), sandbox, ...LIMIT })).toMatchObject({ code: 0, stdout: 'done\n' });
    });

    onLinux('counts what forks share once', async () => {
      const text =
        'x=$(head -c 60000000 /dev/zero | tr "\\0" x); for i in 1 2 3 4 5 6 7 8; do (sleep 1; true) & done; wait; echo done';
      const script = { shell: 'bash' as const, text };
      const result = await runScript({ script, variables: {}, cwd: folder(), sandbox, memoryMb: 400 });
      expect(result).toMatchObject({ code: 0, stdout: 'done\n' });
    });
  });
}

describe(`files in memory ${IN_SANDBOX}`, () => {
  test.skipIf(!isSandboxed)('count', async () => {
    const text = 'head -c 150000000 /dev/zero > /tmp/a; head -c 100000000 /dev/zero > /dev/shm/b; sleep 60';
    const result = await run(text, { cwd: folder(), ...LIMIT });
    expect(result.usedMemory).toBe('used more than 200 MB of memory');
  });

  test.skipIf(!isSandboxed)('without a single byte count too', async () => {
    const text = 'for i in $(seq 100); do mkdir /tmp/$i; cd /tmp/$i; touch $(seq 1000); done; sleep 60';
    const result = await run(text, { cwd: folder(), ...LIMIT, memoryMb: 60 });
    expect(result.usedMemory).toBe('used more than 60 MB of memory');
  });

  test.skipIf(!isSandboxed).each(
    // biome-ignore format: a row is a line
    [
      ['files in memory without a name', 'fds=[os.memfd_create(str(n)) for n in range(5)]\nfor fd in fds:\n for n in range(60): os.write(fd,b"x"*1000000)'],
      ['files in memory of its children', 'for n in range(5):\n if os.fork()==0:\n  fd=os.memfd_create("")\n  for n in range(60): os.write(fd,b"x"*1000000)\n  break'],
      [
        'full sockets',
        'kept=[]\nfor n in range(400):\n one=socket.socketpair()\n one[0].setblocking(False)\n kept.append(one)\n try:\n  while True: one[0].send(b"x"*65536)\n except BlockingIOError: pass',
      ],
    ],
  )('count, and %s', async (_what, code) => {
    // It lives for longer than the test.
    const text = `exec python3 -c 'import os,socket,time\n${code}\ntime.sleep(60)'`;
    const result = await run(text, { cwd: folder(), ...LIMIT });
    expect(result.usedMemory).toBe('used more than 200 MB of memory');
  });

  test.skipIf(!isSandboxed)(
    'are none that a script mounts itself: it has no name space in which it could',
    async () => {
      const result = await run('set +e; unshare -U echo made; unshare -Urm echo made; echo end', { cwd: folder() });
      expect(result.stdout).toBe('end\n');
    },
  );
});

describe('the memory of a server of tools', () => {
  onLinux(
    'ends it where all its processes take more than its limit together, and it goes first when memory is short',
    async () => {
      const unique = uniqueSleep();
      const cwd = folder();
      const text = `cat /proc/self/oom_score_adj > ${path.join(cwd, 'score')}; read line; for i in 1 2 3 4 5 6; do ${holding(60, unique)} & done; wait`;
      const ended = Promise.withResolvers<Error>();
      const server = await openStdio({
        ...{ command: '/bin/sh', args: ['-c', `sleep 0.2; ${text}`], env: {}, memoryMb: 200 },
        onNote: () => undefined,
        onEnd: ended.resolve,
      });
      onTestFinished(() => server.close());
      await server.start();
      await server.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
      expect((await ended.promise).message).toBe('it used more than 200 MB of memory and was stopped');
      await expect.poll(() => processesWith(unique)).toEqual([]);
      expect(existsSync(path.join(cwd, 'score')) && readFileSync(path.join(cwd, 'score'), 'utf8')).toBe('1000\n');
    },
  );
});
