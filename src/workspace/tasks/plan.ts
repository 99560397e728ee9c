/**
 * The store of plans, `artifacts/{taskId}/task.md`. A person may edit a plan at any time: the hand edit wins, and the
 * agent's version is returned as a proposal.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '../../errors.ts';
import { createStatCache } from '../../lib/files/cache.ts';
import { editText, hashText, isWords, keepLetters, readTextSync, writeFileAtomic } from '../../lib/files.ts';
import { peekJson } from '../../lib/json.ts';
import { exclusively } from '../../lib/locks.ts';
import { isText, objectOf, optional, shape } from '../../lib/shape.ts';
import type { Home } from '../home.ts';
import type { Plan, PlanStep, TaskState } from '../types.ts';
import { tellChange } from './changes.ts';
import { isInSave, planFile, settleEdits, settleOwnEdit, settlePlan, settleSaved, takeWritten } from './current.ts';
import { knownTexts, noteKnown } from './plan-history.ts';
import { formatPlan, isToDo, parsePlan } from './plan-markdown.ts';
import { noteChange, stepKeys } from './plan-steps.ts';

const MAX_CHARS = 256 * 1024;
/** The poll interval while an editor finishes a save, in ms. */
const LOOK_MS = 20;
const MAX_LOOKS = 60;
/** Stands for the text of a file that an editor has just emptied; no plan contains NUL. */
const IN_SAVE = '\0';
const MAX_CHANGES = 10;

export interface PlanFile {
  text: string;
  /** SHA-256; the `baseHash` of a later `write`. */
  hash: string;
  plan: Plan;
}

export type PlanWrite =
  | { written: true; text: string; hash: string }
  /** Edited by hand since the base: `proposal` wasn't written. */
  | { written: false; proposal: string; current: string };

/** A viber's plan that a person hasn't decided about; the newest of a task counts. */
interface Proposal {
  key: string;
  text: string;
  /** The plan that was shown beside it. */
  current?: string;
}

const proposalShape = shape<Proposal>(objectOf({ key: isText, text: isText, current: optional(isText) }));

const files = createStatCache<PlanFile>(512, (file) => {
  const text = readTextSync(file) ?? '';
  // A file that isn't text counts as empty.
  return { text, hash: hashText(text), plan: parsePlan(isWords(file) ? text : '') };
});

const writing = new Set<string>();

/** These texts belong to their task. */
const settled = new WeakSet<PlanFile>();

export class TaskPlan {
  readonly #home: Home;
  readonly #taskId: string;
  readonly #viber: string | undefined;
  readonly #file: string;

  /** @param viber the task's, where the caller knows it */
  constructor(home: Home, taskId: string, viber?: string) {
    this.#home = home;
    this.#taskId = taskId;
    this.#viber = viber;
    this.#file = planFile(home, taskId);
  }

  async read(): Promise<PlanFile | undefined> {
    await settleEdits(this.#home, this.#taskId, this.#viber);
    return this.#isKnown() ? this.#readSettled() : exclusively(this.#file, async () => this.readHeld());
  }

  /** The caller holds the plan's lock. */
  readHeld(): PlanFile | undefined {
    settleOwnEdit(this.#home, this.#taskId, this.#viber);
    return this.#readSettled();
  }

  #readSettled(): PlanFile | undefined {
    const found = files.get(this.#file);
    if (found && settled.has(found)) return found;
    const saved = settlePlan(this.#home, this.#taskId, found?.text, this.#viber);
    const isOwn = saved === undefined || writing.has(this.#file);
    const text = isOwn ? saved : settleSaved(this.#home, this.#taskId, saved, this.#viber);
    if (!found || text !== found.text)
      return text === undefined ? undefined : { text, hash: hashText(text), plan: parsePlan(text) };
    if (!writing.has(this.#file)) settled.add(found);
    return found;
  }

  readNamed(): Promise<(PlanFile & { keys: string[] }) | undefined> {
    return this.#hold(async () => {
      const found = this.readHeld();
      return found && { ...found, keys: await stepKeys(this.#home, this.#taskId, found.plan.steps) };
    });
  }

  /** The plan that waits for consent. */
  implementation(): PlanFile | undefined {
    return files.get(path.join(this.#home.taskDir(this.#taskId), 'implementation_plan.md'));
  }

  /**
   * Markdown with both headings `## Goal` and `## Plan` replaces the file; anything else keeps what it doesn't cover.
   * @param options.baseHash the text the change was made from; without it hand edits aren't checked for
   */
  write(plan: string | Plan, options: { baseHash?: string } = {}): Promise<PlanWrite> {
    return this.#hold(() => this.#writeHeld(plan, options));
  }

  /**
   * Changes the current plan atomically. `change` returns undefined to leave it, and is called again when an editor
   * saved in between.
   */
  change(
    change: (plan: Plan | undefined, keys: readonly string[]) => Plan | undefined,
  ): Promise<PlanWrite | undefined> {
    return this.#hold(async () => {
      for (let tries = 1; ; tries++) {
        const found = this.readHeld();
        const keys = found ? await stepKeys(this.#home, this.#taskId, found.plan.steps) : [];
        const next = change(found?.plan, keys);
        if (next === undefined) return undefined;
        const write = await this.#writeHeld(next, { baseHash: found?.hash ?? '' });
        if (write.written || tries === MAX_CHANGES) return write;
      }
    });
  }

  /** Keeps a proposal until a person decides about it. Its key is the same for the same run. */
  async propose(run: string, { text, current }: { text: string; current: string }): Promise<string> {
    const key = hashText(JSON.stringify([run, text, current])).slice(0, 8);
    await writeFileAtomic(this.#proposalFile, `${JSON.stringify({ key, text, current })}\n`);
    return key;
  }

  proposal(key: string): Proposal | undefined {
    const found = peekJson(this.#proposalFile, proposalShape);
    return found?.key === key ? found : undefined;
  }

  dropProposal(): void {
    fs.rmSync(this.#proposalFile, { force: true });
  }

  get #proposalFile(): string {
    return path.join(this.#home.taskDir(this.#taskId), '.proposed-plan.json');
  }

  /** Settles a file that an editor put in place of the link first. */
  async #hold<T>(work: () => Promise<T>): Promise<T> {
    await settleEdits(this.#home, this.#taskId, this.#viber);
    return exclusively(this.#file, work);
  }

  /**
   * While another process writes, its text is on disk before it is recorded: only the lock's holder can tell whose it
   * is.
   */
  #isKnown(): boolean {
    const found = files.get(this.#file);
    return found === undefined || settled.has(found) || knownTexts(this.#home, this.#taskId).at(-1) === found.text;
  }

  /** The caller holds the plan's lock. */
  async #writeHeld(plan: string | Plan, options: { baseHash?: string }): Promise<PlanWrite> {
    const [home, taskId, file] = [this.#home, this.#taskId, this.#file];
    let looks = 0;
    const waitForSave = async () => {
      for (; looks < MAX_LOOKS && isInSave(home, taskId); looks++) await sleep(LOOK_MS);
    };
    await waitForSave();
    // Settles any save up to now.
    this.readHeld();
    writing.add(file);
    try {
      let isSaving = false;
      let conflict: { proposal: string; current: string } | undefined;
      let before: string | undefined;
      const change = (current: string | undefined) => {
        if (isSaving) return undefined;
        before = current;
        // A file that isn't text is kept aside, and none of it is written again.
        const text = render(plan, isWords(file) ? current : undefined);
        const isEdited =
          current !== undefined && options.baseHash !== undefined && hashText(current) !== options.baseHash;
        conflict = isEdited && current !== text ? { proposal: text, current } : undefined;
        if (conflict === undefined && current !== undefined && current !== text) keepLetters(file);
        return conflict === undefined ? text : undefined;
      };
      const read = () => {
        // An editor may empty the file at any moment before it writes: that isn't the plan.
        isSaving = looks < MAX_LOOKS && isInSave(home, taskId);
        if (isSaving) return IN_SAVE;
        return this.readHeld() === undefined ? undefined : readTextSync(file);
      };
      let text = (await editText(file, change, { read })) ?? '';
      while (isSaving) {
        await waitForSave();
        text = (await editText(file, change, { read })) ?? '';
      }
      takeWritten(home, taskId, text);
      noteKnown(home, taskId, text);
      const [was, isChanged] = [before ?? '', conflict === undefined && before !== text];
      if (isChanged)
        await noteChange(home, taskId, () => ({ before: parsePlan(was).steps, after: namedSteps(plan, text) }));
      if (isChanged) tellChange(home, { kind: 'plan', taskId, hash: hashText(text) });
      return conflict === undefined ? { written: true, text, hash: hashText(text) } : { written: false, ...conflict };
    } finally {
      writing.delete(file);
    }
  }
}

/** A task with open steps isn't completed, whatever its last run returned. */
export const standOf = ({ state }: { state: TaskState }, plan: Plan | undefined): TaskState | 'open' =>
  state === 'completed' && plan?.steps.some(isToDo) ? 'open' : state;

function render(plan: string | Plan, current: string | undefined): string {
  const isFile = typeof plan === 'string' && /^##[ \t]+goal\b/im.test(plan) && /^##[ \t]+plan\b/im.test(plan);
  const parsed = typeof plan === 'string' ? parsePlan(plan) : plan;
  const goal = parsed.goal.trim() === '' && current !== undefined ? parsePlan(current).goal : parsed.goal;
  const text = isFile ? `${plan.trim()}\n` : formatPlan({ ...parsed, goal }, current);
  if (text.length > MAX_CHARS) throw new UserError(`The plan is too long: at most ${MAX_CHARS} characters.`);
  return text;
}

/** Steps of the file with the IDs that the writer gave them. */
function namedSteps(plan: string | Plan, text: string): PlanStep[] {
  const { steps } = parsePlan(text);
  const given = typeof plan === 'string' ? [] : plan.steps;
  return given.length === steps.length ? steps.map((step, at) => ({ ...step, id: given[at]?.id ?? '' })) : steps;
}
