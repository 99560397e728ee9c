/** Of the AI SDK what is used, for those who load it late: by names of its own, so that the program holds nothing else of it. */
export {
  APICallError,
  defaultSettingsMiddleware,
  embedMany,
  generateSpeech,
  transcribe,
  wrapLanguageModel,
} from 'ai';
