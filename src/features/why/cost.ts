/** Describes what a run cost: its calls by model, tokens, money where a price is known, and time. */
import { say, type Wording } from '../../messages/messages.ts';
import type { SessionEntry, Usage } from '../../workspace/types.ts';
import { addUsage, readUsage, type UsageCall, usageDay } from '../../workspace/usage.ts';
import type { Gateway } from '../gateway.ts';
import { type AnswerRun, lengthText, quotedLine, type WhyLine, type WhyReader } from './reader.ts';

const DAY_MS = 86_400_000;
/** A run waits no longer than this for a person. */
const MAX_DAYS = 31;

export async function costLines(explained: AnswerRun, reader: WhyReader, gw: Gateway): Promise<WhyLine[]> {
  const { messages } = reader;
  const calls = countedCalls(explained, gw);
  const result = explained.entries.findLast((entry) => entry.type === 'result');
  const sum = calls.reduce<Usage | undefined>((all, { usage }) => addUsage(all, usage), undefined);
  return [
    ...(calls.length === 0
      ? [onlyTotal(result?.type === 'result' ? result.usage : undefined, reader)]
      : await modelLines(explained, calls, reader, gw)),
    ...(sum && new Set(calls.map(({ model }) => model)).size > 1
      ? [{ text: messages.text('why.total', { usage: usedText(sum, reader) }) }]
      : []),
    ...timeLines(explained, reader),
  ];
}

const onlyTotal = (usage: Usage | undefined, reader: WhyReader): WhyLine => ({
  text: usage
    ? reader.messages.text('why.onlySum', { usage: usedText(usage, reader) })
    : reader.messages.text('why.noCalls'),
});

interface CountedCall {
  model: string;
  ms: number;
  isEstimate: boolean;
  usage: Usage;
}

/** Parts that other agents worked on count towards the same run. */
function countedCalls({ run, entries, since }: AnswerRun, { home }: Gateway): CountedCall[] {
  const end = Math.max(since, ...entries.map((entry) => ('at' in entry ? Date.parse(entry.at) || 0 : 0)));
  const days = new Set<string>();
  for (let at = since; at < end + DAY_MS && days.size < MAX_DAYS; at += DAY_MS) days.add(usageDay(Math.min(at, end)));
  days.add(usageDay(end));
  return [...days]
    .flatMap((day) => readUsage(home, day))
    .filter((line): line is UsageCall => line.type === 'call' && line.run === run)
    .map(({ model, ms, isEstimate, inputTokens, outputTokens, cachedInputTokens, cost, currency, unpricedTokens }) => ({
      model,
      ms,
      isEstimate: isEstimate === true,
      usage: {
        inputTokens,
        outputTokens,
        ...(cachedInputTokens !== undefined && { cachedInputTokens }),
        ...(cost !== undefined && { cost }),
        ...(currency !== undefined && { currency }),
        ...(unpricedTokens !== undefined && { unpricedTokens }),
      },
    }));
}

async function modelLines(
  { task }: AnswerRun,
  calls: readonly CountedCall[],
  reader: WhyReader,
  gw: Gateway,
): Promise<WhyLine[]> {
  const { messages } = reader;
  // If a viber's file can't be used, the general settings apply.
  const own = await gw.models.loadAgent(task.viber).catch(() => undefined);
  const fallback = own?.fallback ?? gw.config.fallback;
  const byModel = [...Map.groupBy(calls, ({ model }) => model)];
  const estimated = calls.filter(({ isEstimate }) => isEstimate).length;
  return [
    ...byModel.map(([model, all]): WhyLine => {
      const usage = all.reduce<Usage | undefined>((sum, call) => addUsage(sum, call.usage), undefined);
      const time = lengthText(
        all.reduce((sum, { ms }) => sum + (ms || 0), 0),
        messages,
      );
      const said = { model: quotedLine(model), n: all.length, time, usage: usage ? usedText(usage, reader) : '' };
      return { text: messages.text('why.calls', said) };
    }),
    ...(estimated > 0 ? [{ text: messages.text('why.estimated', { n: estimated }) }] : []),
    ...byModel
      .filter(([model]) => fallback.includes(model) && model !== (own?.model ?? gw.models.modelName()))
      .map(([model]): WhyLine => ({ text: messages.text('why.fallback', { model: quotedLine(model) }) })),
  ];
}

function usedText(usage: Usage, { messages }: WhyReader): Wording {
  const { cost, currency, cachedInputTokens, unpricedTokens = 0 } = usage;
  const counted = { in: Math.round(usage.inputTokens), out: Math.round(usage.outputTokens) };
  const tokens = cachedInputTokens
    ? say('costs.tokensCached', { ...counted, cached: Math.round(cachedInputTokens) })
    : say('costs.tokens', counted);
  if (cost === undefined || currency === undefined)
    return unpricedTokens > 0 ? say('costs.unpriced', { tokens }) : tokens;
  const digits = cost === 0 || cost >= 1 ? 2 : Math.min(6, Math.max(2, 2 - Math.floor(Math.log10(cost))));
  const amount = new Intl.NumberFormat(messages.language, {
    minimumFractionDigits: 2,
    maximumFractionDigits: digits,
  }).format(cost);
  const money = say('costs.money', { amount, currency });
  return unpricedTokens > 0
    ? say('costs.pricedPartly', { tokens, money, rest: Math.round(unpricedTokens) })
    : say('costs.priced', { tokens, money });
}

function timeLines({ entries, isCut }: AnswerRun, { messages }: WhyReader): WhyLine[] {
  const first = entries.find((entry) => entry.type === 'message');
  const result = entries.findLast((entry) => entry.type === 'result');
  if (isCut || first?.type !== 'message' || result?.type !== 'result') return [];
  const took = Date.parse(result.at) - Date.parse(first.at);
  if (!(took >= 0)) return [];
  const waited = waitedMs(entries);
  const time = lengthText(took, messages);
  if (waited < 1000) return [{ text: messages.text('why.took', { time }) }];
  return [{ text: messages.text('why.tookWaiting', { time, waited: lengthText(waited, messages) }) }];
}

/** Adds up the time from each question to its decision. */
function waitedMs(entries: readonly SessionEntry[]): number {
  const asked = new Map(entries.flatMap((entry) => (entry.type === 'approval' ? [[entry.id, entry.at] as const] : [])));
  return entries.reduce((sum, entry) => {
    const at = entry.type === 'decision' ? asked.get(entry.approval) : undefined;
    return at === undefined || entry.type !== 'decision'
      ? sum
      : sum + Math.max(0, Date.parse(entry.at) - Date.parse(at) || 0);
  }, 0);
}
