/** What people say, taken from what they say to assistants and reminder bots: which of it the offline model understands, and as what. */
import { expect, it } from 'vitest';
import { parseRequests } from '../../../src/runtime/offline/requests.ts';

const toolOf = (text: string): string => {
  const [request] = parseRequests(text);
  return request?.kind === 'call' ? request.tool : (request?.kind ?? '');
};

it.each([
  ['forget that I like tea', 'forget'],
  ['Please forget about the meeting', 'forget'],
  ['stop remembering my old address', 'forget'],
  ["don't forget to buy milk", 'remember'],
  ['forget it', 'unknown'],
  ['show me my tasks', 'list_tasks'],
  ['list tasks', 'list_tasks'],
  ['what am I working on?', 'list_tasks'],
  ['What are my tasks?', 'list_tasks'],
  ['start a new task', 'new_task'],
  ["let's start something else", 'new_task'],
  ['new task', 'new_task'],
  ['back to the kitchen', 'open_task'],
  ['go on with the task kitchen', 'open_task'],
  ['continue with the report', 'open_task'],
  ['switch to the travel plans', 'open_task'],
  ['my timezone is Europe/Paris', 'set_timezone'],
  ["I'm in New York", 'set_timezone'],
  ['I moved to Tokyo', 'set_timezone'],
  ["I'm in trouble", 'unknown'],
  ['what did we do yesterday?', 'what_was_done'],
  ['what happened today', 'what_was_done'],
  ['delete the reminder to call mum', 'delete_scheduled_job'],
  ['cancel my reminder for the meeting', 'delete_scheduled_job'],
  ['remind me to call Sarah at 8', 'schedule'],
  ['remind me to leave work at 5pm every Friday', 'schedule'],
  ['Set a reminder for homework deadline at 8', 'schedule'],
])('%s: %s', (text, kind) => {
  expect(toolOf(text)).toBe(kind);
});
