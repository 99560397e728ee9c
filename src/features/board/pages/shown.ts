/** Shows log lines, vibers, playbooks and the configuration, read-only. */
import { z } from 'zod';
import { wrongField } from '../../../board/respond.ts';
import { pageOf, route } from '../../../board/route.ts';
import type { LogLine } from '../../../client/shapes.ts';
import { masked } from '../../../config/secrets.ts';
import { loadAgent } from '../../../config.ts';
import { keptLines } from '../../../log.ts';
import { say } from '../../../messages/messages.ts';
import type { BoardRoute } from '../../../runtime/contract/board.ts';
import { configOf, type Gateway } from '../../gateway.ts';

const LEVELS = new Map([
  ['trace', 10],
  ['debug', 20],
  ['info', 30],
  ['warn', 40],
  ['error', 50],
  ['fatal', 60],
]);
const NAMES = new Map([...LEVELS].map(([name, level]) => [level, name]));
const lineShape = z.looseObject({ level: z.number(), time: z.number(), msg: z.string().default('') });

export const shownRoutes = (gw: Gateway): BoardRoute[] => [
  route('GET', '/api/logs', 'owner', async ({ url }) => newestLines(url)),
  route('GET', '/api/agents', 'owner', async () => ({
    vibers: await Promise.all(gw.places.vibers.ids().map((id) => viberRow(gw.home.root, id))),
    playbooks: gw.features.on.flatMap(({ playbooks }) => playbooks?.(gw) ?? []),
  })),
  route('GET', '/api/config', 'owner', async () => ({ config: masked(configOf(gw)) })),
];

async function viberRow(root: string, id: string) {
  const { description, model, skills } = await loadAgent(root, id);
  return {
    id,
    ...(description !== undefined && { description }),
    ...(model !== undefined && { model }),
    ...(skills && { skills }),
  };
}

/** Returns lines, newest first; `after` is the number of the last line seen. */
function newestLines(url: URL): object {
  const level = url.searchParams.get('level') ?? 'info';
  const least = LEVELS.get(level);
  if (least === undefined) throw wrongField('level', say('expected.oneOf', { values: [...LEVELS.keys()].join(', ') }));
  const trace = url.searchParams.get('trace') ?? '';
  const lines = keptLines()
    .toReversed()
    .flatMap(({ at: number, text }): (LogLine & { id: string })[] => {
      if (trace !== '' && !text.includes(trace)) return [];
      const line = lineShape.safeParse(JSON.parse(text)).data;
      if (!line || line.level < least) return [];
      const { level: value, time, ...fields } = line;
      return [
        { ...fields, id: String(number), at: new Date(time).toISOString(), level: NAMES.get(value) ?? String(value) },
      ];
    });
  const { items, next } = pageOf(lines, ({ id }) => id, url);
  return { lines: items, ...(next !== undefined && { next }) };
}
