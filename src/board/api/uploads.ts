/** `POST /api/uploads?name=N`: stores a file for a later message, which names it by the returned `ref`. */

import { say } from '../../messages/messages.ts';
import type { BoardRoute } from '../../runtime/contract/board.ts';
import { largeFile, type Uploads } from '../../workspace/uploads.ts';
import { namedRefusal } from '../protocol/refusals.ts';
import { RequestError, sendJson } from '../respond.ts';

export interface UploadParts {
  uploads: Uploads;
  /** The limit of one file, in bytes. */
  maxBytes: number;
}

/** An upload is aborted after this long without a byte (in ms); a large file on a slow line may take up to BODY_MS. */
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
    if (name.trim() === '') throw new RequestError(400, 'bad_request', say('requests.fileName'), 'name');
    if (Number(request.headers['content-length'] ?? 0) > maxBytes)
      throw new RequestError(413, 'too_large', largeFile(maxBytes));
    if (/^100-continue$/i.test(request.headers.expect ?? '')) response.writeContinue();
    try {
      const type = request.headers['content-type'] ?? '';
      sendJson(response, 201, await uploads.store(caller.id, { name, type }, request));
    } catch (error) {
      const told = namedRefusal(error, name);
      if (told instanceof RequestError) throw told;
      // The sender disconnected during the upload.
      if (!request.complete) return void response.destroy();
      throw error;
    }
  },
});
