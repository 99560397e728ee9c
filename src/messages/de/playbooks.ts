/** Playbooks: eines spielen, und wie weit es ist. */
import { translate } from '../arguments.ts';
import { playbooks as english } from '../en/playbooks.ts';

export const playbooks = translate(english)({
  notHere: 'Hier lassen sich keine Playbooks ausführen.',
  membersOnly: 'Playbooks sind für Mitglieder dieses Bots; frag seinen Besitzer.',
  peopleOnly: 'In **{title}** dürfen nur die Beteiligten ein Playbook starten; frag jemanden von ihnen.',
  needs: 'Das Playbook {name} braucht {what}: Schick /play {name} {example}',
  otherOpen:
    'In dieser Aufgabe ist das Playbook {name} noch nicht fertig; /play macht damit weiter, /new beginnt eine andere Aufgabe.',
  ownPlan:
    'Diese Aufgabe hat einen eigenen Plan mit offenen Schritten, den das Playbook ersetzen würde: Schick /new, und dort /play {words}.',
  playing: '**{title}** beginnt: {n, plural, one {# Schritt} other {# Schritte}}. /plan zeigt, wie weit es ist.',
  playingLater:
    '**{title}**: {n, plural, one {# Schritt} other {# Schritte}}. Es beginnt, wenn ich mit dem fertig bin, woran ich sitze. /plan zeigt, wie weit es ist.',
  unreadable: '„{words}“ kann ich nicht lesen: Gib Werte als name=wert an, oder als name="zwei Wörter".',
  notNeeded: 'Dieses Playbook braucht {name} nicht; es braucht: {needs}.',
  needsNothing: 'Dieses Playbook braucht {name} nicht; es braucht nichts.',
  twice: '{name} ist zweimal angegeben.',
  atWork: '**{title}**: Ich arbeite an dieser Aufgabe. /plan zeigt, wie weit es ist, /stop beendet das.',
  waits: '**{title}** wartet hier auf deine Antwort auf meine letzte Frage; /stop beendet das.',
  goingOn: 'Weiter mit **{title}**: {done} von {total, plural, one {# Schritt} other {# Schritten}} erledigt.',
  unusable: '- {name}: nicht benutzbar: {problem}',
  listed: '- {name}: {goal}',
  listedNeeds: '- {name}: {goal} (braucht {needs})',
  more: '(und {n, plural, one {ein weiteres} other {# weitere}})',
  all: 'Die Playbooks:',
  how: 'Starte eines mit /play und seinem Namen. Sie stehen im Ordner playbooks/.',
  nothingOpen: 'Hier gibt es kein Playbook, mit dem es weiterginge: /play zeigt sie alle.',
  doneAlready: 'Das Playbook **{title}** ist schon fertig: /plan zeigt seine Schritte.',
  unticked:
    '**{title}** habe ich nach {n, plural, one {# Schritt} other {# Schritten}} beendet: Im Plan werden immer wieder Haken entfernt.',
  emptyPlan: 'Der Plan ist leer.',
  changing: 'Der Plan wird immer wieder geändert: Versuch es nochmal, wenn niemand daran schreibt.',
  noSuch: 'Dieses Playbook gibt es nicht. Es gibt: {names}.',
  cannotUse: 'Das Playbook {name} lässt sich nicht benutzen: {problem}.',
  finished: '**{title}** ist fertig: {n} von {n, plural, one {# Schritt} other {# Schritten}}.',
  step: '{n}. ✓ {step}',
  stepByHand: '{n}. ✓ {step} (von Hand abgehakt)',
  stepLeftOut: '{n}. – {step} (ausgelassen)',
  stuck: '**{title}** blieb bei Schritt {n} von {total} stehen ({step}): {why}',
  noAgent:
    'Einen Agenten namens {name} gibt es nicht, also habe ich das selbst gemacht. Mit einer Datei {file} legst du ihn an.',
  noAgents:
    'Agenten namens {names} gibt es nicht, also habe ich das selbst gemacht. Mit Dateien in agents/ legst du sie an.',
});
