/** Was ich außer Worten benutzen kann, und was für den Rest fehlt. */
import { translate } from '../arguments.ts';
import { skills as english } from '../en/skills.ts';

export const skills = translate(english)({
  noneHere: 'Hier gibt es keine Fähigkeiten.',
  none: 'Es gibt keine Fähigkeiten.',
  ok: 'ok',
  okBut: 'ok, aber {fixes}',
  missing: 'es fehlt: {fixes}',
  skill: '- **{name}**: {what} ({state})',
  server: '- **{name}** (Werkzeugserver): {state}',
  serverWhy: '- **{name}** (Werkzeugserver): {state}: {why}',
  idle: 'noch nicht benutzt',
  connecting: 'wird verbunden',
  connected: 'ok, {n, plural, one {# Werkzeug} other {# Werkzeuge}}',
  failed: 'nicht erreichbar',
  more: 'und {n, number} weitere',
  broken: 'Nicht geladen:',
});
