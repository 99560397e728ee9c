/** Things that copies, containers, backups and people leave where a program expects a file of its own. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

export const WRONG: Readonly<Record<string, (file: string) => void>> = {
  'a folder': (file) => fs.mkdirSync(file),
  'a folder with something in it': (file) => void fs.mkdirSync(path.join(file, 'in', 'it'), { recursive: true }),
  'a link to nowhere': (file) => fs.symlinkSync('nowhere/at/all', file),
  'a link to itself': (file) => fs.symlinkSync(path.basename(file), file),
  'a link to a device': (file) => fs.symlinkSync('/dev/null', file),
  'a link to a folder': (file) => fs.symlinkSync('/', file),
  'a pipe': (file) => void spawnSync('mkfifo', [file]),
  'a file without rights': (file) => fs.writeFileSync(file, '', { mode: 0 }),
  garbage: (file) => fs.writeFileSync(file, 'garbage '.repeat(2_000)),
  'an empty file': (file) => fs.writeFileSync(file, ''),
};

export const PLACES = ['', '-wal', '-shm', '-journal'] as const;

export const WRONG_PLACES = Object.keys(WRONG).flatMap((kind) => PLACES.map((side): [string, string] => [kind, side]));
