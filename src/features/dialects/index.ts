/** Dialects of open models: calls and thoughts that they write as text. */
import type { Feature } from '../gateway.ts';

/** A text without any of these holds neither calls nor reasoning. */
const MAY_HOLD_CALLS = /[<[{◁`]/;

export const dialects: Feature = {
  name: 'dialects',
  understands: {
    when: (text) => MAY_HOLD_CALLS.test(text),
    read: async (...given) => (await import('./written.ts')).takeWritten(...given),
  },
};
