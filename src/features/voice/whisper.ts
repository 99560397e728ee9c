/**
 * Transcribes recordings with a program on this machine, from its standard output. Runs it without a shell, with
 * limited time and output.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { UserError } from '../../errors.ts';
import { Unreadable } from '../../runtime/contract/reading.ts';
import { runProcess } from '../../skills/run-process.ts';
import type { Transcriber } from './transcription.ts';

const FILE = '{file}';
const TIMEOUT_MS = 300_000;
const MAX_OUTPUT = 1_000_000;
/** The environment variables for the program. None of them is a key. */
const PASSED = ['PATH', 'HOME', 'LANG', 'TZ', 'LD_LIBRARY_PATH', 'CUDA_VISIBLE_DEVICES', 'OMP_NUM_THREADS'] as const;

/**
 * @param command the program and its arguments. `{file}` in them stands for the recording, which otherwise comes last
 */
export function createWhisper([program = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): Transcriber {
  const name = `command/${path.basename(program)}`;
  const setting = 'voice.command';
  return {
    name,
    async transcribe({ path: file }, signal) {
      const given = args.some((arg) => arg.includes(FILE)) ? args : [...args, FILE];
      const mark = { text: randomUUID() };
      const passed = PASSED.flatMap((key) => (env[key] === undefined ? [] : [[key, env[key]] as const]));
      const cwd = await mkdtemp(path.join(os.tmpdir(), 'viber-voice-'));
      try {
        const { code, stdout, endedBy } = await runProcess({
          command: program,
          args: given.map((arg) => arg.replaceAll(FILE, file)),
          cwd,
          signal,
          env: { ...Object.fromEntries(passed), OPENVIBER_SCRIPT: mark.text },
          timeoutMs: TIMEOUT_MS,
          maxOutput: MAX_OUTPUT,
          strays: { kind: 'marked', mark },
        });
        if (endedBy === 'abort') signal.throwIfAborted();
        if (endedBy === 'timeout') throw new Unreadable('busy', `${program} took too long.`, { setting });
        if (code !== 0) throw new Unreadable('unreadable', `${program} ended with ${code ?? endedBy}.`, { setting });
        return { text: withoutTimes(stdout.read([]).text) };
      } catch (error) {
        if (error instanceof Unreadable || !(error instanceof UserError)) throw error;
        throw new Unreadable('key', `${program} cannot be started.`, { setting, cause: error });
      } finally {
        await rm(cwd, { recursive: true, force: true });
      }
    },
  };
}

/** Whisper's programs write `[00:00:00.000 --> 00:00:04.000]  words` by default. */
const withoutTimes = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replace(/^\s*\[[\d:.,]+ --> [\d:.,]+\]\s*/, '').trim())
    .filter(Boolean)
    .join('\n');
