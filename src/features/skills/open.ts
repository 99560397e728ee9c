/** The skills of a gateway, read by the first run or shortly after the start. */
import { UserError } from '../../errors.ts';
import { within } from '../../lib/within.ts';
import { say } from '../../messages/messages.ts';
import type { OfferedNames } from '../../runtime/contract/feature.ts';
import type { FeatureOffer, Order } from '../../runtime/contract/order.ts';
import type { OwnSettings } from '../../runtime/contract/settings.ts';
import type { ToolScope } from '../../runtime/contract/tool-scope.ts';
import type { Skills } from '../../skills/catalog.ts';
import { configOf, type Gateway, perGateway } from '../gateway.ts';
import type { OpenSkills } from './parts.ts';
import type { SkillAdding, SkillList, SkillView } from './service.ts';

/** Delays reading so that it doesn't slow the start, in ms; earlier messages don't wait for it. */
const EARLY_MS = 1_000;
/** How long a run waits for files that keep being rewritten, in ms. */
const WAIT_MS = 3_000;

export class GatewaySkills {
  readonly #gw: Gateway;
  readonly #sandbox: boolean;
  /** Vibers whose skills have been read once. */
  readonly #read = new Set<string>();
  readonly #ending = new AbortController();
  #opened: Promise<OpenSkills> | undefined;

  /** @param sandbox if false, scripts run without the sandbox even if there is one, and each needs consent */
  constructor(gw: Gateway, sandbox = true) {
    this.#gw = gw;
    this.#sandbox = sandbox;
  }

  async offer(order: Order, own: OwnSettings, scope: ToolScope): Promise<FeatureOffer> {
    const { skills, reading, usable, isSandboxed, offerSkills } = await this.#parts();
    if (!this.#read.has(scope.viber)) {
      const work = Promise.all([reading, skills.open(scope.viber)]).then(() => this.#read.add(scope.viber));
      await within(work, WAIT_MS);
    }
    const { features } = this.#gw;
    return offerSkills(await usable(scope.viber), order, own, scope, {
      settings: configOf(this.#gw).skills,
      isSandboxed,
      gw: this.#gw,
      native: (name) => features.on.find(({ natives = {} }) => Object.hasOwn(natives, name))?.natives?.[name],
    });
  }

  /** Returns the current contents of the folders, including changes that have settled. */
  async list(viber: string): Promise<SkillList> {
    const { skills, health, listSkills } = await this.#parts();
    return listSkills(skills, health, viber);
  }

  async find(viber: string, name: string): Promise<SkillView | undefined> {
    const { skills, health, findSkill } = await this.#parts();
    return findSkill(skills, health, viber, name);
  }

  /** Returns the skills of these vibers; none of them while files keep being rewritten. */
  async names(vibers: readonly string[]): Promise<OfferedNames['skills']> {
    if (vibers.length === 0) return new Map();
    const { skills, reading } = await this.#parts();
    const work = Promise.all([reading, ...vibers.map((viber) => skills.open(viber))]).then(() => skills.refresh());
    const isRead = await within(
      work.then(() => true),
      WAIT_MS,
    );
    return isRead ? offeredSkills(skills, vibers) : new Map();
  }

  async adding(): Promise<SkillAdding> {
    const { openAdding } = await import('./adding.ts');
    const { home, log, features } = this.#gw;
    const onChange = async () => (await this.#opened)?.skills.refresh();
    const { signal } = this.#ending;
    return openAdding({ config: configOf(this.#gw), home, log, reserved: features.reserved, onChange, signal });
  }

  /** Schedules reading the skills; nothing waits for it. The result stops everything. */
  start(): () => Promise<void> {
    const early = setTimeout(() => {
      this.#parts().catch((err: unknown) => this.#gw.log.error({ err }, 'the skills could not be read'));
    }, EARLY_MS).unref();
    return async () => {
      clearTimeout(early);
      this.#ending.abort(new UserError(say('adding.restarted')));
      await (await this.#opened)?.skills.close();
    };
  }

  /** Rejects only for a bug of ours: the catalog reports skills that were broken at the start. */
  #parts(): Promise<OpenSkills> {
    this.#opened ??= import('./parts.ts')
      .then(({ openSkills }) => openSkills(this.#gw, this.#sandbox))
      .catch((error: unknown) => {
        this.#opened = undefined;
        throw error;
      });
    return this.#opened;
  }
}

export const skillsOf = perGateway((gw) => new GatewaySkills(gw));

export const offeredSkills = (skills: Skills, vibers: readonly string[]): OfferedNames['skills'] =>
  new Map(
    vibers.map((viber) => [viber, skills.of(viber).map(({ name, kind }) => ({ name, isTool: kind === 'tool' }))]),
  );
