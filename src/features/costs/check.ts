/** Checks that the prices of models and voices are known. */

import { say } from '../../messages/messages.ts';
import type { Finding } from '../../runtime/contract/finding.ts';
import { knownProvider, OFFLINE_MODEL, splitModelName } from '../../runtime/contract/providers.ts';
import { createModels } from '../../runtime/model/models.ts';
import { configOf } from '../gateway.ts';
import { hasMinutePrice } from './minutes.ts';
import { priceOf } from './prices.ts';

/** Finds paid models without a known price: their tokens are counted, but limits in money don't apply to them. */
export function checkPrices(given: object, env: NodeJS.ProcessEnv): Finding[] {
  const config = configOf({ config: given });
  const { prices, currency, limits, voice } = config;
  const models = createModels({ providers: config.providers, env });
  const isLimited = limits.costPerDay > 0 || limits.costPerPersonPerDay > 0;
  const small = config.smallModel === undefined ? [] : [config.smallModel];
  const used = [config.model ?? models.defaultModel, ...config.fallback, ...config.models, ...small];
  const isPaid = (name: string) => isLimited || (knownProvider(splitModelName(name).provider)?.env.length ?? 0) > 0;
  const unpriced = [...new Set(used)].filter(
    (name) => name !== OFFLINE_MODEL && isPaid(name) && priceOf(name, prices, currency) === undefined,
  );
  const isSpeechUnknown =
    voice.reply === 'same' && !hasMinutePrice(voice.speech, currency) && !priceOf(voice.speech, prices, currency);
  const unknown = isSpeechUnknown ? [...unpriced, voice.speech] : unpriced;
  return unknown.map((name) => ({
    name: 'prices',
    state: 'note',
    detail: say('doctor.noPrice', { name }),
  }));
}
