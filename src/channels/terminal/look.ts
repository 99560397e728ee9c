/** Detects what a terminal can show from its variables: NO_COLOR, FORCE_COLOR, TERM, and the program that draws it. */
import tty from 'node:tty';

export interface Look {
  color: boolean;
  /** Whether text can link to a URL (OSC 8). */
  links: boolean;
  /** Whether Markdown is rendered; otherwise it is shown as written. */
  isRendered: boolean;
  /** Whether the cursor can be moved to redraw lines. */
  isDrawn: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export function lookOf(output: { isTTY?: boolean | undefined }, env: Environment): Look {
  const isDrawn = output.isTTY === true && env.TERM !== 'dumb';
  const isForced = !['', '0', 'false'].includes(env.FORCE_COLOR ?? '');
  const color = (isDrawn || isForced) && tty.WriteStream.prototype.getColorDepth({ ...env }) > 1;
  return { color, links: isDrawn && hasLinks(env), isRendered: isDrawn || color, isDrawn };
}

const LINKING = new Set(['iTerm.app', 'WezTerm', 'vscode', 'ghostty', 'Hyper', 'rio', 'zed', 'WarpTerminal']);
const LINKING_TERM = /^(xterm-kitty|alacritty|foot|wezterm|xterm-ghostty|contour)/;

/** Returns whether the terminal is known to support links. Others show nothing or garbage, so they get the path. */
function hasLinks(env: Environment): boolean {
  if (env.FORCE_HYPERLINK !== undefined) return !['0', 'false'].includes(env.FORCE_HYPERLINK);
  const { TERM_PROGRAM: program = '', TERM_PROGRAM_VERSION: version = '' } = env;
  if (program === 'tmux') return Number.parseFloat(version) >= 3.4;
  return (
    LINKING.has(program) ||
    LINKING_TERM.test(env.TERM ?? '') ||
    Number(env.VTE_VERSION ?? 0) >= 5001 ||
    env.WT_SESSION !== undefined ||
    env.KONSOLE_VERSION !== undefined ||
    env.KITTY_WINDOW_ID !== undefined
  );
}

export type Style = keyof typeof CODES;

const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  underline: [4, 24],
  strike: [9, 29],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const;

export function styled(look: Look, style: Style, text: string): string {
  const [on, off] = CODES[style];
  return look.color && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text;
}

/** Returns the text unchanged if the URL isn't printable ASCII, which no URL is. */
export function linked(look: Look, url: string, text: string): string {
  return look.links && /^[!-~]+$/.test(url) ? `\u001b]8;;${url}\u001b\\${text}\u001b]8;;\u001b\\` : text;
}
