/** The fonts of the machine, for letters that the charts' own typeface lacks. */
import { readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '../../errors.ts';
import { type Face, readFace } from './face.ts';

const MAX_FILES = 3_000;
const MAX_DEPTH = 6;
/** They are copied into the renderer. */
const MAX_BYTES = 96 * 1024 * 1024;
const CONFIGURATION = '/etc/fonts/fonts.conf';
const USUAL = ['/usr/share/fonts', '/usr/local/share/fonts', '/System/Library/Fonts', '/Library/Fonts'];

/** Returns the folders that fontconfig and macOS look into. Some may not exist. */
export function fontFolders(): string[] {
  const home = homedir();
  const data = process.env.XDG_DATA_HOME || join(home, '.local/share');
  const own = [join(data, 'fonts'), join(home, '.fonts'), join(home, 'Library/Fonts')];
  const configured = [...fontConfiguration().matchAll(/<dir>\s*(\/[^<]+?)\s*<\/dir>/g)].map(
    ([, folder = '']) => folder,
  );
  return [...new Set([...own, ...configured, ...USUAL])];
}

function fontConfiguration(): string {
  try {
    return readFileSync(CONFIGURATION, 'utf8');
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return '';
  }
}

/** Finds a face for each character, opening as few fonts as it can. */
export function findFaces(folders: readonly string[]): (code: number) => Face | undefined {
  let files: string[] | undefined;
  const opened: Face[] = [];
  const known = new Map<number, Face | undefined>();
  let left = MAX_BYTES;
  const used = new Set<Face>();

  function searchFor(code: number): Face | undefined {
    // One font for as many letters as possible.
    const fitsWith = (face: Face) => face.widthOf(code) !== undefined && (used.has(face) || face.bytes <= left);
    const found = [...used].find(fitsWith) ?? opened.find(fitsWith);
    if (found) return found;
    files ??= folders
      .flatMap((folder) => fontsIn(folder, MAX_DEPTH))
      .slice(0, MAX_FILES)
      .sort(bySuitability);
    for (let file = files.shift(); file !== undefined; file = files.shift()) {
      const face = readFace(file);
      if (!face) continue;
      opened.push(face);
      if (fitsWith(face)) return face;
    }
    return undefined;
  }

  return (code) => {
    if (known.has(code)) return known.get(code);
    const face = searchFor(code);
    known.set(code, face);
    if (face && !used.has(face)) {
      used.add(face);
      left -= face.bytes;
    }
    return face;
  };
}

/** Fonts of pictures in colour aren't drawn. */
const isFont = (name: string): boolean => /\.(?:ttf|otf|ttc|otc)$/i.test(name) && !/emoji/i.test(name);

function fontsIn(folder: string, depth: number): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return depth > 0 ? fontsIn(path, depth - 1) : [];
      return isFont(entry.name) ? [path] : [];
    });
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [];
  }
}

/** Plain upright sans-serif first, like the charts' own; then by name, so that it is the same font every time. */
function bySuitability(one: string, other: string): number {
  const unsuitability = (file: string) =>
    (/sans/i.test(file) ? 0 : 2) +
    (/bold|italic|oblique|mono|condensed|light|thin|black|medium/i.test(file) ? 4 : 0) +
    (/noto/i.test(file) ? 0 : 1);
  return unsuitability(one) - unsuitability(other) || (one < other ? -1 : 1);
}
