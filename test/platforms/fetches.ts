/**
 * What each platform's servers would fetch because of one call of the bot, by the platform's own rules:
 * https://core.telegram.org/bots/api#linkpreviewoptions, https://core.telegram.org/bots/api#inputrichmessage,
 * https://discord.com/developers/docs/resources/message#message-object-message-flags,
 * https://docs.slack.dev/messaging/unfurling-links-in-messages
 */
const URLS = /https?:\/\/[^\s<>"'`|)\\]+/g;
/** Names that a client makes links of by itself. */
const NAMES = /(?<![\p{L}\p{N}@/.-])(?:[\p{L}\p{N}-]+\.)+(?:com|org|net|test|example)(?:\/[^\s<>"'`|)\\]*)?/gu;
const SUPPRESS_EMBEDS = 4;

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A field that may be given as JSON in a text. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || !/^[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch (error) {
    if (error instanceof SyntaxError) return value;
    throw error;
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
/** Without code, and without what is escaped. */
const bareText = (value: unknown): string => textOf(value).replace(/`[^`]*`|\\./g, '');
const urlsIn = (value: unknown): string[] => textOf(value).match(URLS) ?? [];

/** Every object within, itself included. */
function objectsIn(value: unknown): Fields[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  return isFields(value) ? [value, ...Object.values(value).flatMap(objectsIn)] : [];
}

const MEDIA = ['photo', 'document', 'video', 'audio', 'animation', 'media', 'thumbnail', 'cover', 'voice'];

export function telegramFetches({ method, params }: { method: string; params: Fields }): string[] {
  if (!/^(send|edit|copy)/.test(method)) return [];
  const previews = parsed(params.link_preview_options);
  const isOff = isFields(previews) && previews.is_disabled === true;
  const text = isOff ? [] : [...urlsIn(params.text), ...urlsIn(params.entities)];
  // A rich message has no previews; Telegram fetches what it has as media, and pictures in Markdown or HTML.
  const rich = parsed(params.rich_message);
  const source = isFields(rich) ? [...urlsIn(rich.markdown), ...urlsIn(rich.html), ...urlsIn(rich.media)] : [];
  const given = [params, ...objectsIn(rich), ...objectsIn(parsed(params.media))];
  return [...text, ...source, ...given.flatMap((each) => MEDIA.flatMap((name) => urlsIn(each[name])))];
}

export function discordFetches({ method, path, body }: { method: string; path: string; body: unknown }): string[] {
  if (!/^(POST|PATCH)$/.test(method) || !/messages|callback|webhooks/.test(path) || !isFields(body)) return [];
  const message = isFields(body.data) ? body.data : body;
  const flags = typeof message.flags === 'number' ? message.flags : 0;
  const content = textOf(message.content ?? '');
  const text = (flags & SUPPRESS_EMBEDS) !== 0 ? [] : urlsIn(content.replace(/<https?:[^>]*>|`[^`]*`/g, ''));
  const blocks = objectsIn(message.components).flatMap((each) => urlsIn(each.media));
  return [...text, ...urlsIn(message.embeds), ...blocks];
}

export function slackFetches({ method, params }: { method: string; params: Fields }): string[] {
  const given = method === 'response_url' ? parsed(params.body) : params;
  if (!isFields(given)) return [];
  const isTold = (value: unknown) => value === false || value === 'false' || value === '0';
  const isQuiet = isTold(given.unfurl_links) && isTold(given.unfurl_media);
  const blocks = parsed(given.blocks);
  const pictures = objectsIn(blocks).flatMap((each) => [...urlsIn(each.image_url), ...urlsIn(each.thumb_url)]);
  const marked = objectsIn(blocks).filter((each) => each.type === 'markdown');
  const drawn = marked.flatMap((each) => bareText(each.text).match(/!\[[^[\]]*\]\([^)]*\)/g) ?? []);
  const isPosted = ['chat.postMessage', 'chat.postEphemeral', 'response_url'].includes(method) && !isQuiet;
  // A stream cannot be told to show no previews.
  const isStreamed = /^chat\.(start|append|stop)Stream$/.test(method);
  const streamed = isStreamed ? [textOf(given.markdown_text ?? ''), textOf(given.chunks ?? '')] : [];
  return [
    ...(isPosted ? [...urlsIn(given.text), ...urlsIn(blocks)] : []),
    ...streamed.flatMap((text) => [
      ...urlsIn(text),
      ...(text.match(NAMES) ?? []),
      ...(text.match(/!\[[^[\]]*\]\(/g) ?? []),
    ]),
    ...[...pictures, ...drawn, ...urlsIn(given.attachments)],
  ];
}
