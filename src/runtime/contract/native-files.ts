/** Which providers' models look at the pages of a PDF themselves; all others are given its text. */
const TAKES_PDF = new Set(['anthropic', 'openai', 'google', 'openrouter']);

/** @param model `provider/model`, or the SDK's name of a provider, `provider.chat` */
export const takesPdf = (model: string): boolean => TAKES_PDF.has(model.split(/[/.]/, 1)[0] ?? '');
