/** The ways in which a file of the home is damaged, each done to a file that is there. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';

export interface DamageKind {
  name: string;
  /** What is left may still be a text of words, in which nothing can be found wrong. */
  isWords?: true;
  apply(file: string): void;
}

const write = (text: string | Uint8Array) => (file: string) => fs.writeFileSync(file, text);
const instead = (make: (file: string) => void) => (file: string) => {
  fs.rmSync(file, { recursive: true, force: true });
  make(file);
};

/** The same keys with values of other types. */
function twist(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return typeof value === 'number' ? null : [7];
  if (Array.isArray(value)) return value.length > 0 ? value.map(twist) : [7, null];
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, twist(each)]));
}

function twisted(file: string): void {
  const text = fs.readFileSync(file, 'utf8');
  const lines = text.trim().split('\n');
  try {
    fs.writeFileSync(file, `${JSON.stringify(twist(JSON.parse(text)))}\n`);
  } catch {
    const each = lines.map((line) => {
      try {
        return JSON.stringify(twist(JSON.parse(line)));
      } catch {
        return '{"other": [1, null]}';
      }
    });
    fs.writeFileSync(file, `${each.join('\n')}\n`);
  }
}

/** Every bit of some bytes, spread over the file. */
function flip(file: string): void {
  const bytes = fs.readFileSync(file);
  for (let n = 0; n < 5; n++) {
    const at = Math.floor((bytes.length * (n + 0.5)) / 5);
    if (at < bytes.length) bytes[at] = (bytes[at] ?? 0) ^ 0x05;
  }
  fs.writeFileSync(file, bytes);
}

function cut(file: string): void {
  fs.truncateSync(file, Math.floor(fs.statSync(file).size * 0.6));
}

export const DAMAGES: DamageKind[] = [
  { name: 'cut', isWords: true, apply: cut },
  { name: 'flipped', isWords: true, apply: flip },
  { name: 'zeroed', apply: (file) => fs.writeFileSync(file, Buffer.alloc(Math.max(64, fs.statSync(file).size))) },
  { name: 'emptied', isWords: true, apply: write('') },
  { name: 'null', isWords: true, apply: write('null') },
  { name: '[]', isWords: true, apply: write('[]') },
  { name: '{}', isWords: true, apply: write('{}') },
  { name: '"x"', isWords: true, apply: write('"x"') },
  { name: '1', isWords: true, apply: write('1') },
  { name: 'twisted', isWords: true, apply: twisted },
  { name: 'no UTF-8', apply: write(Buffer.from([0xff, 0x80, 0xc3, 0x28, 0x0a])) },
  { name: 'huge', isWords: true, apply: write(`[${'[1],\n'.repeat(1_000_000)}`) },
  { name: 'folder', apply: instead((file) => void fs.mkdirSync(file)) },
  { name: 'no rights', apply: (file) => fs.chmodSync(file, 0o000) },
  { name: 'no link', apply: instead((file) => fs.symlinkSync(`${file}.nowhere`, file)) },
  { name: 'pipe', apply: instead((file) => void execFileSync('mkfifo', [file])) },
];
