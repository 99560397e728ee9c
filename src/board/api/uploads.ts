/** `POST /api/uploads?name=N`: a file for a message that is still to come, which names it by the `ref` that is answered. */
import type { Uploads } from '../../workspace/uploads.ts';
import type { BoardRoute } from '../contract.ts';
import { namedRefusal } from '../protocol/refusals.ts';
import { Refused, sendJson } from '../respond.ts';

export interface UploadParts {
  uploads: Pick<Uploads, 'store'>;
  /** Bytes of one file. */
  maxBytes: number;
}

/** Without a byte for so long it is given up; a large file on a slow line may take its time. */
const SILENCE_MS = 30_000;
const BODY_MS = 600_000;

export const uploadRoute = ({ uploads, maxBytes }: UploadParts): BoardRoute => ({
  method: 'POST',
  path: '/api/uploads',
  asks: 'caller',
  silenceMs: SILENCE_MS,
  bodyMs: BODY_MS,
  async handle({ request, response, url, caller }) {
    const name = url.searchParams.get('name') ?? '';
    if (name.trim() === '')
      throw new Refused(400, 'bad_request', 'Say what the file is called: /api/uploads?name=notes.md.', 'name');
    if (Number(request.headers['content-length'] ?? 0) > maxBytes)
      throw new Refused(413, 'too_large', `The file is too large: at most ${Math.floor(maxBytes / 1024)} KB.`);
    if (/^100-continue$/i.test(request.headers.expect ?? '')) response.writeContinue();
    try {
      const type = request.headers['content-type'] ?? '';
      sendJson(response, 201, await uploads.store(caller.id, { name, type }, request));
    } catch (error) {
      const told = namedRefusal(error, name);
      if (told instanceof Refused) throw told;
      // Whoever sent it has gone in the middle of it.
      if (!request.complete) return void response.destroy();
      throw error;
    }
  },
});
