/** Calls of models with what they need of the configuration: which model answers, which may be chosen, and what each call costs. */

import path from 'node:path';
import { isBlank } from '../channels/markdown/blank.ts';
import type { Config } from '../config.ts';
import type { Logger } from '../log.ts';
import { type Agent, createAgent } from '../runtime/agent/agent.ts';
import type { OwnerNotifier } from '../runtime/conversations/owner-notifier.ts';
import type { ConversationSettings } from '../runtime/conversations/settings.ts';
import { Costs } from '../runtime/costs/costs.ts';
import { createMeter, type Meter } from '../runtime/costs/meter.ts';
import { priceOf } from '../runtime/costs/prices.ts';
import { Choices, type ModelChoices } from '../runtime/model/choices.ts';
import { chosenAt } from '../runtime/model/choose.ts';
import { createModels, type ModelCheck } from '../runtime/model/models.ts';
import { keepRefused } from '../runtime/model/refused-files.ts';
import type { RunServices } from '../runtime/run/services.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Home } from '../workspace/home.ts';
import { countCall } from './counting.ts';

export interface AppModels {
  choices: ModelChoices;
  chosen: NonNullable<RunServices['chosen']>;
}

export function openAppModels(options: {
  config: Pick<Config, 'models' | 'fallback' | 'prices' | 'currency'>;
  models: ModelCheck;
  modelName: () => string;
  settings: ConversationSettings;
}): AppModels {
  const { config, settings } = options;
  const { prices, currency, fallback, models: listed } = config;
  const choices = new Choices({
    ...{ models: options.models, usual: options.modelName, fallback, listed, currency },
    priceOf: (id) => priceOf(id, prices, currency),
  });
  return {
    choices,
    chosen(address) {
      const { model, isUsual, thinking } = chosenAt({ models: choices, settings, address });
      return { ...(isUsual ? {} : { model: model.id }), ...(thinking && { thinking }) };
    },
  };
}

export interface ModelCalls extends AppModels {
  models: ReturnType<typeof createModels>;
  /** The one that answers where nothing else is said. */
  modelName: () => string;
  agent: Agent;
  costs: Costs;
  meter: Meter;
}

export function openModelCalls(options: {
  config: Config;
  home: Home;
  env: NodeJS.ProcessEnv;
  settings: ConversationSettings;
  notifier: Pick<OwnerNotifier, 'tellOwners'>;
  metrics: Metrics;
  log: Logger;
}): ModelCalls {
  const { config, home, env, settings, notifier, metrics, log } = options;
  const models = createModels({ providers: config.providers, env: env });
  const modelName = () => config.model ?? models.defaultModel;
  const choosing = openAppModels({ config, models, modelName, settings });
  const seconds = (value: number) => value * 1000;
  const { connect, firstToken, idle, run } = config.timeouts;
  keepRefused(path.join(home.cache, 'refused-files'));
  const agent = createAgent({
    ...{ models, log, isBlank },
    onModelFailure: (kind) => metrics.count('viber_errors_total', { stage: 'model', kind }),
    timeouts: { connect: seconds(connect), firstToken: seconds(firstToken), idle: seconds(idle), run: seconds(run) },
  });
  const costs = new Costs({
    ...{ home, log, prices: config.prices, currency: config.currency, limits: config.limits },
    isShared: config.engine.kind !== 'local',
    onCall: (call, usage) => countCall(metrics, call, usage),
  });
  const meter = createMeter({ costs, tellOwners: (id, text) => void notifier.tellOwners(id, text) });
  return { ...choosing, models, modelName, agent, costs, meter };
}
