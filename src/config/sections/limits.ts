/** Limits per person, per run, per day and for the whole gateway. */
import { amount, appliesLive, seconds, section, whole } from '../schema-parts.ts';

export const limits = section({
  runs: whole(1, 1000).default(32).describe('simultaneous runs; from two on, one is kept for owners'),
  runsPerPerson: whole(1, 1000).default(4).describe('simultaneous runs of one person; owners are exempt'),
  queue: appliesLive(whole(1).default(1000).describe('waiting messages per conversation')),
  messagesPerMinute: whole(1)
    .default(30)
    .describe('messages, commands and buttons of one person per minute; owners are exempt'),
  downloadBytes: whole(0).default(20_971_520).describe('bytes of one fetched file'),
  filesPerMessage: appliesLive(whole(0).default(10).describe('files fetched per message')),
  bytesPerGuest: whole(0)
    .default(104_857_600)
    .describe("disk space for one guest's tasks: files, conversations, files written into the workspace; 0: no limit"),
  bytesPerMember: whole(0).default(2_147_483_648).describe('the same for a member'),
  freeBytes: whole(0).default(52_428_800).describe('free disk space below which no new message is accepted'),
  tokensPerDay: appliesLive(whole(0).default(0).describe('tokens per day of all runs, embeddings included; 0: no cap')),
  costPerDay: appliesLive(amount.default(0).describe('money per day of all runs, in `currency`; 0: no cap')),
  tokensPerPersonPerDay: appliesLive(whole(0).default(0).describe('tokens per person and day; 0: no cap')),
  costPerPersonPerDay: appliesLive(amount.default(0).describe('money per person and day; 0: no cap')),
});

export const timeouts = section({
  connect: seconds.default(10).describe("seconds until a model's endpoint answers"),
  firstToken: seconds.default(60).describe('seconds until the first piece of an answer'),
  idle: seconds.default(60).describe('seconds between two pieces'),
  run: seconds.default(900).describe('seconds of a whole run'),
});
