/** Limits per person, per run, per day and for the whole gateway. */
import { amount, seconds, section, whole } from '../schema-parts.ts';

export const limits = section({
  runs: whole(1, 1000).default(32).describe('runs at the same time; with two or more, one of them is kept for owners'),
  runsPerPerson: whole(1, 1000)
    .default(4)
    .describe('runs at the same time of one person over all channels; owners are not counted'),
  queue: whole(1).default(1000).describe('waiting messages of one conversation'),
  messagesPerMinute: whole(1)
    .default(30)
    .describe(
      'messages of one person over all channels in a minute, commands and buttons included, an album as one; owners are not counted',
    ),
  downloadBytes: whole(0).default(20_971_520).describe('bytes of one file that is fetched'),
  filesPerMessage: whole(0).default(10).describe('files of one message that are fetched'),
  bytesPerGuest: whole(0)
    .default(104_857_600)
    .describe("bytes that the files of one guest's tasks may take on the disk; 0: no limit. Owners have none"),
  bytesPerMember: whole(0).default(2_147_483_648).describe('the same for a member'),
  freeBytes: whole(0)
    .default(52_428_800)
    .describe('bytes that must stay free on the disk; below it no new message is accepted'),
  tokensPerDay: whole(0)
    .default(0)
    .describe(
      'tokens of all runs in one day, input and output together, those of `memory.embedding` included; 0 means no cap',
    ),
  costPerDay: amount.default(0).describe('money of all runs in one day, in `currency`; 0 means no cap'),
  tokensPerPersonPerDay: whole(0).default(0).describe("tokens of one person's runs in one day; 0 means no cap"),
  costPerPersonPerDay: amount.default(0).describe("money of one person's runs in one day; 0 means no cap"),
});

export const timeouts = section({
  connect: seconds.default(10).describe("seconds until a model's endpoint answers"),
  firstToken: seconds.default(60).describe('seconds until the first piece of an answer'),
  idle: seconds.default(60).describe('seconds between two pieces'),
  run: seconds.default(900).describe('seconds of a whole run'),
});
