/**
 * Offers that were shown to a person and wait for approval, with every byte, in the home's cache: the approved files
 * are exactly those put in place, whatever happened to their source, also after a restart. A missing or damaged file
 * invalidates the offer.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { readText, writeFileAtomic } from '../../lib/files.ts';
import { parseJson } from '../../lib/json.ts';
import { bundleSum, type Files } from './bundle.ts';
import { type Pin, readInstalled } from './pin.ts';
import { writeFiles } from './place.ts';

const item = z.object({
  name: z.string(),
  source: z.string(),
  folder: z.string(),
  version: z.string(),
  sum: z.string(),
  /** Hash of what it replaces. */
  replaces: z.string().exactOptional(),
  /** The replaced skill was edited by hand. */
  keeps: z.boolean(),
});
const offer = z.object({
  items: z.array(item),
  /** Everything is in place. */
  done: z.boolean(),
});

export type Item = z.infer<typeof item>;

export type Offer = z.infer<typeof offer> & { id: string };

const ID = /^[0-9a-f]{12}$/;
const RECORD = 'offer.json';
const MAX_OFFERS = 30;
const KEPT_MS = 7 * 86_400_000;

/** The offers of one home; the folder need not exist. */
export class Offers {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  async make(items: readonly { item: Item; files: Files }[]): Promise<Offer> {
    this.#sweep();
    const id = randomBytes(6).toString('hex');
    for (const { item: each, files } of items) await writeFiles(this.#filesOf(id, each.name), files, false);
    const made = { items: items.map(({ item: each }) => each), done: false };
    await writeFileAtomic(path.join(this.#root, id, RECORD), JSON.stringify(made));
    return { id, ...made };
  }

  async find(id: string): Promise<Offer | undefined> {
    if (!ID.test(id)) return undefined;
    const text = await readText(path.join(this.#root, id, RECORD));
    const found = offer.safeParse(parseJson(text ?? '')).data;
    return found && { id, ...found };
  }

  /** Returns exactly what was shown; undefined if it isn't there any more. */
  async filesOf(id: string, { name, sum }: Item): Promise<Files | undefined> {
    const folder = this.#filesOf(id, name);
    if (!fs.existsSync(folder)) return undefined;
    const files = await readInstalled(folder);
    return bundleSum(files) === sum ? files : undefined;
  }

  /** Returns the path of one of its files, to be shown. */
  file = (id: string, { name }: Item, file: string): string => path.join(this.#filesOf(id, name), file);

  async finish({ id, items }: Offer): Promise<void> {
    await writeFileAtomic(path.join(this.#root, id, RECORD), JSON.stringify({ items, done: true }));
    fs.rmSync(path.join(this.#root, id, 'files'), { recursive: true, force: true });
  }

  /** Returns false if it was gone already. */
  drop(id: string): boolean {
    const folder = path.join(this.#root, ID.test(id) ? id : '-');
    if (!fs.existsSync(folder)) return false;
    fs.rmSync(folder, { recursive: true, force: true });
    return true;
  }

  #filesOf = (id: string, name: string): string => path.join(this.#root, id, 'files', name);

  #sweep(): void {
    fs.mkdirSync(this.#root, { recursive: true, mode: 0o700 });
    const found = fs.readdirSync(this.#root).flatMap((name) => {
      const stat = fs.statSync(path.join(this.#root, name), { throwIfNoEntry: false });
      return stat ? [{ name, at: stat.mtimeMs }] : [];
    });
    const sorted = found.sort((a, b) => b.at - a.at);
    for (const [index, { name, at }] of sorted.entries())
      if (index >= MAX_OFFERS - 1 || Date.now() - at > KEPT_MS)
        fs.rmSync(path.join(this.#root, name), { recursive: true, force: true });
  }
}

export const pinOf = ({ source, folder, version, sum }: Item, files: Pin['files'], by: string): Pin => ({
  source,
  folder,
  version,
  sum,
  files,
  by,
  at: new Date().toISOString(),
});
