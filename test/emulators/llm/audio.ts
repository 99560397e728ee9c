/**
 * `POST /v1/audio/transcriptions`, `POST /v1/audio/speech` and Deepgram's `POST /v1/listen`, as strict as the real ones
 * about the form's fields, a known extension of the file name, and bytes that match it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendJson } from '../base/http.ts';
import { createMultipartReader } from '../base/multipart.ts';
import { sendError } from './faults.ts';

export interface Transcribed {
  model: string;
  fileName: string;
  mimeType: string;
  size: number;
  language: string | undefined;
  authorization: string;
}

export interface Spoken {
  model: string;
  input: string;
  voice: string;
  format: string;
}

export type AudioFault = 'rate-limited' | 'server-error' | 'wrong-key' | 'bad-format' | 'refuse' | 'stall';

export interface AudioPoint {
  /** The transcripts of the next recordings, in order; the last one is used for all that follow. */
  hears(...texts: string[]): void;
  transcriptions(): Transcribed[];
  speeches(): Spoken[];
  /** Makes the next `times` requests fail. */
  fault(fault: AudioFault, times?: number): void;
  clear(): void;
}

const ENDINGS = ['flac', 'm4a', 'mp3', 'mp4', 'mpeg', 'mpga', 'ogg', 'opus', 'wav', 'webm'];
const MAX_BYTES = 25 * 1024 * 1024;
const VOICES = ['alloy', 'ash', 'ballad', 'coral', 'echo', 'fable', 'nova', 'onyx', 'sage', 'shimmer', 'verse'];

/** Recognises a recording by its first bytes, whatever its name says. */
function formatOf(head: Buffer): string | undefined {
  if (head.subarray(0, 4).toString('latin1') === 'OggS') return 'ogg';
  if (head.subarray(4, 8).toString('latin1') === 'ftyp') return 'mp4';
  if (head.subarray(0, 4).toString('latin1') === 'RIFF') return 'wav';
  if (head.subarray(0, 3).toString('latin1') === 'ID3' || (head[0] === 0xff && ((head[1] ?? 0) & 0xe0) === 0xe0))
    return 'mp3';
  if (head.subarray(0, 4).toString('hex') === '1a45dfa3') return 'webm';
  return undefined;
}

/** Returns one Ogg page with the header of an Opus stream: enough for anybody who checks the beginning. */
export function oggOpus(size = 400): Buffer {
  const bytes = Buffer.alloc(Math.max(size, 64), 7);
  bytes.write('OggS', 0, 'latin1');
  bytes.write('OpusHead', 28, 'latin1');
  return bytes;
}

/** Returns the beginning of a recording as phones and Slack make them. */
export function m4a(size = 400): Buffer {
  const bytes = Buffer.alloc(Math.max(size, 64), 3);
  bytes.writeUInt32BE(28, 0);
  bytes.write('ftypM4A ', 4, 'latin1');
  return bytes;
}

export function createAudioPoint(): AudioPoint & {
  answer(request: IncomingMessage, body: Buffer, response: ServerResponse): boolean;
} {
  let texts: string[] = ['hello from a voice note'];
  let faults: AudioFault[] = [];
  let heard: Transcribed[] = [];
  let spoken: Spoken[] = [];

  function isFault(response: ServerResponse): boolean {
    const fault = faults.shift();
    if (fault === undefined) return false;
    if (fault === 'refuse') response.socket?.destroy();
    else if (fault === 'rate-limited')
      sendError(response, 429, 'Rate limit reached for requests', 'requests', 'rate_limit_exceeded', {
        'retry-after-ms': '20',
      });
    else if (fault === 'server-error') sendError(response, 500, 'The server had an error', 'server_error');
    else if (fault === 'wrong-key')
      sendError(response, 401, 'Incorrect API key provided.', 'invalid_request_error', 'invalid_api_key');
    else if (fault === 'bad-format')
      sendError(
        response,
        400,
        'Audio file might be corrupted or unsupported',
        'invalid_request_error',
        'invalid_value',
      );
    return true;
  }

  const next = (): string => (texts.length > 1 ? texts.shift() : texts[0]) ?? '';

  function transcribe(request: IncomingMessage, body: Buffer, response: ServerResponse) {
    const refuse = (message: string) => sendError(response, 400, message, 'invalid_request_error');
    const type = request.headers['content-type'] ?? '';
    const boundary = /^multipart\/form-data; *boundary="?([^";]+)"?/i.exec(type)?.[1];
    if (boundary === undefined) return refuse('Could not parse multipart form');
    const reader = createMultipartReader(boundary, true, MAX_BYTES);
    reader.push(body);
    const { values, files } = reader.end();
    const file = files.get('file');
    const model = String(values.model ?? '');
    if (model === '') return refuse('you must provide a model parameter');
    if (!file) return refuse("'file' is a required property");
    const language = values.language === undefined ? undefined : String(values.language);
    const authorization = request.headers.authorization ?? '';
    heard.push({ model, fileName: file.name, mimeType: file.mimeType, size: file.size, language, authorization });
    if (isFault(response)) return;
    if (file.size > MAX_BYTES) return sendError(response, 413, 'Maximum content size limit exceeded', 'server_error');
    const ending = file.name.split('.').at(-1)?.toLowerCase() ?? '';
    if (!ENDINGS.includes(ending)) return refuse(`Invalid file format. Supported formats: [${ENDINGS.join(', ')}]`);
    const format = formatOf(file.head);
    if (format === undefined) return refuse('Audio file might be corrupted or unsupported');
    // Models since 2025 don't accept Opus in Ogg; the older one does.
    if (format === 'ogg' && /^gpt-.*transcribe/.test(model))
      return refuse('Audio file might be corrupted or unsupported');
    if (language !== undefined && !/^[a-z]{2}$/.test(language))
      return refuse(`Language '${language}' is not supported`);
    const text = next();
    if (model.startsWith('gpt-'))
      return sendJson(response, 200, {
        text,
        usage: { type: 'tokens', input_tokens: 120, output_tokens: 9, total_tokens: 129 },
      });
    sendJson(response, 200, { text, usage: { type: 'duration', seconds: 3 } });
  }

  function listen(request: IncomingMessage, body: Buffer, response: ServerResponse) {
    const refuse = (status: number, code: string, message: string) =>
      sendJson(response, status, { err_code: code, err_msg: message, request_id: 'r1' });
    const authorization = request.headers.authorization ?? '';
    const query = new URL(request.url ?? '', 'http://emulator').searchParams;
    const mimeType = request.headers['content-type'] ?? '';
    heard.push({
      ...{ model: query.get('model') ?? '', fileName: '', mimeType, size: body.length, authorization },
      language: query.get('language') ?? undefined,
    });
    const fault = faults.shift();
    if (fault === 'refuse') return void response.socket?.destroy();
    if (fault === 'stall') return;
    if (fault === 'rate-limited') return refuse(429, 'TOO_MANY_REQUESTS', 'Too many requests. Please try again later');
    if (fault === 'server-error') return refuse(500, 'INTERNAL', 'Internal server error');
    if (!/^Token \S+$/.test(authorization) || fault === 'wrong-key')
      return refuse(401, 'INVALID_AUTH', 'Invalid credentials.');
    if (fault === 'bad-format' || formatOf(body) === undefined)
      return refuse(400, 'Bad Request', 'Bad Request: failed to process audio: corrupt or unsupported data');
    sendJson(response, 200, {
      metadata: { request_id: 'r1', duration: 3.2, channels: 1 },
      results: {
        channels: [{ detected_language: 'en', alternatives: [{ transcript: next(), confidence: 0.99, words: [] }] }],
      },
    });
  }

  function speak(body: Buffer, response: ServerResponse) {
    const given: Record<string, unknown> = JSON.parse(body.toString());
    const { model = '', input = '', voice = '', response_format: format = 'mp3' } = given;
    spoken.push({ model: String(model), input: String(input), voice: String(voice), format: String(format) });
    if (isFault(response)) return;
    if (typeof input !== 'string' || input === '' || input.length > 4096)
      return sendError(response, 400, 'String should have at most 4096 characters', 'invalid_request_error');
    if (!VOICES.includes(String(voice)))
      return sendError(response, 400, `Input should be one of ${VOICES.join(', ')}`, 'invalid_request_error');
    response.writeHead(200, { 'content-type': format === 'opus' ? 'audio/ogg' : 'audio/mpeg' });
    const sound = oggOpus(900);
    // Three seconds of it.
    sound.writeBigInt64LE(144_000n, 6);
    response.end(sound);
  }

  return {
    hears(...given) {
      texts = given;
    },
    transcriptions: () => [...heard],
    speeches: () => [...spoken],
    fault(fault, times = 1) {
      for (let i = 0; i < times; i += 1) faults.push(fault);
    },
    clear() {
      texts = ['hello from a voice note'];
      faults = [];
      heard = [];
      spoken = [];
    },
    answer(request, body, response) {
      const path = (request.url ?? '').split('?', 1)[0];
      if (path === '/v1/audio/transcriptions') transcribe(request, body, response);
      else if (path === '/v1/audio/speech') speak(body, response);
      else if (path === '/v1/listen') listen(request, body, response);
      else return false;
      return true;
    },
  };
}
