/** Searches a project in a separate process, because a regular expression may take forever. */
import { UserError } from '../../errors.ts';
import { useFile } from '../../lib/files/below.ts';
import { answerInProcess } from '../../lib/worker-process.ts';
import { decodeFile, unlessRefused } from './files.ts';
import { globMatcher } from './glob.ts';
import { walkProject } from './walk.ts';

export interface SearchOrder {
  folder: string;
  /** The file, or the folder to start in, below the project's folder. */
  names: readonly string[];
  pattern: string;
  glob?: string;
  /** Number of lines shown before and after each hit. */
  context: number;
  ignoreCase: boolean;
}

const MAX_LINE = 300;
/** One hit more than is shown, so that the reader knows there are more. */
const ENOUGH_HITS = 201;

await answerInProcess<SearchOrder>(
  async (order) => ({ bytes: Buffer.from((await findLines(order)).join('\n')) }),
  (error) => error instanceof UserError,
);

async function findLines({ folder, names, pattern, glob, context, ignoreCase }: SearchOrder): Promise<string[]> {
  const wanted = compiled(pattern, ignoreCase);
  const matches = glob === undefined ? undefined : globMatcher(glob);
  const found: string[] = [];
  const isFile = (await searchableText(folder, names)) !== undefined;
  const files = isFile ? [names.join('/')] : paths(folder, names);
  for await (const path of files) {
    if (matches && !matches(path)) continue;
    const text = await searchableText(folder, path.split('/'));
    if (text === undefined || !wanted.test(text)) continue;
    found.push(...hitsIn(path, text, wanted, context));
    if (found.length >= ENOUGH_HITS * (2 * context + 1)) break;
  }
  return found;
}

async function* paths(folder: string, names: readonly string[]): AsyncGenerator<string> {
  for await (const { path, isFolder } of walkProject(folder, names)) if (!isFolder) yield path;
}

function compiled(pattern: string, ignoreCase: boolean): RegExp {
  try {
    return new RegExp(pattern, ignoreCase ? 'imu' : 'mu');
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UserError(`This pattern cannot be used: ${error.message.slice(0, 200)}.`, { cause: error });
  }
}

function searchableText(folder: string, names: readonly string[]): Promise<string | undefined> {
  if (names.length === 0) return Promise.resolve(undefined);
  return unlessRefused(useFile(folder, names, ({ fd, stat }) => decodeFile(fd, names.join('/'), stat.size)));
}

function hitsIn(path: string, text: string, wanted: RegExp, context: number): string[] {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
  const hits = lines.flatMap((line, at) => (wanted.test(line) ? [at] : []));
  const shown = new Map<number, boolean>();
  for (const at of hits)
    for (let near = Math.max(0, at - context); near <= Math.min(lines.length - 1, at + context); near++)
      shown.set(near, shown.get(near) === true || near === at);
  return [...shown]
    .sort(([a], [b]) => a - b)
    .map(([at, isHit]) => `${path}\0${at + 1}${isHit ? ':' : '-'}${lines[at]?.slice(0, MAX_LINE)}`);
}
