/** Was ich außer Worten benutzen kann, und was für den Rest fehlt. */
import { translate } from '../arguments.ts';
import { skills as english } from '../en/skills.ts';

export const skills = translate(english)({
  noneHere: 'Hier gibt es keine Fähigkeiten.',
  none: 'Es gibt keine Fähigkeiten.',
  read: 'kann gelesen werden',
  run: 'kann laufen',
  readAndRun: 'kann gelesen werden, ihre Programme können laufen',
  but: '{state}, aber {fixes}',
  lacks: 'es fehlt {what}: {fixes}',
  missing: 'nicht zu gebrauchen: {fixes}',
  ownWay: '{state}; nur wenn du sie rufst: /skills use {name}',
  skill: '- **{name}**: {what} ({state})',
  server: '- **{name}** (Werkzeugserver): {state}',
  serverWhy: '- **{name}** (Werkzeugserver): {state}: {why}',
  idle: 'noch nicht benutzt',
  connecting: 'wird verbunden',
  connected: 'ok, {n, plural, one {# Werkzeug} other {# Werkzeuge}}',
  failed: 'nicht erreichbar',
  more: 'und {n, number} weitere',
  broken: 'Nicht geladen:',
  odd: 'Geladen, aber nicht ganz so, wie sie sein sollten:',
  calling: 'Dafür nehme ich die Fähigkeit **{name}**.',
  unknown: 'Hier gibt es keine Fähigkeit **{name}**; /skills zählt sie auf.',
  notByName:
    'Die Fähigkeit **{name}** ruft man nicht beim Namen. Sag mir, was du brauchst, dann nehme ich sie, wo sie passt.',
  notYet: 'Ich kann **{name}** noch nicht gebrauchen: {fixes}.',
  membersOnly: 'Fähigkeiten sind für die Leute dieses Bots; frag seinen Besitzer.',
});
