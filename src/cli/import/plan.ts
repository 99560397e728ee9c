/** What an import would do: files to write, and what is left to a person. */
import fs from 'node:fs';

export interface Plan {
  /** Below the home, with what it will say. */
  writes: { to: string; from: string; content: Buffer }[];
  /** What is left to a person, one sentence each. */
  notes: string[];
}

const MAX_TEXT = 2_000_000;

/** Plain files alone: a link may lead anywhere. */
export function readSmall(file: string, max = MAX_TEXT): Buffer | undefined {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  return stat?.isFile() && stat.size <= max ? fs.readFileSync(file) : undefined;
}
