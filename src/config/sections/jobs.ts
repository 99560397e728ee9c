/** Settings of scheduled jobs, and of agents that ask each other. */
import { appliesLive, section, timezone, whole } from '../schema-parts.ts';

export const jobs = section({
  timezone: timezone.exactOptional().describe("time zone of jobs; otherwise the machine's"),
  minMinutes: whole(1, 1440).default(5).describe('shortest time between two runs of a job made in a chat'),
  max: whole(0).default(100).describe('limit on jobs made in chats'),
  keepDays: appliesLive(whole(1).default(30).describe('days to keep the tasks of past runs')),
});

export const mesh = section({
  maxDepth: appliesLive(whole(1, 10).default(3).describe('longest chain of agents that ask each other')),
  maxCalls: appliesLive(whole(1, 1000).default(20).describe('limit on questions to agents in one run')),
});
