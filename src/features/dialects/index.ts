/** Dialects of open models: tool calls and reasoning that they write as text. */
import type { Feature } from '../gateway.ts';

/** A text without any of these contains neither calls nor reasoning. */
const MAY_HOLD_CALLS = /[<[{◁`]/;

export const dialects: Feature = {
  name: 'dialects',
  understands: {
    when: MAY_HOLD_CALLS,
    read: async (...given) => (await import('./written.ts')).takeWritten(...given),
  },
};
