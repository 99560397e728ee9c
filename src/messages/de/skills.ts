/** Was ich außer Worten benutzen kann, und was für den Rest fehlt. */
import { translate } from '../arguments.ts';
import { skills as english, prompts as promptsInEnglish } from '../en/skills.ts';

export const skills = translate(english)({
  noneHere: 'Hier gibt es keine Skills.',
  none: 'Es gibt keine Skills.',
  all: 'Meine Skills:',
  read: 'kann gelesen werden',
  run: 'kann laufen',
  readAndRun: 'kann gelesen werden, seine Programme können laufen',
  but: '{state}, aber {fixes}',
  lacks: 'es fehlt {what}: {fixes}',
  missing: 'nicht benutzbar: {fixes}',
  ownWay: '{state}; nur wenn du ihn aufrufst: /skills use {name}',
  skill: '- **{name}**: {what} ({state})',
  server: '- **{name}** (Werkzeugserver): {state}',
  serverWhy: '- **{name}** (Werkzeugserver): {state}: {why}',
  idle: 'noch nicht benutzt',
  connecting: 'wird verbunden',
  connected: 'ok, {n, plural, one {# Werkzeug} other {# Werkzeuge}}',
  failed: 'nicht erreichbar',
  more: 'und {n, number} weitere',
  broken: 'Nicht geladen:',
  odd: 'Geladen, mit Hinweisen:',
  calling: 'Ich benutze den Skill **{name}** …',
  unknown: 'Hier gibt es keinen Skill **{name}**; /skills zählt alle auf.',
  notByName:
    'Der Skill **{name}** lässt sich nicht mit Namen aufrufen. Sag mir, was du brauchst, dann benutze ich ihn, wo er passt.',
  notYet: 'Ich kann **{name}** noch nicht benutzen: {fixes}.',
  membersOnly: 'Skills sind für Mitglieder dieses Bots; frag seinen Besitzer.',
});

/** Was Werkzeugserver als Prompts bereithalten, zur Auswahl. */
export const prompts = translate(promptsInEnglish)({
  notHere: 'Prompts können hier nicht benutzt werden.',
  noServers: 'Hier ist kein Werkzeugserver eingerichtet, also gibt es keine Prompts.',
  none: 'Die Werkzeugserver haben keine Prompts.',
  membersOnly: 'Prompts sind für Mitglieder dieses Bots; frag seinen Besitzer.',
  peopleOnly: 'Nur die Beteiligten von **{title}** dürfen darin einen Prompt benutzen; frag jemanden von ihnen.',
  listed: '- **{name}** ({server}): {what}',
  listedNeeds: '- **{name}** ({server}): {what} Er braucht {needs}.',
  how: 'Drück auf einen, oder schreib /prompts NAME. Was er braucht, folgt als name=Wert oder name="zwei Wörter".',
  more: 'und {n, number} weitere',
  unknown: 'Es gibt keinen Prompt {name}. /prompts zeigt alle.',
  several: 'Mehr als ein Server hat einen Prompt {name}. Sag, welchen: {names}.',
  needs: 'Der Prompt {name} braucht {what}: schick /prompts {name} {example}',
  notNeeded: 'Der Prompt {name} kennt {given} nicht.',
  using: 'Ich tue, worum {name} von {server} bittet.',
  say: 'Tu, worum der Prompt {name} von {server} bittet. Ich habe ihn ausgewählt; er steht im Zitat.',
});
