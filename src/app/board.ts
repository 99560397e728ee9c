/**
 * Assembles what HTTP serves besides health: the protocol for programs, and features' routes and logins. Loaded at the
 * first request.
 */
import { execFile } from 'node:child_process';
import { artifactRoute } from '../board/api/artifacts.ts';
import { chatRoutes } from '../board/api/chat.ts';
import { eventsRoute } from '../board/api/events.ts';
import { taskRoutes } from '../board/api/tasks.ts';
import { uploadRoute } from '../board/api/uploads.ts';
import { requestedViber } from '../board/route.ts';
import { configFileOf } from '../config.ts';
import type { Board, BoardAt, BoardProgram, Places, Readiness } from '../runtime/contract/board.ts';
import { DEFAULT_VIBER } from '../workspace/home.ts';
import type { AppGateway, OpenGateway } from './contract.ts';

export async function openBoard(
  open: OpenGateway,
  at: { places: Places; port: number; readiness: () => Promise<Readiness>; program: BoardProgram },
): Promise<Board> {
  const { gw, uploads } = open;
  const { config, home, features } = gw;
  const { parts, exchange, sockets, close } = await open.protocol();
  const maxBytes = config.limits.downloadBytes;
  const about = { viber: config.viber ?? DEFAULT_VIBER, vibers: () => gw.places.vibers.ids() };
  const boardAt: BoardAt = {
    ...at,
    protocol: parts,
    viberOf: (url) => requestedViber(url, about),
    decide: parts.decideMemory,
  };
  const [routes, openRoutes, doors] = await Promise.all([
    Promise.all(features.on.map((feature) => feature.routes?.(boardAt, gw) ?? [])),
    Promise.all(features.on.map((feature) => feature.openRoutes?.(gw) ?? [])),
    Promise.all(features.on.flatMap((feature) => feature.door?.(boardAt, gw) ?? [])),
  ]);
  return {
    routes: [
      ...taskRoutes(parts, exchange),
      eventsRoute(parts, exchange),
      ...chatRoutes(parts, exchange, maxBytes),
      ...routes.flat(),
      ...doors.flatMap((door) => door.routes),
      artifactRoute({ home, maySee: parts.maySee }),
      uploadRoute({ uploads, maxBytes }),
    ],
    open: [...openRoutes.flat(), ...doors.flatMap((door) => door.open)],
    session: doors[0]?.session,
    upgrade: sockets.upgrade,
    async close() {
      close();
      for (const door of doors) door.close();
    },
  };
}

/**
 * Returns what the Board may do with this program: run its commands, and restart it if `execve` exists. Without that,
 * only a supervisor would start it again.
 */
export function programOf(
  { home, log }: AppGateway,
  { renewedBy, configFile }: { renewedBy: NodeJS.Signals | undefined; configFile: string | undefined },
): Omit<BoardProgram, 'startChat'> {
  const restart = () => {
    log.info('a restart was requested on the Board');
    process.kill(process.pid, renewedBy);
  };
  return {
    configFile: async () => configFile ?? (await configFileOf(home.root)),
    ...(renewedBy !== undefined && {
      run: (words: readonly string[], limitMs: number) => runProgram([...words, '--home', home.root], limitMs),
    }),
    ...(renewedBy !== undefined && process.execve !== undefined && { restart }),
  };
}

/** Runs a command of this program in another process, without a shell. */
function runProgram(words: readonly string[], limitMs: number): Promise<{ code: number; output: string }> {
  const args = [...process.execArgv, process.argv[1] ?? '', ...words];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { timeout: limitMs, maxBuffer: 4_000_000 }, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : error ? 1 : 0;
      resolve({ code, output: code === 0 ? stdout : stderr || stdout || String(error?.message) });
    });
  });
}
