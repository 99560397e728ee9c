/** Re-exports the parts of the AI SDK that are loaded late, by name, so that the bundle contains nothing else of it. */
export {
  APICallError,
  defaultSettingsMiddleware,
  embedMany,
  generateImage,
  generateSpeech,
  transcribe,
  wrapLanguageModel,
} from 'ai';
