/** Voice messages: transcription and speech. */
import type { z } from 'zod';
import { listOf, model, oneOf, onOff, section, text, whole } from '../schema-parts.ts';

export type VoiceConfig = z.output<typeof voice>;

export const voice = section({
  model: model
    .exactOptional()
    .describe(
      "`provider/model` that writes recordings down: `openai`, `groq`, `deepgram`, or any endpoint under `providers` with OpenAI's `/audio/transcriptions`; without it the first of `OPENAI_API_KEY` (`whisper-1`), `GROQ_API_KEY` (`whisper-large-v3-turbo`) and `DEEPGRAM_API_KEY` (`nova-3`) decides",
    ),
  command: listOf(text('expected text'))
    .default([])
    .describe(
      'a program of this machine with its arguments that prints what was said; `{file}` is the recording (else it comes last). Run without a shell, for five minutes at most, without your keys; asked first where `voice.model` is absent, after it where it is set',
    ),
  language: text('expected two letters, for example de', /^[a-z]{2}$/)
    .exactOptional()
    .describe('two letters, where everybody speaks the same; else it is found out'),
  max_seconds: whole(1, 14_400).default(900).describe('longer recordings are not written down'),
  echo: onOff.default('on').describe('what was heard is quoted in the chat before the answer'),
  reply: oneOf('off', 'same')
    .default('off')
    .describe(
      '`same` answers a voice message by voice too (by a sound file where the platform has no voice messages), always with the text',
    ),
  speech: model.default('openai/gpt-4o-mini-tts').describe("`provider/model` that speaks, by OpenAI's `/audio/speech`"),
  speaker: text('expected the name of a voice, for example alloy', /^[\w-]+$/)
    .default('alloy')
    .describe('its voice'),
});
