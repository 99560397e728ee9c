/** Reads a task's file in pieces of 256 KiB, for those who may see the task. */

import { say } from '../../messages/messages.ts';
import type { Caller } from '../../runtime/contract/board.ts';
import { openArtifact } from '../api/artifacts.ts';
import { RequestError } from '../respond.ts';
import type { ProtocolParts } from './parts.ts';
import { CHUNK } from './schemas.ts';

/** Returns the piece at `offset`; `next` is the offset of the following one. */
export async function readArtifact(ref: string, offset: number, caller: Caller, to: ProtocolParts): Promise<object> {
  const found = await openArtifact(to, caller, ref);
  if (!found) throw new RequestError(404, 'not_found', say('requests.noFile'), 'ref');
  const { meta, file, size } = found;
  try {
    const room = Buffer.alloc(Math.max(0, Math.min(CHUNK, size - offset)));
    const { bytesRead } = await file.read(room, { position: offset });
    const next = offset + bytesRead;
    const data = room.subarray(0, bytesRead).toString('base64');
    const about = { ref, name: meta.name, contentType: meta.type, size, offset, data };
    return next < size && bytesRead > 0 ? { ...about, next } : about;
  } finally {
    await file.close();
  }
}
