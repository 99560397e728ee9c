/** The charts' typeface, DejaVu Sans, and for letters that it lacks the fonts of the machine. */
import { assetFile } from '../../lib/asset.ts';
import { type Face, readFace } from './face.ts';
import { findFaces } from './system-fonts.ts';

export const FAMILY = 'DejaVu Sans';
export const FACES = ['DejaVuSans', 'DejaVuSans-Bold'] as const;
type Name = (typeof FACES)[number];

export const faceFile = (face: Name): string => assetFile(`dejavu-fonts-ttf/ttf/${face}.ttf`);

/** The letters of one chart. */
export interface Letters {
  /**
   * Reduces text to characters that can be drawn, on one line: removes controls and emoji, replaces others by a question
   * mark.
   */
  drawable(text: string): string;
  /** Files of the fonts that are needed beside the charts' own. */
  files(): string[];
  /** What couldn't be drawn, in sentences for people. */
  notes(): string[];
}

const read = new Map<Name, Face>();
/** Widths of characters of other fonts, in ems: they don't change. */
const otherWidths = new Map<number, number>();
const MAX_SHOWN = 12;
/** Joiners within a word shape its letters in Persian and Hindi. */
const INVISIBLE = /(?!(?<=[\p{L}\p{M}])[\u200c\u200d](?=[\p{L}\p{M}]))[\p{Cc}\p{Cf}\p{Co}\p{Cs}]|\ufe0f/gu;
/** Signs that are letters as often as pictures stay: ©, ™, arrows. */
const EMOJI = /(?![©®™‼⁉ℹ↔-↙↩↪])\p{Extended_Pictographic}/gu;
const EAST_ASIAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u;

export function widthOf(char: string, isBold: boolean): number {
  const code = char.codePointAt(0) ?? 0;
  const own = faceNamed(isBold ? 'DejaVuSans-Bold' : 'DejaVuSans').widthOf(code);
  return own ?? otherWidths.get(code) ?? 0.6;
}

/** @param folders where to look for other fonts */
export function openLettering(folders: readonly string[]): Letters {
  const faceWith = findFaces(folders);
  const files = new Set<string>();
  const missing = new Set<string>();
  let hasEmoji = false;
  let own: Face | undefined;

  function canDraw(char: string): boolean {
    const code = char.codePointAt(0) ?? 0;
    own ??= faceNamed('DejaVuSans');
    if (own.widthOf(code) !== undefined) return true;
    const face = faceWith(code);
    if (!face) return false;
    files.add(face.file);
    otherWidths.set(code, face.widthOf(code) ?? 1);
    return true;
  }

  return {
    drawable(text) {
      // Most labels are plain ASCII, and there may be 100,000 of them.
      if (/^[!-~]+( [!-~]+)*$/.test(text)) return text;
      const visible = text.replace(/\s+/g, ' ').replace(INVISIBLE, '');
      const plain = visible.replace(EMOJI, '');
      hasEmoji ||= plain !== visible;
      let out = '';
      for (const char of plain.normalize('NFC')) {
        if (canDraw(char)) out += char;
        else if (!/\p{M}/u.test(char)) {
          missing.add(char);
          out += '?';
        }
      }
      return out.trim();
    },
    files: () => [...files],
    notes: () => [...missingNote([...missing]), ...(hasEmoji ? ['Charts leave out emoji.'] : [])],
  };
}

function missingNote(missing: readonly string[]): string[] {
  if (missing.length === 0) return [];
  const shown = missing.slice(0, MAX_SHOWN).join(' ');
  const more = missing.length > MAX_SHOWN ? ' and more' : '';
  const font = missing.some((char) => EAST_ASIAN.test(char))
    ? 'Noto Sans CJK (package fonts-noto-cjk)'
    : 'Noto Sans (package fonts-noto-core)';
  return [
    `No font on my machine has these letters, so the chart shows "?" for each: ${shown}${more}. A font such as ${font} adds them.`,
  ];
}

function faceNamed(name: Name): Face {
  const known = read.get(name) ?? readFace(faceFile(name));
  if (!known) throw new Error(`${name} is no font`);
  read.set(name, known);
  return known;
}
