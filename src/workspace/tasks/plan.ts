/**
 * The one store of plans, `artifacts/{taskId}/task.md`; the link `task.md` in the viber's folder shows the current one
 * (`current.ts`). A person may edit either at any time: the hand edit wins, and what the agent wanted is given back as a
 * proposal.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '../../errors.ts';
import { createStatCache } from '../../lib/files/cache.ts';
import { editText, hashText, isWords, keepLetters, readTextSync, writeFileAtomic } from '../../lib/files.ts';
import { exclusively, isShared } from '../../lib/locks.ts';
import { peekJson } from '../../lib/read-json.ts';
import { isText, objectOf, optional, shape } from '../../lib/shape.ts';
import type { Home } from '../home.ts';
import type { Plan, PlanStep, TaskRecord, TaskState } from '../types.ts';
import { tellChange } from './changes.ts';
import { isInSave, planFile, settleEdits, settleEditsAlone, settlePlan, settleSaved, takeWritten } from './current.ts';
import { knownTexts, noteKnown } from './plan-history.ts';
import { formatPlan, isToDo, parsePlan } from './plan-markdown.ts';
import { keysOf, noteChange } from './plan-steps.ts';

const MAX_CHARS = 256 * 1024;
/** Until an editor has written what it saves. */
const LOOK_MS = 20;
const MAX_LOOKS = 60;
/** Saves of an editor that come between a change and its write. */
const MAX_CHANGES = 10;

export interface PlanFile {
  text: string;
  /** SHA-256 of the text; the `baseHash` of a later `writePlan`. */
  hash: string;
  plan: Plan;
}

export type PlanWrite =
  | { written: true; text: string; hash: string }
  /** The plan was edited by hand since the base: `current` stands, `proposal` is the text that was to be written. */
  | { written: false; proposal: string; current: string };

/** A plan that a person has not decided about: the viber's, made from an older one than now stands. One a task; the newest counts. */
interface Proposal {
  key: string;
  text: string;
  /** The plan that was shown beside it. */
  current?: string;
}

const proposalShape = shape<Proposal>(objectOf({ key: isText, text: isText, current: optional(isText) }));

const files = createStatCache<PlanFile>(512, (file) => {
  const text = readTextSync(file) ?? '';
  // What is no text says nothing, and nobody goes on from it.
  return { text, hash: hashText(text), plan: parsePlan(isWords(file) ? text : '') };
});

/** Files that the store itself is about to write, or has just written. */
const writing = new Set<string>();

/** Texts that are known to be their task's own. */
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

  /** The plan, undefined when there is none. */
  async read(): Promise<PlanFile | undefined> {
    if (!isShared(this.#file)) return this.readHeld();
    await settleEdits(this.#home, this.#taskId, this.#viber);
    return this.#isKnown() ? this.readHeld() : exclusively(this.#file, async () => this.readHeld());
  }

  /** `read` for whoever holds the plan's lock. */
  readHeld(): PlanFile | undefined {
    settleEditsAlone(this.#home, this.#taskId, this.#viber);
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

  /** With how each step is called, whatever becomes of the plan; for those who offer something that is about one step. */
  readNamed(): Promise<(PlanFile & { keys: string[] }) | undefined> {
    return this.#hold(async () => {
      const found = this.readHeld();
      return found && { ...found, keys: await keysOf(this.#home, this.#taskId, found.plan.steps) };
    });
  }

  /** The plan that waits for consent, `implementation_plan.md` of the task; undefined when it has none. */
  implementation(): PlanFile | undefined {
    return files.get(path.join(this.#home.taskDir(this.#taskId), 'implementation_plan.md'));
  }

  /**
   * Writes the plan. A structured plan, and Markdown without both headings `## Goal` and `## Plan`, keep everything else the
   * file says; an empty goal keeps the old one. Markdown with both headings replaces the file.
   * @param options.baseHash the hash of the text the change was made from; without it there is no check for hand edits
   */
  write(plan: string | Plan, options: { baseHash?: string } = {}): Promise<PlanWrite> {
    return this.#hold(() => this.#writeHeld(plan, options));
  }

  /**
   * Changes the plan as it stands when it is written, whoever else is changing it: `change` is given it with how each step is called and
   * gives the new one, or undefined to leave it. It is called anew when an editor has saved meanwhile. Undefined where it was left.
   */
  change(
    change: (plan: Plan | undefined, keys: readonly string[]) => Plan | undefined,
  ): Promise<PlanWrite | undefined> {
    return this.#hold(async () => {
      for (let tries = 1; ; tries++) {
        const found = this.readHeld();
        const keys = found ? await keysOf(this.#home, this.#taskId, found.plan.steps) : [];
        const next = change(found?.plan, keys);
        if (next === undefined) return undefined;
        const write = await this.#writeHeld(next, { baseHash: found?.hash ?? '' });
        if (write.written || tries === MAX_CHANGES) return write;
      }
    });
  }

  /** Keeps a proposal until a person has decided about it. Gives how a button names it: the same for the same run. */
  async propose(run: string, { text, current }: { text: string; current: string }): Promise<string> {
    const key = hashText(JSON.stringify([run, text, current])).slice(0, 8);
    await writeFileAtomic(this.#proposalFile, `${JSON.stringify({ key, text, current })}\n`);
    return key;
  }

  /** Undefined when another has taken its place, or it was decided. */
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

  /** Under the plan's lock, once what an editor has put in the place of the link is settled. */
  async #hold<T>(work: () => Promise<T>): Promise<T> {
    if (isShared(this.#file)) await settleEdits(this.#home, this.#taskId, this.#viber);
    return exclusively(this.#file, work);
  }

  /** What another process is about to write stands there before its words are known: only whoever holds the lock can say whose they are. */
  #isKnown(): boolean {
    const found = files.get(this.#file);
    return found === undefined || settled.has(found) || knownTexts(this.#home, this.#taskId).at(-1) === found.text;
  }

  /** `write` for whoever holds the plan's lock. */
  async #writeHeld(plan: string | Plan, options: { baseHash?: string }): Promise<PlanWrite> {
    const [home, taskId, file] = [this.#home, this.#taskId, this.#file];
    for (let looks = 0; looks < MAX_LOOKS && isInSave(home, taskId); looks++) await sleep(LOOK_MS);
    // What was saved until now is settled first.
    this.readHeld();
    writing.add(file);
    try {
      let conflict: { proposal: string; current: string } | undefined;
      let before: string | undefined;
      const change = (current: string | undefined) => {
        before = current;
        // What is no text is kept aside, and nothing of it is written again.
        const text = render(plan, isWords(file) ? current : undefined);
        const isEdited =
          current !== undefined && options.baseHash !== undefined && hashText(current) !== options.baseHash;
        conflict = isEdited && current !== text ? { proposal: text, current } : undefined;
        if (conflict === undefined && current !== undefined && current !== text) keepLetters(file);
        return conflict === undefined ? text : undefined;
      };
      const read = () => (this.readHeld() === undefined ? undefined : readTextSync(file));
      const text = (await editText(file, change, { read })) ?? '';
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

/** How a task stands: with steps that are to be done it is not completed, whatever its last run was. */
export const standOf = ({ state }: Pick<TaskRecord, 'state'>, plan: Plan | undefined): TaskState | 'open' =>
  state === 'completed' && plan?.steps.some(isToDo) ? 'open' : state;

function render(plan: string | Plan, current: string | undefined): string {
  const isFile = typeof plan === 'string' && /^##[ \t]+goal\b/im.test(plan) && /^##[ \t]+plan\b/im.test(plan);
  const parsed = typeof plan === 'string' ? parsePlan(plan) : plan;
  const goal = parsed.goal.trim() === '' && current !== undefined ? parsePlan(current).goal : parsed.goal;
  const text = isFile ? `${plan.trim()}\n` : formatPlan({ ...parsed, goal }, current);
  if (text.length > MAX_CHARS) throw new UserError(`The plan is too long: at most ${MAX_CHARS} characters.`);
  return text;
}

/** As the file has them, with what whoever wrote them has said of which they are. */
function namedSteps(plan: string | Plan, text: string): PlanStep[] {
  const { steps } = parsePlan(text);
  const given = typeof plan === 'string' ? [] : plan.steps;
  return given.length === steps.length ? steps.map((step, at) => ({ ...step, id: given[at]?.id ?? '' })) : steps;
}
