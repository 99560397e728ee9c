/**
 * Opens model calls according to the configuration: which model answers, which may be chosen, and what each call costs.
 */

import path from 'node:path';
import { isBlank } from '../channels/markdown/blank.ts';
import type { Config } from '../config.ts';
import { FEATURES } from '../features.ts';
import { createAgent } from '../runtime/agent/agent.ts';
import type { OwnModels } from '../runtime/contract/model.ts';
import type { ConversationSettings } from '../runtime/conversations/conversations.ts';
import { Costs, createMeter, priceOf } from '../runtime/costs/costs.ts';
import { Choices, type ModelChoices } from '../runtime/model/choices.ts';
import { chosenAt } from '../runtime/model/choose.ts';
import { createModels, type ModelCheck } from '../runtime/model/models.ts';
import { keepRefused } from '../runtime/model/refused-files.ts';
import type { ModelCalls } from '../runtime/run/gateway.ts';
import type { GatewayOptions } from './contract.ts';
import { countCall } from './counting.ts';
import type { Stores } from './stores.ts';

export interface AppModels {
  choices: ModelChoices;
  chosen: ModelCalls['chosen'];
}

export function openAppModels(options: {
  config: Config;
  models: ModelCheck;
  modelName: () => string;
  settings: ConversationSettings;
}): AppModels {
  const { config, settings } = options;
  const { prices, currency, fallback, models: listed } = config;
  const choices = new Choices({
    models: options.models,
    usual: options.modelName,
    fallback,
    listed,
    currency,
    priceOf: (id) => priceOf(id, prices, currency),
  });
  return {
    choices,
    chosen(address) {
      const own = settings.get(address);
      if (own.model === undefined && own.thinking === undefined) return {};
      const { model, isUsual, thinking } = chosenAt({ models: choices, settings, address });
      return { ...(isUsual ? {} : { model: model.id }), ...(thinking && { thinking }) };
    },
  };
}

export function openModelCalls(
  { config, home, places, people, telemetry, log }: Stores,
  { env = {}, model: given, features = FEATURES }: GatewayOptions,
) {
  const { metrics } = telemetry;
  const own: OwnModels = Object.assign({}, ...features.map(({ models }) => models));
  const models = createModels({ providers: config.providers, env, own });
  const modelName = () => config.model ?? models.defaultModel;
  const { choices, chosen } = openAppModels({ config, models, modelName, settings: places.settings });
  const seconds = (value: number) => value * 1000;
  const { connect, firstToken, idle, run } = config.timeouts;
  keepRefused(path.join(home.cache, 'refused-files'));
  const agent =
    given ??
    createAgent({
      models,
      log,
      isBlank,
      readers: features.flatMap(({ understands }) => understands ?? []),
      onModelFailure: (kind) => metrics.count('viber_errors_total', { stage: 'model', kind }),
      timeouts: { connect: seconds(connect), firstToken: seconds(firstToken), idle: seconds(idle), run: seconds(run) },
    });
  const costs = new Costs({
    home,
    log,
    prices: config.prices,
    currency: config.currency,
    limits: config.limits,
    onCall: (call, usage) => countCall(metrics, call, usage),
  });
  const meter = createMeter({ costs, tellOwners: (id, text) => void people.owners.tellOwners(id, text) });
  return { choices, chosen, providers: models, modelName, agent, costs, meter };
}
