/** Resolves a name, a path or an address to an artifact: an existing one, a copy of a workspace file, or a link. */
import path from 'node:path';
import { UserError } from '../../errors.ts';
import { readBytes } from '../../lib/files/below.ts';
import { hashText } from '../../lib/files.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { ArtifactRef } from '../../workspace/types.ts';
import type { RunScope } from '../contract/tool-scope.ts';
import { useFound } from './paths.ts';

const MAX_BYTES = 50 * 1024 * 1024;

/** @throws UserError if the file doesn't exist or may not be used */
export async function existingArtifact(scope: RunScope, given: string): Promise<ArtifactRef> {
  const own = openTask(scope.home, scope.taskId).artifacts.find(path.posix.basename(given));
  const isElsewhere = /^workspace\//.test(given.trim());
  if (own && !isElsewhere) return own;
  return useFound(scope, given, async ({ fd, stat, name, ref }) => {
    if (ref) return ref;
    if (stat.size > MAX_BYTES) throw new UserError(`"${name}" is too large: at most 50 MB.`);
    const { default: mime } = await import('mime');
    const type = name.endsWith('.md') ? 'text/markdown' : (mime.getType(name) ?? 'application/octet-stream');
    // Attaching the same file again updates the same artifact.
    const id = hashText(`workspace ${given}`).slice(0, 10);
    const content = await readBytes(fd, MAX_BYTES);
    return openTask(scope.home, scope.taskId).artifacts.create({
      id,
      title: name,
      name,
      type,
      content,
      origin: 'agent',
    });
  });
}

/** @throws UserError like `existingArtifact` */
export async function referredArtifact(
  scope: RunScope,
  { ref, ...about }: { ref: string; title: string; type: string; id?: string },
): Promise<ArtifactRef> {
  if (!URL.canParse(ref)) return existingArtifact(scope, ref);
  const { protocol, href } = new URL(ref);
  if (protocol !== 'http:' && protocol !== 'https:') throw new UserError('Only web addresses are kept as links.');
  return openTask(scope.home, scope.taskId).artifacts.link({ ...about, id: hashText(href).slice(0, 10), ref: href });
}
