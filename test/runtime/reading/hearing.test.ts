/** Who is asked to write a recording down, what they are sent, and what their refusals mean. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type HearingOptions, hear } from '../../../src/features/voice/hear.ts';
import { createTranscriber, pickTranscription } from '../../../src/features/voice/transcription.ts';
import { createWhisper } from '../../../src/features/voice/whisper.ts';
import { createLog } from '../../../src/log.ts';
import type { ReadableFile } from '../../../src/runtime/contract/reading.ts';
import { Unreadable } from '../../../src/runtime/contract/reading.ts';
import { RunError } from '../../../src/runtime/contract/run-error.ts';
import { fileKind } from '../../../src/runtime/reading/kinds.ts';
import { readFile } from '../../../src/runtime/run/read-file.ts';
import { m4a, oggOpus } from '../../emulators/llm/audio.ts';
import { type Llm, startLlm } from '../../emulators/llm.ts';
import { defaults } from '../../helpers/defaults.ts';
import { openTestGateway } from '../../helpers/gateway.ts';
import { tempFolder } from '../../helpers/temp.ts';

let llm: Llm;
let folder: string;
const log = createLog({ level: 'silent', pretty: false });
const counted: { model: string; seconds?: number }[] = [];
const meter: HearingOptions['meter'] = {
  hooks: () => ({
    beforeCall: () => undefined,
    onUsage: (model, { seconds }) => void counted.push({ model, ...(seconds === undefined ? {} : { seconds }) }),
  }),
};
const by = () => ({ run: 'r1', task: 't1', person: 'telegram:1', signal: new AbortController().signal });

beforeEach(async () => {
  llm = await startLlm({ apiKey: 'voice-key-123456' });
  onTestFinished(() => llm.close());
  llm.audio.hears('one two three');
  folder = tempFolder();
  counted.length = 0;
});

function sound(bytes = oggOpus(), more: Partial<ReadableFile> = {}): ReadableFile {
  const file = path.join(folder, more.name ?? 'voice.ogg');
  fs.writeFileSync(file, bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { path: file, name: 'voice.ogg', type: 'audio/ogg', size: bytes.length, sha256, seconds: 3, ...more };
}

const providers = (name: string) => ({ [name]: { baseURL: llm.url, apiKey: 'voice-key-123456' } });
const by3 = (name: string, more = {}) =>
  createTranscriber(name, { providers: providers(name.split('/')[0] ?? ''), env: {}, ...more });
const reasonOf = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof Unreadable ? error.reason : error;
};

describe('a provider', () => {
  it.each(['openai/whisper-1', 'groq/whisper-large-v3-turbo', 'local/whisper', 'deepgram/nova-3'])(
    '%s',
    async (name) => {
      const heard = await by3(name, { language: 'en' }).transcribe(sound(), by().signal);
      expect(heard.text).toBe('one two three');
      const [sent] = llm.audio.transcriptions();
      expect(sent?.model).toBe(name.slice(name.indexOf('/') + 1));
      expect(sent?.language).toBe('en');
      expect(sent?.mimeType).toBe('audio/ogg');
      expect(sent?.authorization).toBe(`${name.startsWith('deepgram') ? 'Token' : 'Bearer'} voice-key-123456`);
    },
  );

  it('is told what the bytes are, whatever the name says', async () => {
    await by3('openai/whisper-1').transcribe(sound(m4a(), { name: 'clip.ogg' }), by().signal);
    expect(llm.audio.transcriptions()[0]?.fileName).toBe('audio.m4a');
  });

  it.each([
    ['openai/whisper-1', 'wrong-key', 'key'],
    ['openai/whisper-1', 'bad-format', 'unreadable'],
    ['openai/whisper-1', 'refuse', 'busy'],
    ['deepgram/nova-3', 'wrong-key', 'key'],
    ['deepgram/nova-3', 'bad-format', 'unreadable'],
  ] as const)('%s that answers %s', async (name, fault, reason) => {
    llm.audio.fault(fault, 5);
    const error = await by3(name)
      .transcribe(sound(), by().signal)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Unreadable);
    expect(error).toMatchObject({ reason });
    expect(String(error)).not.toMatch(/voice-key|Incorrect API key|corrupt/);
    if (reason === 'key') expect((error as Unreadable).setting).toMatch(/API_KEY/);
  });

  it('that stalls is left when the run is stopped', async () => {
    llm.audio.fault('stall');
    const stop = new AbortController();
    const heard = by3('openai/whisper-1').transcribe(sound(), stop.signal);
    setTimeout(() => stop.abort(new Error('stopped')), 100);
    await expect(heard).rejects.toThrow('stopped');
  });

  it('is picked by the first key there is', () => {
    const pick = (env: NodeJS.ProcessEnv) => pickTranscription({ providers: {}, env });
    expect(pick({})).toBeUndefined();
    expect(pick({ DEEPGRAM_API_KEY: 'd', GROQ_API_KEY: 'g' })).toBe('groq/whisper-large-v3-turbo');
    expect(pick({ OPENAI_API_KEY: 'o', GROQ_API_KEY: 'g' })).toBe('openai/whisper-1');
    expect(pickTranscription({ providers: { deepgram: { apiKey: 'd' } }, env: {} })).toBe('deepgram/nova-3');
  });
});

describe('a program of this machine', () => {
  const script = (text: string) => {
    const file = path.join(folder, 'whisper');
    fs.writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    return file;
  };

  it('gets the file without a shell and none of our keys, and its times are left out', async () => {
    const program = script('echo "[00:00:00.000 --> 00:00:02.000]  heard $1 [$OPENAI_API_KEY]"; head -c4 "$2"');
    const odd = sound(oggOpus(), { name: 'a $(touch pwned) b.ogg' });
    const whisper = createWhisper([program, '--file={file}', '{file}'], { ...process.env, OPENAI_API_KEY: 'sk-1' });
    const { text } = await whisper.transcribe(odd, by().signal);
    expect(text).toBe(`heard --file=${odd.path} []\nOggS`);
  });

  it('that fails, is missing or goes on for ever is not waited for', async () => {
    expect(await reasonOf(createWhisper([script('exit 3')], {}).transcribe(sound(), by().signal))).toBe('unreadable');
    expect(await reasonOf(createWhisper(['/no/such/program'], {}).transcribe(sound(), by().signal))).toBe('key');
    const stop = new AbortController();
    const heard = createWhisper([script('sleep 60')], process.env).transcribe(sound(), stop.signal);
    setTimeout(() => stop.abort(new Error('stopped')), 100);
    await expect(heard).rejects.toThrow('stopped');
  });
});

describe('hearing', () => {
  const options = (more: Partial<HearingOptions> = {}): HearingOptions => ({
    ...{ transcribers: [by3('openai/whisper-1')], maxSeconds: 60, meter, log, ...more },
  });

  it('asks the next one when the first cannot, and counts what was heard', async () => {
    llm.audio.fault('bad-format');
    const both = [by3('openai/whisper-1'), by3('deepgram/nova-3')];
    expect(await hear(sound(), by(), options({ transcribers: both }))).toBe('one two three');
    expect(counted).toEqual([{ model: 'deepgram/nova-3', seconds: 3.2 }]);
  });

  it('sends nothing that is too long, nothing past a cap, and nothing when nobody is set up', async () => {
    expect(await reasonOf(hear(sound(oggOpus(), { seconds: 61 }), by(), options()))).toBe('long');
    expect(await reasonOf(hear(sound(), by(), options({ transcribers: [] })))).toBe('unset');
    const cap = new RunError('cap', 'used up');
    const capped = {
      hooks: () => ({
        beforeCall: () => {
          throw cap;
        },
        onUsage: () => undefined,
      }),
    };
    expect(await reasonOf(hear(sound(), by(), options({ meter: capped })))).toBe(cap);
    expect(llm.audio.transcriptions()).toEqual([]);
  });

  it('takes silence for silence', async () => {
    llm.audio.hears('  ');
    expect(await reasonOf(hear(sound(), by(), options()))).toBe('empty');
  });

  it('is done once for the same bytes', async () => {
    const voice = { ...defaults.voice, model: 'openai/whisper-1' };
    const { gw } = await openTestGateway({ homeRoot: folder, config: { voice, providers: providers('openai') } });
    const read = (file: ReturnType<typeof sound>) => readFile(file, by(), gw);
    const first = await read(sound());
    expect(await read(sound(oggOpus(), { name: 'again.ogg' }))).toEqual(first);
    expect(llm.audio.transcriptions()).toHaveLength(1);
    expect(fs.readFileSync(first.file, 'utf8')).toBe('one two three');
  });
});

it('knows recordings by type, and by name where the type says nothing', () => {
  expect(fileKind({ type: 'audio/mp4', name: 'x' })).toBe('sound');
  expect(fileKind({ type: 'application/octet-stream', name: 'memo.M4A' })).toBe('sound');
  expect(fileKind({ type: 'application/octet-stream', name: 'tool.bin' })).toBeUndefined();
  expect(fileKind({ type: 'image/png', name: 'a.mp3' })).toBeUndefined();
});
