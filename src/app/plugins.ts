/** Combines the built-in features with external ones. An external one that conflicts with others is left out. */
import { RequestError } from '../board/respond.ts';
import { errorMessage } from '../errors.ts';
import { loadFeatures } from '../features.ts';
import { within } from '../lib/within.ts';
import type { Logger } from '../log.ts';
import { say } from '../messages/messages.ts';
import type { LoadedFeature } from '../plugin/load.ts';
import type { BoardDoor } from '../runtime/contract/board.ts';
import { UNCOUNTED } from '../runtime/contract/spending.ts';
import { featureSet } from '../runtime/features.ts';
import type { Feature } from '../runtime/run/gateway.ts';

export async function withPlugins(plugins: readonly LoadedFeature[], log: Logger): Promise<readonly Feature[]> {
  const features = [...(await loadFeatures())];
  for (const { setting, feature } of plugins) {
    try {
      // A plugin is compiled against `plugin/feature.ts`, whose gateway is part of the real one.
      const more = guarded(feature as Feature, log);
      featureSet([...features, more]);
      features.push(more);
    } catch (error) {
      log.error({ err: error, setting }, `${setting}: ${feature.name} is left out: ${errorMessage(error)}`);
    }
  }
  return features;
}

const HOOK_MS = 10_000;

/** Returns functions that run a feature's hooks: one for hooks that return at once, one for hooks that take time. */
function guardOf(feature: Feature, log: Logger, hookMs: number) {
  const tell = (hook: string, error: unknown) =>
    log.error({ err: error, feature: feature.name, hook }, `${feature.name} failed: ${errorMessage(error)}`);
  const safe =
    <Given extends unknown[], Result>(hook: string, run: (...given: Given) => Result, nothing: NoInfer<Result>) =>
    (...given: Given): Result => {
      try {
        return run(...given);
      } catch (error) {
        tell(hook, error);
        return nothing;
      }
    };
  /** Guards a condition that is a function; data can't throw. A feature without a condition never applies. */
  const tested = <Given extends unknown[], Data extends object>(
    hook: string,
    when: Data | ((...given: Given) => boolean),
  ) => {
    const isFunction = (given: unknown): given is (...given: Given) => boolean => typeof given === 'function';
    if (isFunction(when)) return safe(hook, when, false);
    return typeof when === 'object' && when !== null ? when : () => false;
  };
  async function timely<Result>(hook: string, run: () => Result | Promise<Result>, nothing: Result): Promise<Result> {
    const late = () => {
      throw new Error(`it did not end within ${hookMs / 1000} seconds`);
    };
    try {
      return await within<Result, never>(Promise.resolve(run()), hookMs, late);
    } catch (error) {
      tell(hook, error);
      return nothing;
    }
  }
  return { safe, tested, timely };
}

const NO_DOOR: BoardDoor = {
  routes: [],
  open: [],
  session() {
    throw new RequestError(403, 'no_login', say('requests.noLogins'));
  },
  close: () => undefined,
};

/** Guards the hooks that other parts of the gateway call outside a message. */
function guardedBeside(feature: Feature, { safe, timely }: ReturnType<typeof guardOf>): Partial<Feature> {
  const { routes, door, names, called, search, servers, playbooks, spending, status, stop } = feature;
  return {
    ...(routes && { routes: (...given) => timely('routes', () => routes.call(feature, ...given), []) }),
    ...(door && { door: (...given) => timely('door', () => door.call(feature, ...given), NO_DOOR) }),
    ...(names && { names: (...given) => timely('names', () => names.call(feature, ...given), {}) }),
    ...(called && { called: (...given) => timely('called', () => called.call(feature, ...given), undefined) }),
    ...(search && { search: (...given) => timely('search', () => search.call(feature, ...given), []) }),
    ...(servers && { servers: (gw) => timely('servers', () => servers.call(feature, gw), []) }),
    ...(playbooks && { playbooks: safe('playbooks', (gw) => playbooks.call(feature, gw), []) }),
    ...(spending && { spending: safe('spending', (at) => spending.call(feature, at), UNCOUNTED) }),
    ...(status && { status: safe('status', (...given) => status.call(feature, ...given), []) }),
    ...(stop && { stop: (...given) => timely('stop', () => stop.call(feature, ...given), false) }),
  };
}

/**
 * Wraps an external feature so that its hooks can't delay or repeat an answer: a hook that throws, or exceeds the time
 * limit, counts as doing nothing. Its tools and commands, and work that it takes over, fail like those of the gateway.
 */
export function guarded(feature: Feature, log: Logger, hookMs = HOOK_MS): Feature {
  const guard = guardOf(feature, log, hookMs);
  const { safe, tested, timely } = guard;
  const {
    takes,
    delivers,
    answers,
    keeps,
    after,
    recall,
    reply,
    replied,
    understands,
    below,
    cut,
    gaveUp,
    sweep,
    start,
  } = feature;
  return {
    ...feature,
    ...guardedBeside(feature, guard),
    ...(feature.isSetUp && { isSetUp: safe('isSetUp', (at) => feature.isSetUp?.(at) === true, false) }),
    ...(takes && { takes: { ...takes, when: tested('takes', takes.when) } }),
    ...(delivers && { delivers: { ...delivers, when: tested('delivers', delivers.when) } }),
    ...(answers && {
      answers: {
        when: tested('answers', answers.when),
        add: (outcome, turn, gw) => timely('answers', () => answers.add(outcome, turn, gw), outcome),
      },
    }),
    ...(keeps && {
      keeps: {
        when: tested('keeps', keeps.when),
        keep: (...given) => timely('keeps', () => keeps.keep(...given), undefined),
      },
    }),
    ...(after && {
      after: {
        when: tested('after', after.when),
        note: safe('after', (...given) => after.note(...given), undefined),
      },
    }),
    ...(reply && {
      reply: reply.map((block) => ({
        ...block,
        ...(block.passOn && { passOn: safe('reply', block.passOn, '') }),
        take: (texts, of, gw) => timely('reply', () => block.take(texts, of, gw), undefined),
      })),
    }),
    ...(understands && {
      understands: {
        when: tested('understands', understands.when),
        read: (answer, ...given) => timely('understands', () => understands.read(answer, ...given), { answer }),
      },
    }),
    ...(recall && {
      recall: (of, gw) => timely('recall', () => recall.call(feature, of, gw), { text: '', hasLogs: false }),
    }),
    ...(replied && { replied: (said, gw) => timely('replied', () => replied.call(feature, said, gw), undefined) }),
    ...(below && { below: safe('below', (...given) => below.call(feature, ...given), undefined) }),
    ...(cut && { cut: safe('cut', (...given) => cut.call(feature, ...given), undefined) }),
    ...(gaveUp && { gaveUp: safe('gaveUp', (...given) => gaveUp.call(feature, ...given), undefined) }),
    ...(sweep && { sweep: safe('sweep', (...given) => sweep.call(feature, ...given), undefined) }),
    ...(start && {
      async start(gw) {
        const stop = await timely(
          'start',
          () => start.call(feature, gw),
          () => undefined,
        );
        return () => timely('stop', () => stop(), undefined);
      },
    }),
  };
}
