/**
 * All metrics of `/metrics`, by name. External programs rely on names, units and labels, so these never change; new
 * ones are added. Invariant: labels contain our own words, names from the configuration or a platform's event kinds,
 * never a chat, a person or what somebody wrote.
 */

// Upper bounds of the histograms' buckets, in seconds.
const QUICK = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const WAIT = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3_600];
/** Sending is retried for a day. */
const SENDING = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 14_400, 86_400];

export const COUNTERS = {
  viber_inbound_total: 'Platform events, by channel and outcome.',
  viber_runs_total: 'Runs, by final state.',
  viber_deliveries_total: 'Attempts to deliver, by outcome.',
  viber_dropped_total: 'Events of kinds that are not handled, by channel and kind.',
  viber_model_calls_total: 'Model calls that are charged, by model.',
  viber_model_tokens_total:
    'Tokens of model calls, by model and direction; cached is the part of the input that the provider had cached.',
  viber_model_cost_total: 'Cost of model calls, by model and currency; calls without a known price are left out.',
  viber_errors_total: 'Failures, by stage (model, run, delivery) and kind; one that is tried again counts each time.',
} as const;

export const HISTOGRAMS = {
  viber_acknowledge_seconds: {
    help: 'From an event to its acknowledgement, once it is durable, by channel.',
    buckets: QUICK,
  },
  viber_queue_wait_seconds: { help: 'From a durable message to the start of work on it, by channel.', buckets: WAIT },
  viber_first_word_seconds: {
    help: 'From a durable message to the first word of its answer, by channel.',
    buckets: WAIT,
  },
  viber_answer_seconds: {
    help: 'From a durable message to the arrival of its answer at the platform, by channel.',
    buckets: WAIT,
  },
  viber_delivery_seconds: {
    help: 'From an answer in the outbox to its arrival at the platform, by channel.',
    buckets: SENDING,
  },
  viber_model_call_seconds: { help: 'Model calls from the request to the end of the answer, by model.', buckets: WAIT },
} as const;

export const GAUGES = {
  viber_waiting: 'Unfinished messages and answers.',
  viber_dead: 'Messages that the gateway gave up on.',
  viber_resident_bytes: 'Resident memory.',
  viber_queue_depth: 'Entries pending or in progress, in the inbox (messages) and the outbox (answers).',
  viber_queue_age_seconds: 'Age of the oldest entry in seconds; 0 if there is none.',
  viber_channel_connected: 'Whether a channel is connected, 1 or 0.',
  viber_role: 'Roles of this process: 1 for each role that it has (ingress, work, deliver).',
  viber_start_time_seconds: 'When the gateway was started, in seconds since 1970.',
} as const;

export type CounterName = keyof typeof COUNTERS;
export type HistogramName = keyof typeof HISTOGRAMS;
export type GaugeName = keyof typeof GAUGES;
