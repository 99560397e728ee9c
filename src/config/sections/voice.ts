/** Voice messages: transcription and speech. */

import type { z } from 'zod';
import { expects } from '../../messages/expects.ts';
import { appliesLive, listOf, model, oneOf, onOff, section, text, whole } from '../schema-parts.ts';

export type VoiceConfig = z.output<typeof voice>;

export const voice = section({
  model: model
    .exactOptional()
    .describe(
      '`provider/model` that transcribes: `openai`, `groq`, `deepgram`, or an endpoint of `providers`; otherwise the first of `OPENAI_API_KEY`, `GROQ_API_KEY` and `DEEPGRAM_API_KEY` decides',
    ),
  command: listOf(text(expects('expected.text')))
    .default([])
    .describe(
      'a local program with arguments that prints the words; `{file}` is the recording. Runs without your keys, for five minutes at most, and after `voice.model`',
    ),
  language: text(expects('expected.twoLetters'), /^[a-z]{2}$/)
    .exactOptional()
    .describe('two letters, if everybody speaks the same; otherwise detected'),
  maxSeconds: whole(1, 14_400).default(900).describe('longer recordings are not transcribed'),
  echo: appliesLive(onOff.default('on').describe('quotes what was heard before the answer')),
  reply: appliesLive(oneOf('off', 'same').default('off').describe('`same` also answers voice messages by voice')),
  speech: model
    .default('openai/gpt-4o-mini-tts')
    .describe("`provider/model` that speaks, with OpenAI's `/audio/speech`"),
  speaker: text(expects('expected.voice'), /^[\w-]+$/)
    .default('alloy')
    .describe('its voice'),
});
