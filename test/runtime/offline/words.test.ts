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
  ['Hallo!', 'hello'],
  ['Guten Morgen, Viber', 'hello'],
  ['was kannst du?', 'help'],
  ['Hilfe', 'help'],
  ['mach einen Plan für die Küche', 'plan'],
  ['Plan: Farbe kaufen; Wand streichen', 'plan'],
  ['zeig mir bitte den Plan', 'show-plan'],
  ['was ist noch offen?', 'show-plan'],
  ['erledigt 2', 'mark'],
  ['Schritt 2 ist fertig.', 'mark'],
  ['überspring Schritt 3', 'mark'],
  ['streich Schritt 3', 'mark'],
  ['merk dir, dass ich Tee mag', 'remember'],
  ['vergiss nicht, Milch zu kaufen', 'remember'],
  ['was weißt du über mich?', 'recall'],
  ['schreib eine Datei notizen.md: der Text', 'write'],
  ['lies notizen.md', 'read'],
  ['schick mir notizen.md', 'send'],
  ['welche Dateien gibt es?', 'list'],
  ['vergiss, dass ich Tee mag', 'forget'],
  ['vergiss es', 'unknown'],
  ['zeig mir meine Aufgaben', 'list_tasks'],
  ['neue Aufgabe', 'new_task'],
  ['ich bin in Berlin', 'set_timezone'],
  ['ich bin in Schwierigkeiten', 'unknown'],
  ['was haben wir gestern gemacht?', 'what_was_done'],
  ['erinnere mich morgen an Mama', 'schedule'],
  ['jeden Morgen um 9 die Nachrichten', 'schedule'],
])('%s: %s', (text, kind) => {
  expect(toolOf(text)).toBe(kind);
});

it('a plan whose steps are told, and what is to be remembered with its whole clause', () => {
  expect(parseRequests('mach einen Plan: Zahlen sammeln; Bericht schreiben; an Kim schicken')).toEqual([
    { kind: 'plan', goal: '', steps: ['Zahlen sammeln', 'Bericht schreiben', 'an Kim schicken'] },
  ]);
  expect(parseRequests('mach einen Plan für die Küche: Farbe kaufen; streichen')).toEqual([
    { kind: 'plan', goal: 'die Küche', steps: ['Farbe kaufen', 'streichen'] },
  ]);
  expect(parseRequests('merk dir, dass ich in Wien wohne')).toEqual([
    { kind: 'remember', text: 'dass ich in Wien wohne' },
  ]);
});
