/** Server mit Werkzeugen: Anmeldungen bei ihnen und der Befehl. */
import { translate } from '../arguments.ts';
import { mcp as english } from '../en/mcp.ts';

export const mcp = translate(english)({
  loginNeeded: 'Beim Server {name} fehlt die Anmeldung. Ein Besitzer kann /mcp login {name} schicken.',
  moreNeeded: 'Das erlaubt der Server {name} erst nach einer neuen Anmeldung mit mehr Rechten: /mcp login {name}',
  away: 'Ich erreiche {name} gerade nicht. Versuch es gleich noch einmal.',
  noLoginNeeded: '{name} braucht keine Anmeldung.',
  noRegistration:
    'Bei {name} können sich Programme nicht selbst registrieren. Registriere dort eins und setze mcp.{name}.oauth.clientId.',
  cantLogIn: 'Ich kann mich bei {name} nicht anmelden{why, select, empty {} other {: {why}}}',
  otherIssuer:
    'Die Antwort kommt nicht von dem Server, den {name} nennt. Ich habe sie nicht verwendet. Fang mit /mcp login {name} neu an.',
  refused: '{name} hat die Anmeldung nicht erlaubt ({why}). Fang mit /mcp login {name} neu an.',
  noCode: 'In dieser Adresse steht kein Code von {name}. Fang mit /mcp login {name} neu an.',
  ownersOnly: 'Bei Servern kann mich nur ein Besitzer anmelden.',
  directOnly: 'Schick mir das als Direktnachricht: Den Link sollst nur du sehen.',
  none: 'Hier ist kein Werkzeug-Server eingerichtet. Füge auf meinem Rechner einen hinzu: `{command}`',
  unknown:
    'Ich finde keinen Werkzeug-Server {name}. {names, select, none {} other {Es gibt: {names}.}} So kommt auf meinem Rechner einer dazu: `{command}`',
  noAddress: '{name} ist ein Programm auf meinem Rechner. Eine Anmeldung gibt es da nicht.',
  hasKey: '{name} hat einen Schlüssel in den Einstellungen (mcp.{name}.headers) und braucht keine Anmeldung.',
  line: '- **{name}**: {state}',
  states:
    '{state, select, connected {verbunden, {tools, plural, =0 {keine Werkzeuge} one {ein Werkzeug} other {# Werkzeuge}}} connecting {verbindet sich} failed {nicht da} other {noch nicht gebraucht}}',
  needs: 'braucht eine Anmeldung: /mcp login {name}',
  link: 'Öffne diesen Link innerhalb von zehn Minuten und erlaube den Zugriff auf {name}:',
  comesBack: 'Landet der Browser danach auf einer Seite, die nicht lädt, kopier ihre Adresse und schick sie mir hier.',
  goesOn: 'Ich sage dir hier Bescheid, wenn es geklappt hat.',
  connected:
    'Ich bin mit {name} verbunden: {tools, plural, =0 {Werkzeuge hat er keine} one {ein Werkzeug} other {# Werkzeuge}}.',
  gone: 'Diese Anmeldung läuft nicht mehr. Fang mit /mcp login NAME neu an.',
  deleted: 'Deine Nachricht mit der Adresse habe ich gelöscht.',
  spent: 'Die Adresse in deiner Nachricht gilt nicht noch einmal. Du kannst sie löschen.',
  button: 'Bei {name} anmelden',
  page: 'Die Anmeldung bei {name} hat geklappt. Du kannst diese Seite schließen.',
  pageGone: 'Dieser Link wurde schon benutzt oder ist älter als zehn Minuten. Lass dir einen neuen geben.',
  pageFailed: 'Die Anmeldung hat nicht geklappt. Warum, steht im Chat.',
});
