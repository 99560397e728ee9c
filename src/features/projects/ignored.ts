/** Checks whether a few files would be in a listing that respects the project's ignore files, without listing it. */
import { UserError } from '../../errors.ts';
import { type HeldFolder, readBytes, useFile, useFolder } from '../../lib/files/below.ts';
import { unlessRefused } from './files.ts';
import { isIgnored, MAX_RULES, type Rules, readRules } from './walk.ts';

/** The rules that apply in a folder, including those from above; undefined if the folder may be ignored. */
type FolderRules = readonly Rules[] | undefined;

const MAX_EXCLUDE = 100_000;

/** Also returns false when it isn't certain: ripgrep reads more kinds of ignore files than .gitignore. */
export async function areListed(folder: string, paths: readonly string[]): Promise<boolean> {
  if (paths.length === 0) return true;
  const known = new Map<string, Promise<FolderRules>>();
  const rulesFor = (names: readonly string[]): Promise<FolderRules> => {
    const key = names.join('/');
    const found = known.get(key) ?? readFolderRules(folder, names, rulesFor);
    known.set(key, found);
    return found;
  };
  try {
    if (await excludesMore(folder)) return false;
    for (const path of paths) {
      const names = path.split('/');
      const rules = await rulesFor(names.slice(0, -1));
      if (!rules || isIgnored(names, false, rules)) return false;
    }
    return true;
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
}

async function readFolderRules(
  folder: string,
  names: readonly string[],
  rulesFor: (names: readonly string[]) => Promise<FolderRules>,
): Promise<FolderRules> {
  const above = names.length === 0 ? [] : await rulesFor(names.slice(0, -1));
  if (!above || (names.length > 0 && isIgnored(names, true, above))) return undefined;
  return useFolder(folder, names, async (held) =>
    hasOnlyPlainRules(held) ? [...above, ...(await readRules(held, names.length))] : undefined,
  );
}

function hasOnlyPlainRules(held: HeldFolder): boolean {
  if (held.stat('.ignore') ?? held.stat('.rgignore')) return false;
  const own = held.stat('.gitignore');
  return own === undefined || (own.isFile() && own.size <= MAX_RULES);
}

async function excludesMore(folder: string): Promise<boolean> {
  const read = useFile(folder, ['.git', 'info', 'exclude'], ({ fd }) => readBytes(fd, MAX_EXCLUDE));
  const text = (await unlessRefused(read))?.toString('utf8') ?? '';
  return text.split('\n').some((line) => /^\s*[^\s#]/.test(line));
}
