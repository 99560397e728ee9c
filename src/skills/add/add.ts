/**
 * Adds, updates and removes skills in `skills/` of the home. Looking fetches and shows, but changes nothing; taking
 * puts exactly what was shown in place, once a person has agreed. `.source.json` in a skill's folder records where it
 * is from.
 */
import fs from 'node:fs';
import path from 'node:path';
import { UserError } from '../../errors.ts';
import { exclusively } from '../../lib/locks.ts';
import type { Resolve } from '../../lib/public-address.ts';
import { cleanName } from '../../lib/text.ts';
import { say } from '../../messages/messages.ts';
import { type About, aboutOf, type Bundle, bundleSum, chooseSkills, findSkills, readBundle, sumsOf } from './bundle.ts';
import { type Changes, changesBetween } from './changes.ts';
import type { Network } from './download.ts';
import { type Item, type Offer, Offers, pinOf } from './offers.ts';
import { openSource } from './open.ts';
import { editedIn, type Pin, readInstalled, readPin } from './pin.ts';
import { putSkill, removeSkill } from './place.ts';
import { parseSource, type Source, sourceText } from './source.ts';
import { refuseTaken, skillNames } from './taken.ts';

export interface AddingOptions {
  root: string;
  cache: string;
  /** Names of our own tools. */
  reserved: readonly string[];
  /** `skills.webOrigins`, `skills.registry`. */
  allowedOrigins: readonly string[];
  registry: string;
  /** Total time limit of one source; two minutes when absent. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /** Replaces the system's resolver. */
  resolve?: Resolve;
}

/** One skill that a person is asked about. */
export interface OfferedSkill {
  about: About;
  source: string;
  version: string;
  /** Path of its SKILL.md, to be shown. */
  text: string;
  /** Set for an update. */
  update?: { changes: Changes; edited: string[]; from: string };
}

export type AddResult =
  /** `id` is passed to `take` or `drop`. */
  | { kind: 'offer'; id: string; skills: OfferedSkill[] }
  /** There are several, and none was named. */
  | { kind: 'choose'; source: string; skills: { name: string; description: string }[] };

export interface Updates {
  /** Absent if nothing is new. */
  offer?: { id: string; skills: OfferedSkill[] };
  /** Skills without anything new in their source. */
  same: string[];
  /** Skills that weren't added from a source. */
  own: string[];
  failed: { name: string; why: UserError }[];
}

/** Most skills per request; more are added by name. */
const MAX_AT_ONCE = 20;
const TIMEOUT_MS = 120_000;

export class Adding {
  readonly #options: AddingOptions;
  readonly #offers: Offers;
  readonly #reserved: ReadonlySet<string>;

  constructor(options: AddingOptions) {
    this.#options = options;
    this.#offers = new Offers(path.join(options.cache, 'skill-offers'));
    this.#reserved = new Set(options.reserved);
  }

  /**
   * @param names wanted skills, or `all`
   * @param cwd base of relative paths
   */
  async look(typed: string, names: readonly string[], cwd: string): Promise<AddResult> {
    const source = parseSource(typed, cwd);
    const tree = await this.#open(source);
    try {
      const found = await findSkills(tree, this.#reserved);
      if (found.length === 0) throw new UserError(say('adding.noneInside', { source: cleanName(sourceText(source)) }));
      const wanted = chooseSkills(found, names, sourceText(source));
      if (wanted === undefined) {
        const skills = found.filter(({ isBroken }) => !isBroken);
        return { kind: 'choose', source: sourceText(source), skills };
      }
      if (wanted.length > MAX_AT_ONCE) throw new UserError(say('adding.tooMany', { n: MAX_AT_ONCE }));
      const bundles: Bundle[] = [];
      for (const each of wanted) bundles.push(await readBundle(tree, each, this.#reserved));
      const looked = [];
      for (const bundle of bundles) looked.push(await this.#offered(bundle, sourceText(source), tree.version));
      const offered = looked.filter((each) => each !== undefined);
      if (offered.length === 0)
        throw new UserError(say('adding.already', { names: bundles.map(({ name }) => name).join(', ') }));
      return { kind: 'offer', ...(await this.#offer(offered)) };
    } finally {
      await tree.close();
    }
  }

  /** Puts what was shown in place and returns the names. Can be repeated after a crash without doing anything twice. */
  async take(id: string, by: string): Promise<string[]> {
    return exclusively(this.#options.root, async () => {
      const offer = await this.#offers.find(id);
      if (!offer) throw new UserError(say('adding.gone'));
      if (!offer.done) for (const item of offer.items) await this.#take(offer, item, by);
      await this.#offers.finish(offer);
      return offer.items.map(({ name }) => name);
    });
  }

  drop(id: string): boolean {
    return this.#offers.drop(id);
  }

  /** @param names empty for all that were added */
  async lookForUpdates(names: readonly string[]): Promise<Updates> {
    const updates: Updates = { same: [], own: [], failed: [] };
    const pins = new Map<string, Pin>();
    for (const name of names.length > 0 ? names : skillNames(this.#options.root)) {
      const pin = await readPin(this.#folderOf(name));
      if (pin) pins.set(name, pin);
      else if (fs.existsSync(this.#folderOf(name))) updates.own.push(name);
      else throw new UserError(say('adding.noSkill', { name: cleanName(name) }));
    }
    const offered: Offering[] = [];
    for (const [source, pinned] of Map.groupBy(pins, ([, { source: from }]) => from))
      offered.push(...(await this.#updatesFrom(source, pinned, updates)));
    if (offered.length > 0) updates.offer = await this.#offer(offered);
    return updates;
  }

  /** Returns what a removal would delete: whether it was edited or made by hand, and a hash of everything. */
  async lookBeforeRemoval(name: string): Promise<{ edited: string[]; isOwn: boolean; sum: string }> {
    const folder = this.#folderOf(name);
    if (!fs.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory())
      throw new UserError(say('adding.noSkill', { name: cleanName(name) }));
    const pin = await readPin(folder);
    const sum = bundleSum(await readInstalled(folder));
    return { isOwn: !pin, edited: pin ? await editedIn(folder, pin) : [], sum };
  }

  /** Removes a skill, keeping a copy of one made or edited by hand. Returns whether one was kept. */
  async remove(name: string): Promise<boolean> {
    return exclusively(this.#options.root, async () => {
      const { edited, isOwn } = await this.lookBeforeRemoval(name);
      const keeps = isOwn || edited.length > 0;
      await removeSkill(this.#options.root, name, keeps);
      return keeps;
    });
  }

  #open(source: Source) {
    const { cache, allowedOrigins, registry, resolve, timeoutMs = TIMEOUT_MS } = this.#options;
    const signal = this.#options.signal ?? new AbortController().signal;
    const network: Network = { allowedOrigins, registry, timeoutMs, signal, ...(resolve ? { resolve } : {}) };
    return openSource(source, network, path.join(cache, 'skill-sources'));
  }

  async #take(offer: Offer, item: Item, by: string): Promise<void> {
    const { root } = this.#options;
    if (await this.#isTaken(item)) return;
    const files = await this.#offers.filesOf(offer.id, item);
    if (!files) throw new UserError(say('adding.gone'));
    if (item.replaces === undefined) await refuseTaken(root, item.name);
    const pin = pinOf(item, sumsOf(files), by);
    await putSkill(root, { name: item.name, files, pin }, { replaces: item.replaces, keeps: item.keeps });
  }

  /** Returns whether an earlier process already put it in place. */
  async #isTaken({ name, source, version, sum, replaces }: Item): Promise<boolean> {
    const folder = this.#folderOf(name);
    const pin = await readPin(folder);
    if (pin?.sum !== sum || pin.source !== source || pin.version !== version) return false;
    return replaces === undefined || bundleSum(await readInstalled(folder)) === sum;
  }

  async #updatesFrom(source: string, pinned: [string, Pin][], updates: Updates): Promise<Offering[]> {
    const offered: Offering[] = [];
    try {
      const tree = await this.#open(parseSource(source, '/'));
      try {
        const found = await findSkills(tree, this.#reserved);
        for (const [name, pin] of pinned) {
          const at =
            found.find((each) => each.name === name && each.folder === pin.folder) ??
            found.find((each) => each.name === name);
          if (!at) {
            updates.failed.push({
              name,
              why: new UserError(say('adding.notInside', { name, source: cleanName(source) })),
            });
            continue;
          }
          const bundle = await readBundle(tree, at, this.#reserved);
          if (bundle.sum === pin.sum) updates.same.push(name);
          else offered.push(await this.#updated(bundle, source, tree.version, pin));
        }
      } finally {
        await tree.close();
      }
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      for (const [name] of pinned) updates.failed.push({ name, why: error });
    }
    return offered;
  }

  /** Returns undefined if it is installed unchanged. */
  async #offered(bundle: Bundle, source: string, version: string): Promise<Offering | undefined> {
    const pin = await readPin(this.#folderOf(bundle.name));
    if (pin?.source === source) {
      const isSame = bundleSum(await readInstalled(this.#folderOf(bundle.name))) === bundle.sum;
      return isSame ? undefined : this.#updated(bundle, source, version, pin);
    }
    await refuseTaken(this.#options.root, bundle.name);
    return { bundle, item: addedItem(bundle, source, version) };
  }

  /** Compares with the installed files, which may have been edited by hand. */
  async #updated(bundle: Bundle, source: string, version: string, pin: Pin): Promise<Offering> {
    const folder = this.#folderOf(bundle.name);
    const before = await readInstalled(folder);
    const edited = await editedIn(folder, pin);
    const changes = await changesBetween(before, bundle.files);
    const item = { ...addedItem(bundle, source, version), replaces: bundleSum(before), keeps: edited.length > 0 };
    return { bundle, item, update: { changes, edited, from: pin.version } };
  }

  async #offer(offered: readonly Offering[]): Promise<{ id: string; skills: OfferedSkill[] }> {
    const { id } = await this.#offers.make(offered.map(({ item, bundle }) => ({ item, files: bundle.files })));
    const skills = offered.map(({ bundle, item, update }): OfferedSkill => {
      const [text = 'SKILL.md'] = [...bundle.files.keys()].filter((name) => /^skill\.md$/i.test(name));
      const { source, version } = item;
      const about = { about: aboutOf(bundle), source, version, text: this.#offers.file(id, item, text) };
      return update ? { ...about, update } : about;
    });
    return { id, skills };
  }

  #folderOf(name: string): string {
    if (!/^[A-Za-z0-9][\w.-]{0,100}$/.test(name)) throw new UserError(say('adding.noSkill', { name: cleanName(name) }));
    return path.join(this.#options.root, name);
  }
}

interface Offering {
  bundle: Bundle;
  item: Item;
  update?: NonNullable<OfferedSkill['update']>;
}

const addedItem = ({ name, folder, sum }: Bundle, source: string, version: string): Item => ({
  name,
  folder,
  sum,
  source,
  version,
  keeps: false,
});
