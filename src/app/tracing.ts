/** Starts tracing if an endpoint is set, in the configuration or in OpenTelemetry's environment variables. */
import { versionOf } from '../cli/version.ts';
import { variable } from '../config/environment.ts';
import type { TelemetryConfig } from '../config/sections/outside.ts';
import { type OutboxFile, spoolKey } from '../engine/engine.ts';
import { errorMessage } from '../errors.ts';
import { addSecret, type Logger } from '../log.ts';
import type { Tracing } from '../telemetry/tracing.ts';

export interface TraceTarget {
  url: string;
  headers: Record<string, string>;
  sample: number;
  resource: Record<string, string>;
}

const PATH = '/v1/traces';
const SAMPLERS = ['traceidratio', 'parentbased_traceidratio'];

/** Returns undefined if no endpoint is set or tracing is turned off. */
export function traceTarget(config: TelemetryConfig, env: NodeJS.ProcessEnv): TraceTarget | undefined {
  const isOff = variable(env, 'OTEL_SDK_DISABLED') === 'true' || variable(env, 'OTEL_TRACES_EXPORTER') === 'none';
  const base = config.endpoint ?? variable(env, 'OTEL_EXPORTER_OTLP_ENDPOINT');
  const whole = config.endpoint ? undefined : variable(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  if (isOff || (base === undefined && whole === undefined)) return undefined;
  const headers = {
    ...pairsIn(variable(env, 'OTEL_EXPORTER_OTLP_HEADERS')),
    ...pairsIn(variable(env, 'OTEL_EXPORTER_OTLP_TRACES_HEADERS')),
    ...config.headers,
  };
  for (const value of Object.values(headers)) addSecret(value);
  const own = pairsIn(variable(env, 'OTEL_RESOURCE_ATTRIBUTES'));
  const name = config.service ?? variable(env, 'OTEL_SERVICE_NAME') ?? own['service.name'] ?? 'openviber-gateway';
  const isRatio = SAMPLERS.includes(variable(env, 'OTEL_TRACES_SAMPLER') ?? '');
  const given = Number((isRatio && variable(env, 'OTEL_TRACES_SAMPLER_ARG')) || 1);
  const trimmed = base?.replace(/\/+$/, '') ?? '';
  return {
    url: whole ?? (trimmed.endsWith(PATH) ? trimmed : trimmed + PATH),
    headers,
    sample: config.sample ?? (given >= 0 && given <= 1 ? given : 1),
    resource: { ...own, 'service.name': name, 'service.version': versionOf() },
  };
}

/** Parses W3C Baggage: `name=value,other=value`, values percent-encoded. Skips anything in another form. */
function pairsIn(text = ''): Record<string, string> {
  const pairs = text.split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    if (at < 1) return [];
    const value = pair.slice(at + 1).trim();
    const isEncoded = /^(?:[^%]|%[0-9a-f]{2})*$/i.test(value) && !/%[89a-f]/i.test(value);
    return [[pair.slice(0, at).trim(), isEncoded ? decodeURIComponent(value) : value] as const];
  });
  return Object.fromEntries(pairs);
}

/** Loads the tracing libraries only if they are needed. Never rejects: everything else works without traces. */
export async function openTracing(
  config: TelemetryConfig,
  env: NodeJS.ProcessEnv,
  log: Logger,
): Promise<Tracing | undefined> {
  const target = traceTarget(config, env);
  if (!target) return undefined;
  try {
    const { createTracing } = await import('../telemetry/otlp.ts');
    return createTracing({
      ...target,
      onChange: (problem) => {
        if (problem === undefined) log.info('the trace endpoint accepts traces again');
        else log.warn({ problem }, 'the trace endpoint refuses traces: pending ones beyond the limit are dropped');
      },
    });
  } catch (error) {
    log.error({ err: errorMessage(error) }, 'tracing is off: telemetry.endpoint cannot be used');
    return undefined;
  }
}

const TRACE = /^[0-9a-f]{32}/;

/** Traces an attempt to send an answer. An answer that belongs to no message in the spool has its own trace. */
export function traceSend(tracing: Tracing, { key, trace, message }: OutboxFile): (failure?: string) => void {
  const { channel } = message.address;
  const options = { kind: 'producer', attributes: { 'viber.trace': trace, 'viber.channel': channel } } as const;
  const known = TRACE.exec(key)?.[0];
  const span =
    known === undefined ? tracing.root(spoolKey(key), 'deliver', options) : tracing.stage(known, 'deliver', options);
  return (failure) => span.end(undefined, failure);
}
