/** The endpoints of OpenAI and Google that draw pictures, as strict about requests as the real ones. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { listen, readBody, sendJson as send } from './base/http.ts';

export type DrawingFault = 'moderation' | 'no-credit' | 'wrong-key' | 'rate-limited' | 'server-error' | 'blocked';

export interface DrawnRequest {
  path: string;
  key: string;
  /** The JSON body, or the fields of a form. */
  body: Record<string, unknown>;
}

/** A one-pixel picture. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const SIZES = ['auto', '1024x1024', '1536x1024', '1024x1536'];
const FIELDS = 'model prompt n size quality background output_format moderation image user'.split(' ');
const RATIOS = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'];

const UNSAFE = 'Your request was rejected by the safety system. secret-detail';
const error = (message: string, type: string, code: string | null) => ({ message, type, param: null, code });
const FAULTS: Readonly<Record<Exclude<DrawingFault, 'blocked'>, [number, object]>> = {
  moderation: [400, error(UNSAFE, 'image_generation_user_error', 'moderation_blocked')],
  'no-credit': [429, error('You exceeded your current quota', 'insufficient_quota', 'insufficient_quota')],
  'wrong-key': [401, error('Incorrect API key provided', 'invalid_request_error', 'invalid_api_key')],
  'rate-limited': [429, error('Rate limit reached', 'requests', 'rate_limit_exceeded')],
  'server-error': [500, error('The server had an error', 'server_error', null)],
};

export async function startDrawing() {
  const requests: DrawnRequest[] = [];
  const faults: DrawingFault[] = [];
  const wrong = (response: ServerResponse, message: string) =>
    send(response, 400, { error: { message, type: 'invalid_request_error', param: null, code: 'invalid_value' } });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const bytes = await readBody(request);
    const { url: path = '', headers } = request;
    const type = String(headers['content-type']);
    const isForm = type.startsWith('multipart/form-data');
    const body: Record<string, unknown> = isForm
      ? Object.fromEntries(await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData())
      : JSON.parse(bytes.toString());
    const key = String(headers['x-goog-api-key'] ?? headers.authorization ?? '').replace('Bearer ', '');
    requests.push({ path, key, body });
    const fault = faults.shift();
    if (fault && fault !== 'blocked') {
      const [status, error] = FAULTS[fault];
      return send(response, status, { error });
    }
    if (path.startsWith('/v1beta/')) return gemini(path, body, fault === 'blocked', response);
    if (path !== (isForm ? '/v1/images/edits' : '/v1/images/generations'))
      return send(response, 404, { error: { message: 'Not found', type: 'invalid_request_error', code: null } });
    const unknown = Object.keys(body).find((name) => !FIELDS.includes(name.replace(/\[\]$/, '')));
    if (unknown !== undefined) return wrong(response, `Unknown parameter: '${unknown}'.`);
    if (typeof body.prompt !== 'string' || body.prompt === '') return wrong(response, 'prompt is required');
    if (!SIZES.includes(String(body.size ?? 'auto'))) return wrong(response, 'Invalid size');
    if (isForm && !(body.image instanceof File || body['image[]'] instanceof File))
      return wrong(response, 'image is required');
    const used = { total_tokens: 1_100, input_tokens: 20, output_tokens: 1_080 };
    return send(response, 200, {
      created: 1,
      data: [{ b64_json: PIXEL.toString('base64') }],
      usage: { ...used, input_tokens_details: { text_tokens: 20, image_tokens: 0 } },
    });
  }

  function gemini(path: string, body: Record<string, unknown>, isBlocked: boolean, response: ServerResponse): unknown {
    if (!/^\/v1beta\/models\/gemini-[\w.-]*image[\w.-]*:generateContent$/.test(path))
      return send(response, 404, { error: { code: 404, message: 'not found', status: 'NOT_FOUND' } });
    const { responseModalities, imageConfig } = Object(body.generationConfig);
    if (!Array.isArray(responseModalities) || !responseModalities.includes('IMAGE'))
      return send(response, 400, { error: { code: 400, message: 'no IMAGE', status: 'INVALID_ARGUMENT' } });
    if (imageConfig && !RATIOS.includes(imageConfig.aspectRatio))
      return send(response, 400, { error: { code: 400, message: 'aspectRatio', status: 'INVALID_ARGUMENT' } });
    const inlineData = { mimeType: 'image/png', data: PIXEL.toString('base64') };
    const candidate = isBlocked
      ? { finishReason: 'IMAGE_SAFETY', index: 0 }
      : { content: { role: 'model', parts: [{ inlineData }] }, finishReason: 'STOP', index: 0 };
    const usageMetadata = { promptTokenCount: 12, candidatesTokenCount: 1_290, totalTokenCount: 1_302 };
    return send(response, 200, { candidates: [candidate], usageMetadata, modelVersion: 'gemini-2.5-flash-image' });
  }

  const { url, close } = await listen(answer, {
    failed: (error, response) => response.writeHead(500).end(String(error)),
  });
  return {
    openai: `${url}/v1`,
    google: `${url}/v1beta`,
    requests,
    fault: (...next: DrawingFault[]) => void faults.push(...next),
    close,
  };
}
