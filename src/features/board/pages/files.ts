/** Serves a viber's files and memory, with the hash on which an edit must be based. */

import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { editableFile, NO_HASH, useEditable, writeFile } from '../../../board/protocol/edits.ts';
import type { ProtocolParts } from '../../../board/protocol/parts.ts';
import { readBody } from '../../../board/respond.ts';
import { pageOf, route } from '../../../board/route.ts';
import type { FileRow, FileText } from '../../../client/shapes.ts';
import { hashText } from '../../../lib/files.ts';
import type { BoardAt, BoardRoute } from '../../../runtime/contract/board.ts';

const NAMES = ['AGENTS.md', 'SOUL.md', 'IDENTITY.md', 'USER.md', 'TOOLS.md', 'MEMORY.md'];
const DAY = /^\d{4}-\d{2}-\d{2}\.md$/;
const writeBody = z.object({ text: z.string().max(1024 * 1024), baseHash: z.string().max(128) });

/** Accepts a day of the log with or without `memory/`. */
const pageFileName = (given: string): string => (DAY.test(given) ? `memory/${given}` : given);

export function fileRoutes({ viberOf }: BoardAt, protocol: ProtocolParts): BoardRoute[] {
  const { home } = protocol;

  async function rowOf(viber: string, name: string): Promise<FileRow> {
    const place = path.relative(home.root, editableFile(home, viber, name));
    const stat = await useEditable(home, viber, name, (file) => file.stat);
    return { name: path.basename(name), place, exists: stat !== undefined, ...(stat && { size: Number(stat.size) }) };
  }

  return [
    route('GET', '/api/files', 'owner', async ({ url }) => {
      const viber = viberOf(url);
      const folder = path.join(home.viberDir(viber), 'memory');
      const days = fs.existsSync(folder) ? fs.readdirSync(folder).filter((name) => DAY.test(name)) : [];
      const names = [...NAMES, ...days.sort().reverse().map(pageFileName)];
      const { items, next } = pageOf(names, (name) => path.basename(name), url);
      const files = await Promise.all(items.map((name) => rowOf(viber, name)));
      return { files, ...(next !== undefined && { next }) };
    }),
    route('GET', '/api/files/*name', 'owner', async ({ url, params }) => {
      const name = pageFileName(params.name ?? '');
      const viber = viberOf(url);
      const place = path.relative(home.root, editableFile(home, viber, name));
      const text = await useEditable(home, viber, name, (file) => file.read());
      const hash = text === undefined ? NO_HASH : hashText(text);
      return { name, text: text ?? '', hash, place } satisfies FileText;
    }),
    route('PUT', '/api/files/*name', 'owner', async (asked) => {
      const viberId = viberOf(asked.url);
      const { text, baseHash } = await readBody(asked, writeBody);
      const name = pageFileName(asked.params.name ?? '');
      return writeFile({ name, viberId, text, baseHash }, asked.caller.principal, protocol);
    }),
  ];
}
