/** The homes of earlier formats that tests keep. */
import fs from 'node:fs';
import path from 'node:path';

const HOMES = path.join(import.meta.dirname, '../fixtures/homes');

export interface OldHome {
  name: string;
  folder: string;
  /** A task in it. */
  task: string;
}

/** Returns the one with the oldest format, or undefined if none is kept. */
export function oldestHome(): OldHome | undefined {
  const names = fs.existsSync(HOMES) ? fs.readdirSync(HOMES).filter((name) => /^format-\d+$/.test(name)) : [];
  const [name] = names.sort(new Intl.Collator('en', { numeric: true }).compare);
  if (name === undefined) return undefined;
  const folder = path.join(HOMES, name);
  return { name, folder, task: fs.readdirSync(path.join(folder, 'artifacts'))[0] ?? '' };
}
