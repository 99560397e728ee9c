/** The files that define a viber, its memory and its plans, with the hash that an edit must be based on. */

import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { editableFile, NO_HASH, useEditable, writeFile, writePlanText } from '../../../board/protocol/edits.ts';
import { readBody } from '../../../board/respond.ts';
import { pageOf, requestedViber, route } from '../../../board/route.ts';
import type { FileRow, FileText } from '../../../client/shapes.ts';
import { hashText } from '../../../lib/files.ts';
import type { BoardRoute } from '../../../runtime/contract/board.ts';
import type { PageParts } from './parts.ts';

const NAMES = ['AGENTS.md', 'SOUL.md', 'IDENTITY.md', 'USER.md', 'TOOLS.md', 'MEMORY.md'];
const DAY = /^\d{4}-\d{2}-\d{2}\.md$/;
const writeBody = z.object({ text: z.string().max(1024 * 1024), baseHash: z.string().max(128) });

/** Accepts a day of the log with and without `memory/`. */
const pageFileName = (given: string): string => (DAY.test(given) ? `memory/${given}` : given);

export function fileRoutes({ protocol, about }: PageParts): BoardRoute[] {
  const { home } = protocol;

  async function rowOf(viber: string, name: string): Promise<FileRow> {
    const place = path.relative(home.root, editableFile(home, viber, name));
    const stat = await useEditable(home, viber, name, (file) => file.stat);
    return { name: path.basename(name), place, exists: stat !== undefined, ...(stat && { size: Number(stat.size) }) };
  }

  return [
    route('GET', '/api/files', 'owner', async ({ url }) => {
      const viber = requestedViber(url, about);
      const folder = path.join(home.viberDir(viber), 'memory');
      const days = fs.existsSync(folder) ? fs.readdirSync(folder).filter((name) => DAY.test(name)) : [];
      const names = [...NAMES, ...days.sort().reverse().map(pageFileName)];
      const { items, next } = pageOf(names, (name) => path.basename(name), url);
      const files = await Promise.all(items.map((name) => rowOf(viber, name)));
      return { files, ...(next !== undefined && { next }) };
    }),
    route('GET', '/api/files/*name', 'owner', async ({ url, params }) => {
      const name = pageFileName(params.name ?? '');
      const viber = requestedViber(url, about);
      const place = path.relative(home.root, editableFile(home, viber, name));
      const text = await useEditable(home, viber, name, (file) => file.read());
      const hash = text === undefined ? NO_HASH : hashText(text);
      return { name, text: text ?? '', hash, place } satisfies FileText;
    }),
    route('PUT', '/api/files/*name', 'owner', async (asked) => {
      const viberId = requestedViber(asked.url, about);
      const { text, baseHash } = await readBody(asked, writeBody);
      const name = pageFileName(asked.params.name ?? '');
      return writeFile({ name, viberId, text, baseHash }, asked.caller.principal, protocol);
    }),
    route('PUT', '/api/tasks/:id/plan', 'caller', async (asked) => {
      const { text, baseHash } = await readBody(asked, writeBody);
      return writePlanText({ taskId: asked.params.id ?? '', text, baseHash }, asked.caller.principal, protocol);
    }),
  ];
}
