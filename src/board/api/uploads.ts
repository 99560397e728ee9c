/** `POST /api/uploads?name=N`: a file for a message that is still to come, which names it by the `ref` that is answered. */
import type http from 'node:http';
import { StorageError } from '../../errors.ts';
import { type Upload, UploadRefused, type Uploads } from '../../workspace/uploads.ts';
import type { BoardError, BoardRoute } from '../contract.ts';

export interface UploadServices {
  uploads: Pick<Uploads, 'store'>;
  /** Bytes of one file. */
  maxBytes: number;
  answer(asked: Asked, status: number, body: Upload): void;
  refuse(asked: Asked, error: BoardError): void;
}
type Asked = { request: http.IncomingMessage; response: http.ServerResponse };

/** Without a byte for so long it is given up; a large file on a slow line may take its time. */
const SILENCE_MS = 30_000;
const NO_NAME: BoardError = {
  ...{ status: 400, code: 'bad_request', field: 'name' },
  message: 'Say what the file is called: /api/uploads?name=notes.md.',
};

export const uploadRoute = ({ uploads, maxBytes, answer, refuse }: UploadServices): BoardRoute => ({
  method: 'POST',
  path: '/api/uploads',
  asks: 'caller',
  silenceMs: SILENCE_MS,
  async handle(asked) {
    const { request, response, url, caller } = asked;
    const name = url.searchParams.get('name') ?? '';
    if (name.trim() === '') return refuse(asked, NO_NAME);
    const tooLarge = `The file is too large: at most ${Math.floor(maxBytes / 1024)} KB.`;
    if (Number(request.headers['content-length'] ?? 0) > maxBytes)
      return refuse(asked, { status: 413, code: 'too_large', message: tooLarge });
    if (/^100-continue$/i.test(request.headers.expect ?? '')) response.writeContinue();
    try {
      const type = request.headers['content-type'] ?? '';
      answer(asked, 201, await uploads.store(caller.id, { name, type }, request));
    } catch (error) {
      if (error instanceof UploadRefused)
        return refuse(asked, { status: error.why === 'too_many' ? 429 : 413, code: error.why, message: error.message });
      if (error instanceof StorageError)
        return refuse(asked, { status: 503, code: 'unavailable', message: error.message });
      // Whoever sent it has gone in the middle of it.
      if (!request.complete) return void response.destroy();
      throw error;
    }
  },
});
