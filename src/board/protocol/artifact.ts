/** Files of tasks by their ref, for those who may see the task. Only what stands in the task's index is found, and never through a link. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Principal } from '../../access/principal.ts';
import { errorCode, UserError } from '../../errors.ts';
import { type ArtifactMeta, artifactPath, isLink, listArtifacts } from '../../workspace/artifacts.ts';
import { Refused } from '../respond.ts';
import type { ProtocolParts } from './parts.ts';
import { seenTask } from './refusals.ts';
import { CHUNK } from './schemas.ts';

const REF = /^artifacts\/([a-z0-9][a-z0-9_-]{0,63})\/([^/\\]{1,120})$/;
const gone = () => new Refused(404, 'not_found', 'There is no such file.', 'ref');

export interface OpenArtifact {
  meta: ArtifactMeta;
  file: FileHandle;
  /** Bytes, as they stand there now. */
  size: number;
}

/** To be closed by whoever has it. Throws Refused. */
export async function openArtifact(
  ref: string,
  by: Principal,
  to: Pick<ProtocolParts, 'home' | 'maySee'>,
): Promise<OpenArtifact> {
  const [, taskId] = REF.exec(ref) ?? [];
  if (taskId === undefined) throw gone();
  seenTask(taskId, by, to);
  const meta = (await listArtifacts(to.home, taskId)).find((each) => each.ref === ref);
  if (!meta || isLink(meta)) throw gone();
  try {
    const file = await open(artifactPath(to.home, taskId, meta), constants.O_RDONLY | constants.O_NOFOLLOW);
    return { meta, file, size: (await file.stat()).size };
  } catch (error) {
    if (error instanceof UserError || errorCode(error) === 'ENOENT' || errorCode(error) === 'ELOOP') throw gone();
    throw error;
  }
}

/** One piece of at most 256 KiB; `next` is where the following one begins. */
export async function readArtifact(
  ref: string,
  offset: number,
  by: Principal,
  to: Pick<ProtocolParts, 'home' | 'maySee'>,
): Promise<Readonly<Record<string, unknown>>> {
  const { meta, file, size } = await openArtifact(ref, by, to);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.max(0, Math.min(CHUNK, size - offset))), {
      position: offset,
    });
    const next = offset + bytesRead;
    const { name, type } = meta;
    return {
      ...{ ref, name, contentType: type, size, offset, data: buffer.subarray(0, bytesRead).toString('base64') },
      ...(next < size && bytesRead > 0 && { next }),
    };
  } finally {
    await file.close();
  }
}
