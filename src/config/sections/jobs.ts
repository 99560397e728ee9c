/** Settings of scheduled jobs, and of agents that ask each other. */
import { section, timezone, whole } from '../schema-parts.ts';

export const jobs = section({
  timezone: timezone.exactOptional().describe("time zone of jobs; otherwise the machine's"),
  min_minutes: whole(1, 1440).default(5).describe('shortest time between two runs of a job made in a chat'),
  max: whole(0).default(100).describe('most jobs made in chats'),
  keep_days: whole(1).default(30).describe('days to keep the tasks of past runs'),
});

export const mesh = section({
  max_depth: whole(1, 10).default(3).describe('how deep agents may ask each other'),
  max_calls: whole(1, 1000).default(20).describe('how often, per run'),
});
