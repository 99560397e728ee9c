/**
 * Exports everything that an external package builds on, as `openviber-gateway/plugin`. A channel is loaded by
 * `channels.NAME.module`, a feature by `plugins`. A plugin is code with all the gateway's rights.
 */
export { z } from 'zod';
export type * from '../channels/channel.ts';
export { emptyMessage } from '../channels/channel.ts';
export type * from '../channels/kind.ts';
export { defineChannel } from '../channels/kind.ts';
export type { Lead, Turn } from '../channels/lead.ts';
export { parseMarkdown } from '../channels/markdown/parse.ts';
export { type Edit, edit, type Inline, type Rich, type Span } from '../channels/markdown/rich.ts';
export { splitRich } from '../channels/markdown/split.ts';
export { type ChannelState, createChannelState } from '../channels/shared/connection.ts';
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
export { type RefusedFile, refusalNotice, type WhyRefused } from '../channels/shared/refused-files.ts';
export {
  editedPart,
  FilesRefused,
  type Outgoing,
  type Step as SendStep,
  sendParts,
} from '../channels/shared/send-parts.ts';
export {
  createStatus,
  type Live,
  type StatusCalls,
  type StatusMessage,
  type StatusOptions,
  type Words as StatusWords,
} from '../channels/shared/status.ts';
export { type Backoff, createBackoff, sleep } from '../channels/shared/wait.ts';
export {
  createBodyReader,
  declaredBytes,
  refuseRequest as refuse,
  type WebhookHandler,
} from '../channels/shared/webhook.ts';
export * as settings from '../config/schema-parts.ts';
export { ConfigError, type ConfigProblem, DeliveryError, errorCode, errorMessage, UserError } from '../errors.ts';
export { createLru, type Lru } from '../lib/lru.ts';
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
