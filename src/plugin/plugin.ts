/**
 * Exports what a package from outside builds on, as `openviber-gateway/plugin`. A channel is loaded by
 * `channels.NAME.module`, a feature by `plugins`. A plugin is code with all rights of the gateway.
 */
export { z } from 'zod';
export type * from '../channels/channel.ts';
export type * from '../channels/kind.ts';
export { defineChannel } from '../channels/kind.ts';
export { parseMarkdown } from '../channels/markdown/parse.ts';
export { type Edit, edit, type Inline, type Rich, type Span } from '../channels/markdown/rich.ts';
export { splitRich } from '../channels/markdown/split.ts';
export {
  createPlatformDownload as createDownload,
  type Download,
  type DownloadSource,
} from '../channels/shared/download.ts';
export {
  type Fields,
  fields,
  fieldsList as list,
  integer,
  isFields,
  string,
  tidyLine as oneLine,
} from '../channels/shared/read.ts';
export { type RefusedFile, refusalNotice } from '../channels/shared/refused-files.ts';
export { FilesRefused, type Outgoing, sendParts } from '../channels/shared/send-parts.ts';
export {
  createBodyReader,
  declaredBytes,
  refuseRequest as refuse,
  type WebhookHandler,
} from '../channels/shared/webhook.ts';
export * as settings from '../config/schema-parts.ts';
export { ConfigError, type ConfigProblem, DeliveryError, errorCode, errorMessage, UserError } from '../errors.ts';
export type { Logger } from '../log.ts';
export { type Messages, messagesFor, type Text, words } from '../messages/messages.ts';
export {
  defineCommand,
  defineFeature,
  defineTool,
  type PluginFeature,
  type PluginGateway,
  type PluginRun,
  settingsOf,
} from './feature.ts';
